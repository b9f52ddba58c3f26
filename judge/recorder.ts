import type { RequirementId } from '../spec/ledger.js';
import type { Exchange } from '../targets/exchange.js';
import type { Redactor } from '../targets/redaction.js';
import { retryAfterMs } from '../targets/retry-after.js';
import { bodyKept } from './evidence.js';
import { type Finding, Stopped } from './finding.js';
import type { PassiveJudge } from './passive.js';

/** What a recorder does besides keeping. */
export interface RecorderOptions {
  /** After how many exchanges the attempt ends, whatever it still had to do. */
  readonly exchangesAtMost?: number;
  readonly onExchange?: (exchange: Exchange) => void;
}

/** Keeps what one attempt of a check saw. */
export class Recorder {
  readonly exchanges: Exchange[] = [];
  readonly findings: Finding[] = [];
  readonly held = new Set<RequirementId>();
  readonly #passive: PassiveJudge;
  // Made only where a body is long: an attempt is made for every case.
  #shortened: Map<Exchange, Exchange> | undefined;
  /** Judgements asked for by the check itself. */
  cases = 0;
  #ordinals = 0;

  /**
   * @param subject the requirement that the check is there for
   */
  constructor(
    passive: PassiveJudge,
    readonly subject: RequirementId,
    private readonly options: RecorderOptions = {},
  ) {
    this.#passive = passive;
  }

  /** The place of a request among those of the attempt, in the order in which the check made them. */
  nextOrdinal(): number {
    this.#ordinals += 1;
    return this.#ordinals;
  }

  /** Takes an exchange in and lets the passive rules look at it. */
  exchange(exchange: Exchange): void {
    this.unjudged(exchange);
    for (const finding of this.#passive.judge(exchange)) {
      // What a disturbance can make must come at the same place each time, or noise in a long check would add up.
      const place = finding.atOnce ? '' : ` #${this.exchanges.length}`;
      this.found({ ...finding, key: `${finding.key}${place}` });
    }
    if (this.exchanges.length >= (this.options.exchangesAtMost ?? Number.POSITIVE_INFINITY))
      throw new Stopped('as many exchanges as were asked for');
  }

  /** Keeps an exchange of which nothing is to be judged. */
  unjudged(exchange: Exchange): void {
    const kept = withShortText(exchange, this.#passive.redactor);
    if (kept !== exchange) {
      this.#shortened ??= new Map();
      this.#shortened.set(exchange, kept);
    }
    this.exchanges.push(kept);
    this.options.onExchange?.(kept);
  }

  /** A requirement was exercised and held. */
  holds(requirement: RequirementId): void {
    this.held.add(requirement);
  }

  /** A requirement was violated, and the attempt can go on. */
  found(finding: Finding): void {
    const { exchange } = finding;
    this.findings.push({ ...finding, exchange: this.#shortened?.get(exchange) ?? exchange });
  }

  /** A requirement was violated; the attempt ends here. */
  violated(finding: Finding): never {
    this.found(finding);
    throw new Stopped(finding.message);
  }

  /** The longest wait that an answer of this attempt asked for, in milliseconds. */
  get retryAfterMs(): number {
    return Math.max(0, ...this.exchanges.map(({ answer }) => retryAfterMs(answer)));
  }
}

/** Evidence needs the beginning of a body; fifty whole ones for each attempt at work would fill the memory. */
function withShortText(exchange: Exchange, redactor: Redactor): Exchange {
  const { answer } = exchange;
  if (answer === undefined || answer.text.length <= bodyKept) return exchange;
  // Redacted first: of a secret that stands across the cut, a part would stay.
  const text = redactor.redactBeginning(answer.text, bodyKept);
  return { ...exchange, answer: { ...answer, text, truncated: true } };
}
