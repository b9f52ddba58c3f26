import { setTimeout as sleep } from 'node:timers/promises';
import type { RequirementId } from '../spec/ledger.js';
import type { Reason } from '../spec/reasons.js';
import type { Claim } from '../targets/diagnosis/diagnose.js';
import { type Exchange, retryAfterMs } from '../targets/exchange.js';
import type { Redactor } from '../targets/redaction.js';
import type { Difference, WorldState } from '../targets/world-state.js';
import { bodyKept } from './evidence.js';
import { AttemptEnded, type Finding, type Trouble } from './finding.js';
import type { PassiveJudge } from './passive.js';
import type { LimitRefusal, RateLimits, RequestIdentity } from './rate-limits.js';

/** How far an attempt goes, and how fast. */
export interface AttemptLimits {
  /** Ends the attempt after this many exchanges. */
  readonly exchangesAtMost?: number | undefined;
  /** Milliseconds to wait before a request, by its place; asked when it is due. */
  readonly pauseMs?: ((ordinal: number) => number | undefined) | undefined;
  /** Asked once for each finding: whether the attempt ends with it, whatever it still had to do. */
  readonly shouldEndAt?: ((finding: Finding) => boolean) | undefined;
}

/** What else goes on during an attempt: other attempts, and comparisons of its worlds. */
export interface Circumstances {
  /** Whether nothing else is in flight, so that even what looks like trouble or a rate limit is judged. */
  readonly isExclusive?: boolean | undefined;
  /** Where present, the worlds are compared with what they should hold after each request. */
  readonly auditEach?: RequestAudit | undefined;
}

/** How worlds are compared after a request, in milliseconds. */
interface RequestAudit {
  /** How long a difference must last to count. */
  readonly lastsMs: number;
  /** How long to wait before, for what a server does late. */
  readonly delayMs: number;
}

interface RecorderOptions extends AttemptLimits, Circumstances {
  readonly passive: PassiveJudge;
  /** The check's own requirement. */
  readonly subject: RequirementId;
  readonly limits: Pick<RateLimits, 'noteExpected' | 'noteRefusal'>;
  readonly onExchange: (exchange: Exchange) => void;
  /** Waits, before a request, while other attempts go first. */
  readonly giveWay: () => Promise<void>;
  readonly onFinding: (finding: Finding) => void;
}

/** Records what one attempt saw, and lets the passive rules judge it. */
export class Recorder {
  readonly subject: RequirementId;
  readonly limits: RecorderOptions['limits'];
  readonly isExclusive: boolean;
  readonly exchanges: Exchange[] = [];
  readonly findings: Finding[] = [];
  readonly passed = new Set<RequirementId>();
  /** The states of the attempt's worlds, where they are compared after each request. */
  readonly audited: WorldState[] = [];
  inFlight = 0;
  readonly answered: RequestIdentity[] = [];
  refusal: LimitRefusal | undefined;
  /** Why an answer decided nothing: it came from before the routes. */
  unread: Reason | undefined;
  readonly #troubles = new Map<Exchange, Trouble>();
  // Made only where a body is long: an attempt is made for every case.
  #shortened: Map<Exchange, Exchange> | undefined;
  /** Assertions of the check itself. */
  cases = 0;
  #ordinals = 0;

  constructor(private readonly options: RecorderOptions) {
    this.subject = options.subject;
    this.limits = options.limits;
    this.isExclusive = options.isExclusive === true;
  }

  /** Whether the worlds of the attempt can be compared with what they should hold: not while something is in flight. */
  get canAudit(): boolean {
    return this.audited.length > 0 && this.inFlight === 0;
  }

  /** Compares the worlds of the attempt with what they should hold. */
  async differences(signal: AbortSignal): Promise<readonly Difference[]> {
    const { lastsMs = 0, delayMs = 0 } = this.options.auditEach ?? {};
    if (delayMs > 0) await sleep(delayMs, undefined, { signal });
    const found = await Promise.all(this.audited.map((state) => state.differences(lastsMs, signal)));
    return found.flat();
  }

  nextOrdinal(): number {
    this.#ordinals += 1;
    return this.#ordinals;
  }

  noteExpected(identity: RequestIdentity): void {
    this.answered.push(identity);
    this.limits.noteExpected(identity);
  }

  /** Waits, before a request, while other attempts go first, and as long as its place asks for. */
  async waitBefore(ordinal: number, signal: AbortSignal): Promise<void> {
    await this.options.giveWay();
    const pauseMs = this.options.pauseMs?.(ordinal);
    if (pauseMs !== undefined) await sleep(pauseMs, undefined, { signal });
  }

  /**
   * Keeps an exchange and lets the passive rules judge it, unless it is trouble and other requests are in flight.
   * @param claims what of a profile says that the service answers
   */
  judge(exchange: Exchange, trouble?: Trouble, claims: readonly Claim[] = []): void {
    this.keep(exchange);
    if (trouble !== undefined) this.#troubles.set(exchange, trouble);
    const isJudged = trouble === undefined || this.isExclusive;
    for (const finding of isJudged ? this.options.passive.judge(exchange) : []) {
      const conclusive = finding.conclusive && trouble === undefined;
      // What a disturbance can cause must recur at the same place, or noise in a long check would add up.
      const place = conclusive ? '' : ` #${this.exchanges.length}`;
      this.addFinding({ ...finding, conclusive, key: `${finding.key}${place}`, claims });
    }
    if (this.exchanges.length >= (this.options.exchangesAtMost ?? Number.POSITIVE_INFINITY))
      throw new AttemptEnded('as many exchanges as were asked for');
  }

  keep(exchange: Exchange): void {
    const kept = shortenBody(exchange, this.options.passive.redactor);
    if (kept !== exchange) {
      this.#shortened ??= new Map();
      this.#shortened.set(exchange, kept);
    }
    this.exchanges.push(kept);
    this.options.onExchange(kept);
  }

  pass(requirement: RequirementId): void {
    this.passed.add(requirement);
  }

  /** Adds a finding; the attempt goes on. */
  addFinding(finding: Finding): void {
    const { exchange } = finding;
    const trouble = this.#troubles.get(exchange);
    const kept = this.#shortened?.get(exchange) ?? exchange;
    const found: Finding = { ...finding, trouble, exchange: kept };
    this.findings.push(found);
    this.options.onFinding(found);
    if (this.options.shouldEndAt?.(finding) === true) throw new AttemptEnded(finding.message);
  }

  fail(finding: Finding): never {
    this.addFinding(finding);
    throw new AttemptEnded(finding.message);
  }

  /** The longest wait that an answer asked for, in milliseconds. */
  get retryAfterMs(): number {
    return Math.max(0, ...this.exchanges.map(({ answer }) => retryAfterMs(answer)));
  }
}

/** Shortens a body to what evidence needs: whole ones of every attempt in flight would fill the memory. */
function shortenBody(exchange: Exchange, redactor: Redactor): Exchange {
  const { answer } = exchange;
  if (answer === undefined || answer.text.length <= bodyKept) return exchange;
  // Redacted first, or part of a secret across the cut would stay.
  const text = redactor.redactBeginning(answer.text, bodyKept);
  return { ...exchange, answer: { ...answer, text, truncated: true } };
}
