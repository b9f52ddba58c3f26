import { setTimeout as sleep } from 'node:timers/promises';
import { areaOf, type RequirementId } from '../spec/ledger.js';
import type { Reason } from '../spec/reasons.js';
import type { Claim } from '../targets/diagnosis/diagnose.js';
import { type Exchange, isAnswered, isTrouble, retryAfterMs } from '../targets/exchange.js';
import type { Redactor } from '../targets/redaction.js';
import type { Difference, WorldState } from '../targets/world-state.js';
import { hasErrorObject } from './answer-rules.js';
import { bodyKept } from './evidence.js';
import { AttemptEnded, type Finding, type Trouble } from './finding.js';
import type { PassiveJudge } from './passive.js';
import type { LimitRefusal, RateLimits, RequestIdentity } from './rate-limits.js';

/** Limits of an attempt. */
export interface AttemptLimits {
  /** Ends the attempt after this many exchanges. */
  readonly maxExchanges?: number | undefined;
  /** Called with the number of each request, which is sent once it resolves, and with `lastSetAt` of its worlds. */
  readonly before?: ((ordinal: number, lastSetAt: number) => Promise<unknown>) | undefined;
  /** Called once for each finding; returns whether the attempt ends with it, even if it has more to do. */
  readonly shouldEndAt?: ((finding: Finding) => boolean) | undefined;
}

/** The circumstances of an attempt: other attempts, and audits of its worlds. */
export interface AttemptConditions {
  /** Whether nothing else is in flight, so that trouble and rate limits are judged too. */
  readonly isExclusive?: boolean | undefined;
  /** Whether each request opens a connection: the loss of a kept one may only mean that the server closed it while idle. */
  readonly opensConnections?: boolean | undefined;
  /** If present, the worlds are compared with their expected state after each request. */
  readonly auditEach?: RequestAudit | undefined;
}

/** How worlds are compared with their expected state after a request, in milliseconds. */
interface RequestAudit {
  readonly lastsMs: number;
  /** How long to wait before, in case the server does something late. */
  readonly delayMs: number;
}

interface RecorderOptions extends AttemptLimits, AttemptConditions {
  readonly passive: PassiveJudge;
  readonly subject: RequirementId;
  readonly rateLimits: Pick<
    RateLimits,
    'noteExpected' | 'noteRefusal' | 'noteUnexpected' | 'hasAnsweredExactly'
  >;
  readonly onExchange: (exchange: Exchange) => void;
  readonly giveWay: () => Promise<void>;
  /** When any world of the attempt was last set, by `performance.now()`. */
  readonly lastSetAt: () => number;
  readonly onFinding: (finding: Finding) => void;
}

/** What is known of an answer in addition to its exchange. */
interface AnswerFacts {
  readonly trouble: Trouble | undefined;
  /** The claims of a profile that it rests on. */
  readonly claims: readonly Claim[];
  /** Whether its status is one that is due; undefined where none is expected. */
  readonly isDue: boolean | undefined;
}

/** Records the exchanges and findings of an attempt, and applies the passive rules. */
export class Recorder {
  readonly subject: RequirementId;
  readonly rateLimits: RecorderOptions['rateLimits'];
  readonly isExclusive: boolean;
  readonly opensConnections: boolean;
  readonly exchanges: Exchange[] = [];
  readonly findings: Finding[] = [];
  readonly passed = new Set<RequirementId>();
  /** The states of the attempt's worlds, if they are compared after each request. */
  readonly audited: WorldState[] = [];
  inFlight = 0;
  readonly answered: RequestIdentity[] = [];
  refusal: LimitRefusal | undefined;
  /** Why an answer decided nothing: something in front of the service gave it. */
  intercepted: Reason | undefined;
  readonly #troubles = new Map<Exchange, Trouble>();
  readonly #shortened = new Map<Exchange, Exchange>();
  /** The number of assertions of the check itself. */
  cases = 0;
  /** The number of requests made so far. */
  ordinals = 0;

  constructor(private readonly options: RecorderOptions) {
    this.subject = options.subject;
    this.rateLimits = options.rateLimits;
    this.isExclusive = options.isExclusive === true;
    this.opensConnections = options.opensConnections === true;
  }

  async differences(signal: AbortSignal): Promise<readonly Difference[]> {
    const { lastsMs = 0, delayMs = 0 } = this.options.auditEach ?? {};
    if (delayMs > 0) await sleep(delayMs, undefined, { signal });
    const found = await Promise.all(this.audited.map((state) => state.differences(lastsMs, signal)));
    return found.flat();
  }

  /** Waits before a request: while other attempts have precedence, then for the attempt's own hook. */
  async waitBefore(ordinal: number): Promise<void> {
    await this.options.giveWay();
    await this.options.before?.(ordinal, this.options.lastSetAt());
  }

  /** Keeps an exchange and applies the passive rules to it, unless it is trouble and other requests are in flight. */
  judge(exchange: Exchange, { trouble, claims, isDue }: AnswerFacts): void {
    this.keep(exchange);
    if (trouble !== undefined) this.#troubles.set(exchange, trouble);
    const isJudged = trouble === undefined || this.isExclusive;
    // Those of a gateway in front of the service lack the error object of the envelope.
    const isOfAnother = isAnswered(exchange) && exchange.answer.status >= 400 && !hasErrorObject(exchange);
    const mayBeGateways = isOfAnother && (isTrouble(exchange) || isDue === false);
    for (const finding of isJudged ? this.options.passive.judge(exchange) : []) {
      // No gateway knows a stored value or a key.
      const isOfService = !mayBeGateways || areaOf(finding.requirement) === 'secrecy';
      const conclusive = finding.conclusive && trouble === undefined && isOfService;
      // If a disturbance can cause it, it must recur at the same place, or noise in a long check would add up.
      const place = conclusive ? '' : ` #${this.exchanges.length}`;
      this.addFinding({ ...finding, conclusive, key: `${finding.key}${place}`, claims });
    }
    if (this.exchanges.length >= (this.options.maxExchanges ?? Number.POSITIVE_INFINITY))
      throw new AttemptEnded('maxExchanges is reached');
  }

  keep(exchange: Exchange): void {
    const kept = shortenBody(exchange, this.options.passive.redactor);
    if (kept !== exchange) this.#shortened.set(exchange, kept);
    this.exchanges.push(kept);
    this.options.onExchange(kept);
  }

  pass(requirement: RequirementId): void {
    this.passed.add(requirement);
  }

  addFinding(finding: Finding): void {
    const { exchange } = finding;
    const trouble = this.#troubles.get(exchange);
    const kept = this.#shortened.get(exchange) ?? exchange;
    const found: Finding = { ...finding, trouble, exchange: kept };
    this.findings.push(found);
    this.options.onFinding(found);
    if (this.options.shouldEndAt?.(finding) === true) throw new AttemptEnded(finding.message);
  }

  fail(finding: Finding): never {
    this.addFinding(finding);
    throw new AttemptEnded(finding.message);
  }

  get retryAfterMs(): number {
    return Math.max(0, ...this.exchanges.filter(isTrouble).map(({ answer }) => retryAfterMs(answer)));
  }
}

/** Shortens a body to what evidence needs: complete ones of every attempt in flight would fill the memory. */
function shortenBody(exchange: Exchange, redactor: Redactor): Exchange {
  const { answer } = exchange;
  if (answer === undefined || answer.text.length <= bodyKept) return exchange;
  // Redacted first, since part of a secret across the cut would stay.
  const text = redactor.redactBeginning(answer.text, bodyKept);
  return { ...exchange, answer: { ...answer, text, truncated: true } };
}
