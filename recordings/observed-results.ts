import type { Finding, Violation } from '../judge/finding.js';
import { PassiveJudge } from '../judge/passive.js';
import { makeReport, type RunFacts, reportFailure } from '../judge/report.js';
import {
  observedCheckId,
  type RecordedEvidence,
  type RecordedVote,
  type RunRecord,
} from '../judge/run-record.js';
import { type RequirementId, requirement } from '../spec/ledger.js';
import { makeReason, type Reason, reportReason } from '../spec/reasons.js';
import type { Report, ReportedCheck } from '../spec/report.js';
import type { Answered } from '../targets/exchange.js';
import type { SoughtValues } from '../targets/leak-detection.js';
import type { Redactor } from '../targets/redaction.js';
import type { ObservedJudge } from './observed-judge.js';
import { observedIds, sharedConditions } from './observed-rules.js';
import { describePlace } from './recorded-exchange.js';
import type { DeletedAgain } from './repetition-rules.js';

/** The evidence of a recording for one requirement, beyond the rules for every response. */
interface ObservedTally {
  /** Counts by operation and status: `vault-delete.404` → 12. */
  readonly classes: Map<string, number>;
  violated: number;
  /** The first violations; all of them are counted in `violated`. */
  readonly violations: Violation[];
  /** Answers that leave the requirement open. */
  undecided: number;
  /** Why the first of them does. */
  undecidedBy: Reason | undefined;
}

/** All evidence of a recording for one requirement; `cases` counts the answers that it applies to. */
type ObservedRow = Readonly<Omit<ObservedTally, 'classes'>> & {
  readonly classes: Readonly<Record<string, number>>;
  readonly cases: number;
};

/** What a recorded answer is judged by: everything, everything but its headers, or secrecy only. */
type AnswerScope = 'whole' | 'headerless' | 'foreign';

// A recording may contain one fault a million times.
const violationsKept = 50;

const onHeaders: ReadonlySet<RequirementId> = new Set([
  'envelope.media-type',
  'rate-limit.success-headers',
  'rate-limit.retry-after-form',
  'secrecy.header',
]);

const isAsked: Readonly<Record<AnswerScope, (id: RequirementId) => boolean>> = {
  // Recorders write their own reason phrases, or none.
  whole: (id) => id !== 'secrecy.reason-phrase',
  headerless: (id) => isAsked.whole(id) && !onHeaders.has(id),
  // Whoever answered, a stored value must not be in the answer.
  foreign: (id) => isAsked.whole(id) && id.startsWith('secrecy.'),
};

/** Counts what recorded answers show of each requirement, by the rules for every response and beyond them. */
export class ObservedRows {
  readonly #judges: Readonly<Record<AnswerScope, PassiveJudge>>;
  readonly #rows = new Map<RequirementId, ObservedTally>();

  constructor(means: { readonly canaries: SoughtValues; readonly redactor: Redactor }) {
    const judge = (): PassiveJudge => new PassiveJudge(means);
    this.#judges = { whole: judge(), headerless: judge(), foreign: judge() };
  }

  /** The rules for every response, with what they saw of complete answers. */
  get passive(): PassiveJudge {
    return this.#judges.whole;
  }

  judge(kind: AnswerScope, exchange: Answered): readonly Finding[] {
    return this.#judges[kind].judge(exchange).filter(({ requirement }) => isAsked[kind](requirement));
  }

  /** Counts an answer that was judged by a rule beyond those for every response. */
  count(id: RequirementId, { operation, answer }: Answered): void {
    const { classes } = this.#row(id);
    const name = `${operation}.${answer.status}`;
    classes.set(name, (classes.get(name) ?? 0) + 1);
  }

  /** Counts a violation; keeps only the first, since its evidence takes time to make. */
  addViolation(id: RequirementId, make: () => Violation): void {
    const row = this.#row(id);
    row.violated += 1;
    if (row.violations.length < violationsKept) row.violations.push(make());
  }

  /** Counts an answer that leaves a requirement open, for a reason in words. */
  countUndecided(id: RequirementId, exchange: Answered, why: string): void {
    this.count(id, exchange);
    const row = this.#row(id);
    row.undecided += 1;
    row.undecidedBy ??= makeReason('recorded-unclear', why);
  }

  /** Returns what the recording shows of a requirement, or undefined. */
  row(id: RequirementId): ObservedRow | undefined {
    const { classes: own, ...counts } = this.#rows.get(id) ?? makeTally();
    const kinds = (['whole', 'headerless', 'foreign'] as const).filter((kind) => isAsked[kind](id));
    const classes: Record<string, number> = {};
    for (const [name, count] of [...own, ...kinds.flatMap((kind) => [...this.#judges[kind].tally(id)])])
      classes[name] = (classes[name] ?? 0) + count;
    const cases = Object.values(classes).reduce((sum, count) => sum + count, 0);
    return cases === 0 ? undefined : { ...counts, classes, cases };
  }

  get violations(): readonly Violation[] {
    return [...this.#rows.values()].flatMap(({ violations }) => violations);
  }

  /** The number of requirements that some answer was judged by. */
  get seen(): number {
    return ids.filter((id) => this.row(id) !== undefined).length;
  }

  #row(id: RequirementId): ObservedTally {
    const row = this.#rows.get(id) ?? makeTally();
    this.#rows.set(id, row);
    return row;
  }
}

function makeTally(): ObservedTally {
  return { classes: new Map(), violated: 0, violations: [], undecided: 0, undecidedBy: undefined };
}

/** Facts for the report on recorded traffic. */
export interface ObservedFacts {
  readonly isOnly: boolean;
  readonly files: readonly string[];
  /** Returns the command that reproduces a violation. */
  readonly command: (id: RequirementId) => string;
}

/** Every requirement that recorded traffic can show. */
const ids: readonly RequirementId[] = [...new Set([...PassiveJudge.requirements, ...observedIds])];

/** Sums up what recorded traffic showed. */
export function summarizeObserved(judge: ObservedJudge, facts: ObservedFacts): RecordedEvidence {
  const deletedAgain = toRow(judge.deletedAgain);
  const shown = ids.map((id) => {
    const row = id === 'vault-delete.204.takes-effect' ? deletedAgain : judge.rows.row(id);
    return { id, row, vote: row && castVote(id, row, facts.isOnly) };
  });
  const votes = new Map(shown.map(({ id, vote }) => [id, vote]));
  const reported = shown.filter(({ row }) => row !== undefined || facts.isOnly);
  const { counts, entries } = judge;
  // In a run, which may have decided the requirement itself, an undecided row is only a note.
  const undecided = [reportReason(deletedAgain?.undecidedBy).reason ?? []].flat();
  return {
    isOnly: facts.isOnly,
    vote: (id) => votes.get(id),
    checks: judge.redact(reported.map(({ id, row, vote }) => toCheck(id, row, vote, facts))),
    notes: [...judge.notes, ...(facts.isOnly ? judge.hints : undecided)],
    recording: { base_url: judge.baseUrl ?? null, files: facts.files, entries, ...counts },
  };
}

/** Makes the report on traffic alone, redacted last: a key of one exchange may be repeated in an earlier one. */
export function makeObservedReport(
  judge: ObservedJudge,
  { files, command, unjudged, faults = [], notes = [], ...run }: ObservedRun,
): Report {
  const record: RunRecord = {
    judgements: [],
    passive: judge.rows.passive,
    unjudged: judge.counts.judged === 0 ? unjudged : undefined,
    stopped: undefined,
    controlViolations: [],
    observed: summarizeObserved(judge, { files, command, isOnly: true }),
    ...{ faults, notes },
  };
  const usual = { complete: true, interrupted: false, controlUrl: undefined, seed: 0 };
  return judge.redact(makeReport(record, undefined, { ...usual, ...run, baseUrl: judge.baseUrl }));
}

interface ObservedRun
  extends Omit<ObservedFacts, 'isOnly'>,
    Partial<Pick<RunRecord, 'faults' | 'notes'>>,
    Pick<RunFacts, 'startedAt' | 'durationMs' | 'selection' | 'insecure'>,
    Partial<Pick<RunFacts, 'complete' | 'interrupted'>> {
  readonly unjudged: string;
}

/** Sums up repeated deletes: a 404 shows that the secret was gone; a second 204 leaves that open. */
function toRow(again: readonly DeletedAgain[]): ObservedRow | undefined {
  const twice = again.filter(({ status }) => status === 204);
  const [shown] = twice;
  const cases = twice.length || again.length;
  if (cases === 0) return undefined;
  const places = [shown?.first, shown?.second].flatMap((one) => (one ? [describePlace(one.place)] : []));
  return {
    classes: { [`vault-delete.${shown?.status ?? 404}`]: cases },
    ...{ cases, violated: 0, violations: [], undecided: twice.length },
    undecidedBy: shown && makeReason('recorded-repeated', ...places),
  };
}

function castVote(id: RequirementId, row: ObservedRow, isOnly: boolean): RecordedVote | undefined {
  const { cases, violated, undecided, undecidedBy } = row;
  if (violated > 0) return { status: 'fail', reason: null };
  // An answer that decides nothing does not outweigh what a run has seen itself.
  if (undecidedBy !== undefined && isOnly) {
    const { code, details = [] } = undecidedBy;
    const others = undecided === 1 ? '' : `, and ${undecided - 1} more like it`;
    return { status: 'inconclusive', ...reportReason(makeReason(code, ...details, others)) };
  }
  return cases > undecided ? { status: 'pass', ...reportReason(describeShown(id, row)) } : undefined;
}

function describeShown(id: RequirementId, { classes, cases, undecided }: ObservedRow): Reason {
  const seen = Object.entries(classes).map(
    ([name, count]) => `${name} ${count === 1 ? 'once' : `${count} times`}`,
  );
  const answers = cases - undecided === 1 ? 'one answer' : `${cases - undecided} answers`;
  const condition = sharedConditions.has(id)
    ? '; which of the conditions of that status it was, a recording does not say'
    : '';
  return makeReason('recorded', seen.length > 3 || undecided > 0 ? answers : seen.join(', '), condition);
}

function toCheck(
  id: RequirementId,
  row: ObservedRow | undefined,
  vote: RecordedVote | undefined,
  { command }: ObservedFacts,
): ReportedCheck {
  const { violated = 0, violations = [], cases = 0, classes = {} } = row ?? {};
  const [failure = null, ...further] = violations.map((violation) =>
    reportFailure(violation, violation.situation.exact, command(id)),
  );
  const more = violated - violations.length;
  const { status: outcome, ...reason } = vote ?? {
    status: 'skipped' as const,
    ...reportReason(makeReason('not-recorded')),
  };
  return {
    id: observedCheckId(id),
    title: `${requirement(id).statement} (recorded traffic)`,
    requirements: [id],
    outcome,
    ...(reason.reason === null && more > 0
      ? reportReason(makeReason('more-violations', String(more)))
      : reason),
    cases,
    classes,
    requests: 0,
    started_ms: 0,
    duration_ms: 0,
    failure,
    further_failures: further,
    attempts: [],
  };
}
