import { type Behaviour, conforming } from './behaviour.js';

/** How hard a violation is to see: with one request of its kind, only for some inputs, only now and then. */
type Hardness = 'plain' | 'subtle' | 'intermittent';

/** The decisions that one server takes otherwise than the reference. */
export type Override = Partial<Behaviour>;

/** The reference with one violation of one statement. */
export interface Mutant {
  /** The area of the ledger, a dot, and what is wrong: `vault-delete.404-as-403`. */
  readonly id: string;
  /** The section of the document that is violated. */
  readonly section: string;
  /** The requirements, by their ids in the ledger, that a run against it must find violated. */
  readonly turnsRed: readonly [string, ...string[]];
  /** What is wrong, in one line. */
  readonly description: string;
  readonly hardness: Hardness;
  readonly override: Override;
}

/** The behaviour of the reference with some decisions taken otherwise. */
export function overridden(override: Override): Behaviour {
  return { ...conforming, ...override };
}
