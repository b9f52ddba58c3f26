import type { Level, RequirementId, RequirementRow } from './ledger.js';
import type { Mismatch } from './mismatch.js';
import type { ReportedReason } from './reasons.js';
import type { ReportedSituation } from './situation.js';
import type { Operation, Scope } from './vocabulary.js';

/** The words a run ends with, before waivers and policy. */
export const verdicts = ['conformant', 'non-conformant', 'incomplete', 'unjudged'] as const;
export type Verdict = (typeof verdicts)[number];

/** The statuses of a requirement after a run, the worst first. */
export const statuses = ['fail', 'inconclusive', 'pass', 'not-exercised', 'not-observable'] as const;
export type Status = (typeof statuses)[number];

/** The outcome of a check in a run. */
export type Outcome = 'pass' | 'fail' | 'inconclusive' | 'skipped';

/** A request and its response, as text, with every secret replaced by its name. */
export interface ReportedExchange {
  readonly at: string;
  readonly duration_ms: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly (readonly [string, string])[];
    readonly body: string | null;
  };
  readonly response: {
    readonly status: number;
    /** Absent where it is the usual one. */
    readonly reason_phrase?: string;
    readonly headers: readonly (readonly [string, string])[];
    /** Where there are any. */
    readonly trailers?: readonly (readonly [string, string])[];
    readonly body: string;
    readonly truncated: boolean;
  } | null;
  /** Why there is no response. */
  readonly lost: string | null;
}

/** The check that found a violation. */
export interface ReportedOrigin {
  readonly check: string;
  /** The path of a generated case. */
  readonly path?: string;
  /** A secret that was stored before, and maybe deleted: the violation is about what a world holds. */
  readonly stored_before?: { readonly scope: Scope; readonly name: string; readonly deleted: boolean };
  /** The contents of the world are listed after each request. */
  readonly inspects?: true;
}

/** A violation, confirmed, with what it takes to see it again. */
export interface Failure extends ReportedSituation {
  readonly requirement: RequirementId;
  readonly message: string;
  readonly expected: string;
  readonly actual: string;
  /** What is wrong, as data. Absent in what version 0.1 wrote. */
  readonly mismatch?: Mismatch;
  /** What probably answered in place of the service, where the answer says so: `nginx`. The result does not rest on it. */
  readonly answered_by?: string;
  readonly counterexample: Readonly<Record<string, unknown>>;
  /** How many of the repetitions showed it, `3/3`. */
  readonly confirmed: string;
  readonly exchanges: readonly ReportedExchange[];
  readonly reproduce: {
    readonly curl: string;
    readonly command: string;
    /** What `replay` sends again. Absent in what version 0.1 wrote, and of what only recorded traffic shows. */
    readonly origin?: ReportedOrigin;
  };
}

/** One failed attempt of a check, and its exchanges. */
export interface ReportedAttempt {
  /** Counted from 1. */
  readonly attempt: number;
  /** Its result, in words. */
  readonly came: string;
  readonly exchanges: readonly ReportedExchange[];
}

/** The result of a check for one requirement that it decides. */
export interface ReportedVote extends ReportedReason {
  readonly requirement: RequirementId;
  readonly outcome: Outcome;
}

/** A requirement in a report. */
export interface ReportedRequirement
  extends ReportedReason,
    Pick<RequirementRow, 'id' | 'section' | 'level' | 'statement'> {
  readonly status: Status;
  readonly checks: readonly string[];
  /** True where what it takes is an optional addition to the control protocol. */
  readonly optional?: true;
  /** True where only recorded traffic showed it. */
  readonly observed?: true;
}

/** What of recorded traffic was judged, and what was not; the counts add up to `entries`. */
export interface ReportedRecording {
  /** The base URL of the recorded exchanges that were judged; null where none was. */
  readonly base_url: string | null;
  /** Empty where the traffic passed through `plumbline proxy`. */
  readonly files: readonly string[];
  readonly entries: number;
  readonly judged: number;
  /** Exchanges with other hosts and paths, and those that no server answered. */
  readonly elsewhere: number;
  readonly without_response: number;
  readonly without_body: number;
  /** Answers that may be somebody else's than the service's. */
  readonly undecided: number;
  /** No exchanges, or too long to be read. */
  readonly skipped: number;
}

/** How many combinations of so many inputs were judged. */
export interface ReportedCoverage {
  /** 2 for pairs, 3 for triples. */
  readonly strength: 2 | 3;
  readonly seen: number;
  readonly possible: number;
}

/** Adds up the combinations of so many inputs that checks judged; undefined where none is about such combinations. */
export function sumCoverage(
  checks: readonly Pick<ReportedCheck, 'coverage'>[],
  strength: ReportedCoverage['strength'],
): ReportedCoverage | undefined {
  const all = checks.flatMap(({ coverage }) => (coverage?.strength === strength ? [coverage] : []));
  const sum = (of: 'seen' | 'possible') => all.reduce((total, one) => total + one[of], 0);
  return all.length === 0 ? undefined : { strength, seen: sum('seen'), possible: sum('possible') };
}

/** A check in a report. */
export interface ReportedCheck extends ReportedReason {
  readonly id: string;
  readonly title: string;
  readonly requirements: readonly RequirementId[];
  readonly outcome: Outcome;
  readonly cases: number;
  /** How many cases of each class were sent; for a rule on every response, how many of each operation and status. */
  readonly classes: Readonly<Record<string, number>> | null;
  /** How many pairs or triples of inputs were judged, of those possible on this target. */
  readonly coverage?: ReportedCoverage;
  readonly requests: number;
  /** From the start of the run; 0 for a rule on every response, which looks on from the first to the last. */
  readonly started_ms: number;
  readonly duration_ms: number;
  readonly failure: Failure | null;
  /** Further violations of the same check, for its other requirements. */
  readonly further_failures: readonly Failure[];
  /** Every attempt that did not pass, of a check that failed or was inconclusive. */
  readonly attempts: readonly ReportedAttempt[];
  /** Its result for each of its requirements, by which the reports of shards are merged. */
  readonly says?: readonly ReportedVote[];
}

/** Something that the document does not show, and what was observed. */
export interface ReportedSilence extends Pick<ReportedRequirement, 'id' | 'section' | 'statement'> {
  readonly observed: readonly string[];
}

/** What decides a gate. The verdict does not depend on it. */
export interface Policy {
  readonly decides: readonly Level[];
  /** Patterns over the ids of requirements that may stay unproven, with reasons. */
  readonly excused: readonly { readonly requirement: string; readonly reason: string }[];
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

/** Refusals that slowed a run down. */
export interface ReportedSlowDown {
  readonly host: string;
  /** The one operation that refused; null where the host as a whole did. */
  readonly operation: Operation | null;
  /** What it answered: `429`, `503`. */
  readonly by: string;
  /** Requests that were refused. */
  readonly refused: number;
  /** Requests a second, at the slowest. */
  readonly rate: number;
}

/** What a waiver covers, and where it stands. */
export interface ReportedWaiver {
  /** The requirement. */
  readonly id: string;
  /** The code of the situation, which distinguishes the violation from others of the requirement. */
  readonly case?: string;
  /** The same in the words of the report: what decides where there is no case. */
  readonly situation?: string;
  /** The file as it was named, and the line. */
  readonly at: string;
}

/** report.json, described by report.schema.json. */
export interface Report {
  readonly format: 'plumbline-report/1';
  readonly tool: { readonly name: 'plumbline-conformance'; readonly version: string };
  readonly document: { readonly version: '1.0.0'; readonly openapi_sha256: string };
  readonly target: {
    readonly base_url: string | null;
    readonly control: boolean;
    /** How it was reached, as the command line says. */
    readonly control_url?: string;
    readonly profile?: string;
    /** The command's own reference server, on a port of its own. */
    readonly embedded?: boolean;
    /** Any certificate was accepted, so that nothing proves which server was judged. */
    readonly insecure?: boolean;
  };
  readonly run: {
    readonly id: string;
    /** What `--run-id` said: the same for every shard of one run. */
    readonly group?: string;
    readonly started_at: string;
    readonly duration_ms: number;
    readonly complete: boolean;
    readonly seed: number;
    readonly depth: 'quick' | 'standard' | 'deep';
    /** What `--cases` said. */
    readonly cases_per_property?: number;
    readonly requests: number;
    readonly cases: number;
    readonly shard: string;
    readonly selection: { readonly only: readonly string[]; readonly skip: readonly string[] };
    /** Why the run stopped early or could not judge. */
    readonly notes: readonly string[];
    /** The recorded traffic that was judged. */
    readonly recording?: ReportedRecording;
    /** The rate limits that slowed the run down. */
    readonly slowed_down?: readonly ReportedSlowDown[];
    /** What the run made and could not delete again, and what to do about it. */
    readonly left_behind: readonly {
      /** A secret where absent. */
      readonly kind?: 'secret' | 'world';
      /** What the profile calls the place of a secret; `world` of a world. */
      readonly scope: string;
      /** The name of the secret; of a world its id, or what it was for where its id is not known. */
      readonly name: string;
      readonly why: string;
      /** The id of the intern that the secret is stored for. */
      readonly intern?: string;
      /** The id of the world, where it is known. */
      readonly id?: string;
    }[];
  };
  readonly verdict: Verdict;
  readonly gate: {
    readonly exit_code: number;
    /** Failed requirements whose violations are all waived. */
    readonly waived: readonly string[];
    /** Requirements without a pass that the policy excuses. */
    readonly excused: readonly string[];
    readonly policy?: Policy;
    /** Requirements that would have decided if they were not newer than the ledger of the gate. */
    readonly newer: readonly string[];
    /** Faults of the waivers, and why something was ignored, a line for each ground. */
    readonly notes: readonly string[];
    /** Why something was ignored. Absent in what version 0.1 wrote. */
    readonly grounds?: readonly GateGround[];
    /** The waivers that a shard was given. Whether one is stale shows once all shards are merged. */
    readonly waivers?: readonly ReportedWaiver[];
  };
  readonly totals: Readonly<Record<Status, number>>;
  readonly requirements: readonly ReportedRequirement[];
  readonly checks: readonly ReportedCheck[];
  readonly silences: readonly ReportedSilence[];
}

/** Lists the flags that select the requirements of a run. */
export function listSelectionFlags({ only, skip }: Report['run']['selection']): readonly string[] {
  return [...only.map((glob) => `--only ${glob}`), ...skip.map((glob) => `--skip ${glob}`)];
}

/** Whether the selection left a requirement out, so that it counts for nothing. */
export function isLeftOut({ reason_code: code }: ReportedReason): boolean {
  return code === 'not-selected';
}

/** Whether a requirement is a selected `must` that neither passed nor failed, and is not optional for the target. */
export function isUnproven(row: ReportedRequirement): boolean {
  const isOpen = row.status === 'inconclusive' || (row.status === 'not-exercised' && row.optional !== true);
  return row.level === 'must' && isOpen && !isLeftOut(row);
}

/** Lists the violations that a check found. */
export function listFailures({ failure, further_failures: further }: ReportedCheck): readonly Failure[] {
  return failure === null ? further : [failure, ...further];
}

/** Counts the requirements of each status. */
export function countStatuses(requirements: readonly ReportedRequirement[]): Report['totals'] {
  return Object.fromEntries(
    statuses.map((status) => [status, requirements.filter((row) => row.status === status).length]),
  ) as Record<Status, number>;
}
