import { setTimeout as sleep } from 'node:timers/promises';
import type { KeptExchange } from '../spec/journal.js';
import type { RequirementId } from '../spec/ledger.js';
import { type Exchange, retryAfterMs } from '../targets/exchange.js';
import type { Redactor } from '../targets/redaction.js';
import type { Difference, WorldState } from '../targets/world-state.js';
import { bodyKept, reportExchange } from './evidence.js';
import { AttemptEnded, type Finding, type Trouble } from './finding.js';
import type { PassiveJudge } from './passive.js';
import { type LimitRefusal, RateLimits, type RequestIdentity } from './rate-limits.js';

/** What a recorder does besides keeping. */
export interface RecorderOptions {
  /** After how many exchanges the attempt ends, whatever it still had to do. */
  readonly exchangesAtMost?: number;
  readonly onExchange?: (exchange: Exchange) => void;
  /** What the run knows of rate limits; of none where absent. */
  readonly limits?: Pick<RateLimits, 'answer' | 'refuse' | 'isAtWork'>;
  /** Nothing else of the run is in flight: what looks like trouble is judged like any other answer. */
  readonly isExclusive?: boolean | undefined;
  /** Milliseconds to wait before each request, by its place. */
  readonly pauses?: ReadonlyMap<number, number> | undefined;
  /** How long the state of a world must differ, where it is looked at. */
  readonly auditsEachMs?: number | undefined;
  /** How long after a request that look begins. */
  readonly auditsAfterMs?: number | undefined;
}

/** Keeps what one attempt of a check saw. */
export class Recorder {
  readonly exchanges: Exchange[] = [];
  readonly findings: Finding[] = [];
  readonly passed = new Set<RequirementId>();
  /** What the worlds of the attempt should hold, where that is looked at after each request. */
  readonly audited: WorldState[] = [];
  /** Requests of the attempt that are in flight. */
  inFlight = 0;
  readonly limits: Pick<RateLimits, 'answer' | 'refuse' | 'isAtWork'>;
  /** The requests that got the answer that was due to them. */
  readonly answered: RequestIdentity[] = [];
  /** The last request that was refused with 429 or 503 where another answer was due. */
  refusal: LimitRefusal | undefined;
  readonly #troubles = new Map<Exchange, Trouble>();
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
    this.limits = options.limits ?? new RateLimits();
  }

  /** What the worlds of the attempt hold otherwise than they should; nothing while something is in flight. */
  async differences(signal: AbortSignal): Promise<readonly Difference[]> {
    if (this.inFlight > 0) return [];
    const { auditsAfterMs = 0 } = this.options;
    if (auditsAfterMs > 0 && this.audited.length > 0) await sleep(auditsAfterMs, undefined, { signal });
    const found = await Promise.all(
      this.audited.map((state) => state.differences(this.options.auditsEachMs ?? 0, signal)),
    );
    return found.flat();
  }

  /** The place of a request among those of the attempt, in the order in which the check made them. */
  nextOrdinal(): number {
    this.#ordinals += 1;
    return this.#ordinals;
  }

  /** A request got the answer that was due. */
  noteExpectedAnswer(kind: RequestIdentity): void {
    this.answered.push(kind);
    this.limits.answer(kind);
  }

  /** Whether nothing else of the run is in flight. */
  get isExclusive(): boolean {
    return this.options.isExclusive === true;
  }

  /** Waits before a request, by its place, where it is to be waited. */
  async pause(ordinal: number, signal: AbortSignal): Promise<void> {
    const ms = this.options.pauses?.get(ordinal);
    if (ms !== undefined) await sleep(ms, undefined, { signal });
  }

  /**
   * Takes an exchange in and lets the passive rules look at it, but not at trouble: that counts for nothing until it is
   * confirmed while nothing else is in flight.
   */
  judge(exchange: Exchange, trouble?: Trouble): void {
    this.keep(exchange);
    if (trouble !== undefined) this.#troubles.set(exchange, trouble);
    const isJudged = trouble === undefined || this.isExclusive;
    for (const finding of isJudged ? this.#passive.judge(exchange) : []) {
      const conclusive = finding.conclusive && trouble === undefined;
      // What a disturbance can make must come at the same place each time, or noise in a long check would add up.
      const place = conclusive ? '' : ` #${this.exchanges.length}`;
      this.addFinding({ ...finding, conclusive, key: `${finding.key}${place}` });
    }
    if (this.exchanges.length >= (this.options.exchangesAtMost ?? Number.POSITIVE_INFINITY))
      throw new AttemptEnded('as many exchanges as were asked for');
  }

  /** Keeps an exchange of which nothing is to be judged. */
  keep(exchange: Exchange): void {
    const kept = shortenBody(exchange, this.#passive.redactor);
    if (kept !== exchange) {
      this.#shortened ??= new Map();
      this.#shortened.set(exchange, kept);
    }
    this.exchanges.push(kept);
    this.options.onExchange?.(kept);
  }

  /** A requirement was exercised and held. */
  pass(requirement: RequirementId): void {
    this.passed.add(requirement);
  }

  /** A requirement was violated, and the attempt can go on. */
  addFinding(finding: Finding): void {
    const { exchange } = finding;
    const trouble = this.#troubles.get(exchange);
    this.findings.push({
      ...finding,
      ...(trouble === undefined ? {} : { trouble }),
      exchange: this.#shortened?.get(exchange) ?? exchange,
    });
  }

  /** A requirement was violated; the attempt ends here. */
  fail(finding: Finding): never {
    this.addFinding(finding);
    throw new AttemptEnded(finding.message);
  }

  /** The longest wait that an answer of this attempt asked for, in milliseconds. */
  get retryAfterMs(): number {
    return Math.max(0, ...this.exchanges.map(({ answer }) => retryAfterMs(answer)));
  }
}

/** Evidence needs the beginning of a body; fifty whole ones for each attempt at work would fill the memory. */
function shortenBody(exchange: Exchange, redactor: Redactor): Exchange {
  const { answer } = exchange;
  if (answer === undefined || answer.text.length <= bodyKept) return exchange;
  // Redacted first: of a secret that stands across the cut, a part would stay.
  const text = redactor.redactBeginning(answer.text, bodyKept);
  return { ...exchange, answer: { ...answer, text, truncated: true } };
}

/** How much of a run's traffic is kept: everything up to here, then failures and a sample. */
export const keptWhole = { exchanges: 2_000, characters: 4_000_000 } as const;

const failuresAtMost = 1_000;
// The sample grows with the logarithm of what is sent: after each hundred, half as many are taken.
const sampleStep = 20;
const samplesOfAStep = 100;

/** Chooses which exchanges of a run are kept, and writes them down with every secret replaced. */
export class TrafficLog {
  readonly #redactor: Redactor;
  readonly #write: (exchange: string) => void;
  readonly #kept = new WeakSet<Exchange>();
  #exchanges = 0;
  #characters = 0;
  #failures = 0;
  #dropped = 0;
  #step = sampleStep;
  #samples = 0;

  /** @param write takes one KeptExchange as JSON */
  constructor(redactor: Redactor, write: (exchange: string) => void) {
    this.#redactor = redactor;
    this.#write = write;
  }

  /** An exchange came to its end; it is kept if there is room, or if it falls to the sample. */
  add(exchange: Exchange, subject: RequirementId): void {
    if (this.#hasRoom || this.#isSampled()) this.#keep(exchange, subject);
  }

  /** The last exchanges of an attempt that did not hold. */
  addFailed(exchanges: readonly Exchange[], subject: RequirementId): void {
    for (const exchange of exchanges) {
      if (this.#failures >= failuresAtMost || this.#kept.has(exchange)) continue;
      this.#failures += 1;
      this.#keep(exchange, subject);
    }
  }

  get #hasRoom(): boolean {
    return this.#exchanges < keptWhole.exchanges && this.#characters < keptWhole.characters;
  }

  #isSampled(): boolean {
    this.#dropped += 1;
    if (this.#dropped % this.#step !== 0) return false;
    this.#samples += 1;
    if (this.#samples % samplesOfAStep === 0) this.#step *= 2;
    return true;
  }

  #keep(exchange: Exchange, subject: RequirementId): void {
    this.#kept.add(exchange);
    const kept: KeptExchange = {
      ...reportExchange(exchange, this.#redactor),
      check: subject,
      label: this.#redactor.redact(exchange.label),
    };
    const line = JSON.stringify(kept);
    this.#exchanges += 1;
    this.#characters += line.length;
    this.#write(line);
  }
}
