import type { RequirementId } from '../spec/ledger.js';
import { getOrInsert } from '../spec/maps.js';
import type { Operation } from '../spec/vocabulary.js';
import { type Answered, type Exchange, isAnswered } from '../targets/exchange.js';
import { Canaries, noKeys, type SoughtKeys, type SoughtValues } from '../targets/leak-detection.js';
import type { Redactor } from '../targets/redaction.js';
import type { PassiveRule } from './field-rules.js';
import type { Finding } from './finding.js';
import { makePassiveRules } from './passive-rules.js';
import { UnspecifiedBehaviour } from './unspecified-behaviour.js';

/** What the rules for every response search for, and the redactor for what they find. */
interface PassiveJudgeOptions {
  readonly canaries: SoughtValues;
  readonly redactor: Redactor;
  readonly keys?: SoughtKeys;
}

const rulesOfAnyRun = makePassiveRules(new Canaries(), noKeys);

/** A status of each kind that rules distinguish. */
const statusesOfAnswers = [200, 204, 400] as const;

// More than a finding shows of a value, which is cut again between characters.
const gotKept = 400;

/** Judges every response of a run, whichever check sent the request. */
export class PassiveJudge {
  /** Behaviour that the document does not specify. */
  readonly silences: UnspecifiedBehaviour;
  readonly #rules: readonly PassiveRule[];
  readonly #byKind = new Map<string, readonly PassiveRule[]>();
  readonly #confirmed = new Set<string>();
  readonly #tallies: ReadonlyMap<RequirementId, Map<string, number>>;

  readonly redactor: Redactor;

  constructor({ canaries, redactor, keys = noKeys }: PassiveJudgeOptions) {
    this.redactor = redactor;
    this.silences = new UnspecifiedBehaviour(redactor);
    this.#rules = makePassiveRules(canaries, keys);
    this.#tallies = new Map(this.#rules.map((rule) => [rule.requirement, new Map<string, number>()]));
  }

  static readonly requirements: readonly RequirementId[] = rulesOfAnyRun.map((rule) => rule.requirement);

  /** Whether the rule of a requirement can apply to responses of an operation. */
  static concerns(requirement: RequirementId, operation: Operation): boolean {
    const kinds = statusesOfAnswers.map((status) => ({ operation, reaches: 'operation', status }) as const);
    return rulesOfAnyRun.some(
      (rule) => rule.requirement === requirement && kinds.some((kind) => rule.concerns(kind)),
    );
  }

  /** Counts the applications of a rule by operation and status: `vault-delete.404` → 12. */
  tally(requirement: RequirementId): ReadonlyMap<string, number> {
    return this.#tallies.get(requirement) ?? new Map();
  }

  confirm(key: string): void {
    this.#confirmed.add(key);
  }

  judge(exchange: Exchange): readonly Finding[] {
    this.silences.observe(exchange);
    if (!isAnswered(exchange)) return [];
    const place = `${exchange.operation}.${exchange.answer.status}`;
    const findings: Finding[] = [];
    for (const rule of this.#concerned(exchange))
      if (rule.applies?.(exchange) !== false) findings.push(...this.#apply(rule, exchange, place));
    return findings;
  }

  /** Returns the rules for a kind of response. Cached, since there are few kinds and many responses. */
  #concerned({ operation, reaches, answer: { status } }: Answered): readonly PassiveRule[] {
    return getOrInsert(this.#byKind, `${operation}.${reaches}.${status}`, () =>
      this.#rules.filter((rule) => rule.concerns({ operation, reaches, status })),
    );
  }

  #apply(rule: PassiveRule, exchange: Answered, place: string): readonly Finding[] {
    const tally = this.#tallies.get(rule.requirement);
    tally?.set(place, (tally.get(place) ?? 0) + 1);
    const breach = rule.breach(exchange);
    if (breach === undefined) return [];
    const { operation, label, answer } = exchange;
    return [breach]
      .flat()
      .map((breach): Finding => {
        const key = `${rule.requirement}${breach.about === undefined ? '' : ` ${breach.about}`} @ ${place}`;
        const { got } = breach;
        return {
          subject: key,
          key,
          requirement: rule.requirement,
          conclusive: breach.conclusive,
          message: `${operation} ${answer.status} (${label}): ${breach.message}`,
          expected: breach.expected ?? rule.expected,
          actual: breach.message,
          mismatch: breach.mismatch ?? { wrong: rule.wrong ?? 'rule' },
          ...(got === undefined ? {} : { got: this.redactor.redactBeginning(JSON.stringify(got), gotKept) }),
          counterexample: { operation, status: answer.status, request: label },
          exchange,
          aspect: breach.aspect ?? breach.message,
        };
      })
      .filter(({ key }) => !this.#confirmed.has(key));
  }
}
