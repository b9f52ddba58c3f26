import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

export function readCheckoutFile(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** The documents of a YAML file of the checkout. Throws where it is not well-formed, or repeats a key. */
export function readYamlFile(path: string): readonly unknown[] {
  return parseYaml(readCheckoutFile(path));
}

/** The documents of a YAML text. Throws where it is not well-formed, or repeats a key. */
export function parseYaml(text: string): readonly unknown[] {
  return parseAllDocuments(text).map((document) => {
    for (const trouble of [...document.errors, ...document.warnings]) throw trouble;
    return document.toJS() as unknown;
  });
}

interface ActionStep {
  readonly id: string;
  readonly env: Readonly<Record<string, string>>;
  readonly run: string;
}

export interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly description: string; readonly value: string }>>;
  readonly runs: { readonly steps: readonly ActionStep[] };
}

/** Reads `action.yml`, whose form another test holds to its schema. */
export function readAction(): Action {
  return readYamlFile('action.yml')[0] as Action;
}
