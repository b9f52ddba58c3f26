import { readYamlFile } from './example-files.js';

/** A step of the composite action. */
interface ActionStep {
  readonly id: string;
  readonly env: Readonly<Record<string, string>>;
  readonly run: string;
}

/** `action.yml`, as far as the tests look at it. */
export interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly description: string; readonly value: string }>>;
  readonly runs: { readonly steps: readonly ActionStep[] };
}

/** Reads `action.yml`, whose form another test holds to its schema. */
export function readAction(): Action {
  return readYamlFile('action.yml')[0] as Action;
}
