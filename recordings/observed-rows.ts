import type { Finding, Violation } from '../judge/finding.js';
import { PassiveJudge } from '../judge/passive.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Answered } from '../targets/exchange.js';
import type { SoughtValues } from '../targets/leak-detection.js';
import type { Redactor } from '../targets/redaction.js';

/** What a recording shows of one requirement. */
export interface ObservedRow {
  /** How often each operation and status was seen: `vault-delete.404` → 12. */
  readonly classes: Readonly<Record<string, number>>;
  /** Answers that the requirement was asked of. */
  readonly cases: number;
  readonly violated: number;
  /** The violations that are told, of all that were found. */
  readonly violations: readonly Violation[];
  /** Answers that decide nothing. */
  readonly undecided: number;
  /** What the first of them was. */
  readonly undecidedBy: string | undefined;
}

/** How much can be asked of a recorded answer: all, nothing of its header fields, or no more than that it keeps secrets. */
export type AnswerKind = 'whole' | 'headerless' | 'foreign';

// A recording can show one fault a million times.
const violationsKept = 50;

const onHeaders: ReadonlySet<RequirementId> = new Set([
  'envelope.media-type',
  'rate-limit.success-headers',
  'rate-limit.retry-after-form',
  'secrecy.header',
]);

const isAsked: Readonly<Record<AnswerKind, (id: RequirementId) => boolean>> = {
  // Recorders write reason phrases of their own, or none.
  whole: (id) => id !== 'secrecy.reason-phrase',
  headerless: (id) => isAsked.whole(id) && !onHeaders.has(id),
  // Whoever gave an answer, a stored value must not be in it.
  foreign: (id) => isAsked.whole(id) && id.startsWith('secrecy.'),
};

interface MutableRow {
  readonly classes: Map<string, number>;
  violated: number;
  readonly violations: Violation[];
  undecided: number;
  undecidedBy: string | undefined;
}

/** Counts what recorded answers show of each requirement, by the rules for every response and beyond them. */
export class ObservedRows {
  readonly #judges: Readonly<Record<AnswerKind, PassiveJudge>>;
  readonly #rows = new Map<RequirementId, MutableRow>();

  constructor(means: { readonly canaries: SoughtValues; readonly redactor: Redactor }) {
    const judge = (): PassiveJudge => new PassiveJudge(means);
    this.#judges = { whole: judge(), headerless: judge(), foreign: judge() };
  }

  /** The rules for every response, as they saw the answers that were recorded whole. */
  get passive(): PassiveJudge {
    return this.#judges.whole;
  }

  /** What the rules for every response find in an answer. */
  judge(kind: AnswerKind, exchange: Answered): readonly Finding[] {
    return this.#judges[kind].judge(exchange).filter(({ requirement }) => isAsked[kind](requirement));
  }

  /** An answer was judged by a rule beyond those for every response. */
  count(id: RequirementId, { operation, answer }: Answered): void {
    const { classes } = this.#row(id);
    const name = `${operation}.${answer.status}`;
    classes.set(name, (classes.get(name) ?? 0) + 1);
  }

  /** Counts a violation, and says whether it is still to be told. */
  violated(id: RequirementId): boolean {
    const row = this.#row(id);
    row.violated += 1;
    return row.violations.length < violationsKept;
  }

  /** Keeps a violation that is to be told. */
  tell(violation: Violation): void {
    this.#row(violation.requirement).violations.push(violation);
  }

  /** An answer leaves a requirement open, for a reason in words. */
  undecided(id: RequirementId, exchange: Answered, why: string): void {
    this.count(id, exchange);
    const row = this.#row(id);
    row.undecided += 1;
    row.undecidedBy ??= why;
  }

  /** What the recording shows of a requirement; undefined where nothing. */
  row(id: RequirementId): ObservedRow | undefined {
    const { classes: own = [], ...told } = this.#rows.get(id) ?? unseen;
    const kinds = (['whole', 'headerless', 'foreign'] as const).filter((kind) => isAsked[kind](id));
    const classes: Record<string, number> = {};
    for (const [name, count] of [...own, ...kinds.flatMap((kind) => [...this.#judges[kind].tally(id)])])
      classes[name] = (classes[name] ?? 0) + count;
    const cases = Object.values(classes).reduce((sum, count) => sum + count, 0);
    return cases === 0 ? undefined : { ...told, classes, cases };
  }

  /** How many requirements some answer was judged by. */
  get seen(): number {
    const ids = new Set([...this.#rows.keys(), ...PassiveJudge.requirements]);
    return [...ids].filter((id) => this.row(id) !== undefined).length;
  }

  #row(id: RequirementId): MutableRow {
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const made = { ...unseen, classes: new Map(), violations: [] };
    this.#rows.set(id, made);
    return made;
  }
}

const unseen: Readonly<MutableRow> = {
  classes: new Map(),
  violated: 0,
  violations: [],
  undecided: 0,
  undecidedBy: undefined,
};
