// Why a requirement or a check was not decided: a code for programs, and the one place that puts it into words.

/** The sentence of the code `lacking`, which version 0.1 began with other words. */
const ofNeeds = /^(?:needs|would take) (.*)$/s;
const intermittent = 'intermittent';

/** The sentence of each reason, made of details that differ between targets and runs. */
const sentences = {
  'not-selected': () => 'not selected',
  'not-observable': ([why]) => why,
  unspecified: () => 'the document does not show it, so nothing is asserted',
  unjudged: ([why]) => why,
  lacking: (needs) => `needs ${needs.join('; ')}`,
  'not-applicable': ([why]) => why,
  'not-shown': () => 'no response of this run showed it',
  'no-case': () => 'no case of this run tested it',
  'other-case': () => 'the path names a case of another property',
  'ended-early': () => 'the check ended before it tested this',
  'reported-only': () => 'nothing is asserted; the report lists what was observed',
  stopped: ([why, earlier]) => (earlier === undefined ? why : `${why}, after: ${earlier}`),
  killed: () => 'the run was killed before this was decided',
  'control-failed': ([why = 'its positive control failed']) => why,
  'control-contradicted': ([call]) => call,
  'control-untried': () => 'its positive control could not be run',
  'operation-down': ([operation, got, diagnosis]) =>
    `${operation} is down: its plain requests got ${got}${diagnosis === undefined ? '' : `. ${diagnosis}`}`,
  'wrong-profile': ([diagnosis]) => diagnosis,
  disturbed: ([got]) => got,
  intermittent: ([failed, attempts, got]) =>
    failed === undefined
      ? intermittent
      : `failed on ${failed === attempts ? `all ${attempts}` : `${failed} of ${attempts}`} attempts: ${got}`,
  'too-many-findings': () => 'there were too many problems to investigate each',
  recorded: ([seen, condition = '']) => `observed in recorded traffic: ${seen}${condition}`,
  'not-recorded': () => 'no recorded exchange showed it',
  'recorded-unclear': ([by, others = '']) => `a recording does not show who answered: ${by}${others}`,
  'recorded-repeated': ([first, second, others = '']) =>
    `a secret was deleted with 204 in ${first} and again in ${second}, with no store between them that was recorded${others}; one that was not recorded would explain it`,
  'more-violations': ([count]) => `${count} more violations of it are not listed one by one`,
} satisfies Readonly<Record<string, (details: readonly string[]) => string | undefined>>;

/** Why a requirement or a check was not decided, for programs. */
export type ReasonCode = keyof typeof sentences;

/** Why a requirement or a check was not decided. */
export interface Reason {
  readonly code: ReasonCode;
  /** What differs between targets and runs: what is missing, what the server did. */
  readonly details?: readonly string[];
}

/** A reason as a report holds it. */
export interface ReportedReason {
  readonly reason: string | null;
  /** Absent only in what version 0.1 wrote. */
  readonly reason_code?: ReasonCode | null;
}

/** Why a gate ignored requirements. */
export type GateGround = { readonly requirements: readonly string[] } & (
  | {
      readonly code: 'waived';
      readonly expires: string;
      readonly owner: string;
      readonly reason: string;
    }
  | { readonly code: 'shown-again' }
  | { readonly code: 'excused'; readonly reason: string }
  | { readonly code: 'newer'; readonly ledger: string }
);

/** Makes a reason of its code and details. */
export function makeReason(code: ReasonCode, ...details: readonly string[]): Reason {
  return { code, details };
}

/** Puts a reason into words. */
export function reportReason(reason: Reason | undefined): ReportedReason {
  if (reason === undefined) return { reason: null, reason_code: null };
  const { code, details = [] } = reason;
  return { reason: sentences[code](details) ?? '', reason_code: code };
}

/** Returns what a target would have to provide, in words; undefined where that is not the reason. */
export function readNeed({ reason, reason_code: code }: ReportedReason): string | undefined {
  // A report that somebody edited may have any words.
  const [, need] = ofNeeds.exec(reason ?? '') ?? [];
  return code === 'lacking' ? need : undefined;
}

/** Sentences of version 0.1 that have been reworded since. */
const formerSentences: Readonly<Record<string, ReasonCode>> = {
  'no answer of this run showed it': 'not-shown',
  'no case of this run came to it': 'no-case',
  'the check ended before it came to this': 'ended-early',
  'its positive control could not be tried': 'control-untried',
  'there were too many troubles to look into each': 'too-many-findings',
  'nothing is asserted; what was seen is reported': 'reported-only',
};

/** Finds the code of a sentence that version 0.1 wrote, which had no codes; undefined if it has no fixed form. */
export function findReasonCode(sentence: string): ReasonCode | undefined {
  if (ofNeeds.test(sentence)) return 'lacking';
  if (sentence.startsWith(intermittent)) return 'intermittent';
  const former = Object.hasOwn(formerSentences, sentence) ? formerSentences[sentence] : undefined;
  return former ?? (Object.keys(sentences) as ReasonCode[]).find((code) => sentences[code]([]) === sentence);
}
