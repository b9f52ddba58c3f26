/**
 * How a finding stands: as it should be; wrong; not given, and worth giving; or something to know, such as what could
 * not be tried.
 */
export type State = 'ok' | 'wrong' | 'missing' | 'note';

/** One thing that the doctor found out about a profile. */
export interface Finding {
  /** What it is about: a member of the profile, or a part of the target. */
  readonly what: string;
  readonly state: State;
  /** What was found, in plain words; texts of a server may stand in it as they came. */
  readonly text: string;
  /** What to do about it: a sentence. */
  readonly todo?: string;
}

/** Puts a finding into words: what it is about, what was found, and what to do. */
export function describeFinding({ what, text, todo }: Finding): string {
  return `${what}: ${todo === undefined ? text : `${text}. ${todo}`}.`;
}
