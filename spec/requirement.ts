import type { Need } from './need.js';

/** How binding a requirement is, the strictest first. Only `must` and `derived` decide. */
export const levels = ['must', 'derived', 'advisory', 'silent'] as const;
export type Level = (typeof levels)[number];

/** Whether a failed requirement makes a server non-conformant. */
export function isDeciding({ level }: { readonly level: Level }): boolean {
  return level === 'must' || level === 'derived';
}

/** A row of requirements.yaml as it is written there. */
export interface RequirementRow<Id extends string = string> {
  readonly id: Id;
  /** The section of the document that states the rule, such as `7.1`. */
  readonly section: string;
  readonly level: Level;
  readonly statement: string;
  readonly needs?: readonly Need[];
  /** Why no client can see it. */
  readonly unseen?: string;
  /** It needs an optional addition to the control protocol; without that, a run is complete all the same. */
  readonly optional?: true;
  /** The release of this package that introduced the row; the first if absent. */
  readonly since?: string;
  /** The places of the document that the row answers for. */
  readonly covers?: readonly string[];
}
