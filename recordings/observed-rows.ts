import type { Finding, Violation } from '../judge/finding.js';
import { PassiveJudge } from '../judge/passive.js';
import type { RequirementId } from '../spec/ledger.js';
import { makeReason, type Reason } from '../spec/reasons.js';
import type { Answered } from '../targets/exchange.js';
import type { SoughtValues } from '../targets/leak-detection.js';
import type { Redactor } from '../targets/redaction.js';
import { observedIds } from './observed-rules.js';

/** Every requirement that recorded traffic can show. */
export const recordableIds: readonly RequirementId[] = [
  ...new Set([...PassiveJudge.requirements, ...observedIds]),
];

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
export type ObservedRow = Readonly<Omit<ObservedTally, 'classes'>> & {
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

const reasonPhrase: RequirementId = 'secrecy.reason-phrase';

const isAsked: Readonly<Record<AnswerScope, (id: RequirementId) => boolean>> = {
  // Recorders write their own reason phrases, or none: one without a stored value shows nothing.
  whole: (id) => id !== reasonPhrase,
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
    const findings = this.#judges[kind].judge(exchange);
    return findings.filter(({ requirement }) => isAsked[kind](requirement) || requirement === reasonPhrase);
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
    const all = Math.max(cases, counts.violated);
    return all === 0 ? undefined : { ...counts, classes, cases: all };
  }

  get violations(): readonly Violation[] {
    return [...this.#rows.values()].flatMap(({ violations }) => violations);
  }

  /** The number of requirements that some answer was judged by. */
  get seen(): number {
    return recordableIds.filter((id) => this.row(id) !== undefined).length;
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
