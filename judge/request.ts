import { isObject } from '../spec/json.js';
import { areaOf, type RequirementId } from '../spec/ledger.js';
import { describeNeed, type Need } from '../spec/need.js';
import { makeReason } from '../spec/reasons.js';
import type { AskedWith, Mismatch } from '../spec/report.js';
import type { Fault } from '../spec/vocabulary.js';
import type { Received } from '../targets/client.js';
import { isRefusedCertificate, isUnreachable, isWithoutTls } from '../targets/connection-errors.js';
import type { Claim } from '../targets/diagnosis/diagnose.js';
import {
  type Answer,
  carriesError,
  describeOutcome,
  type Exchange,
  explainUnread,
  isAnswered,
  isTrouble,
  json,
  limitResetMs,
} from '../targets/exchange.js';
import { sendRaw, sendSlowly } from '../targets/raw-requests.js';
import type { Target } from '../targets/target.js';
import type { Outgoing } from '../targets/transports.js';
import { isLegalName, meetsEarlierFault, NotShown, runPrefix, Unavailable } from '../targets/world.js';
import { isAllowanceUsedUp, isMinuteUsedUp, watchForError } from './answer-rules.js';
import { Disturbed, type Finding, isLimitStatus, type PlainLabels, type Trouble } from './finding.js';
import type { RequestIdentity } from './rate-limits.js';
import type { Recorder } from './recorder.js';
import { Answerer, describeForeign, isBrokenJson, isEventStream, type Passing } from './who-answered.js';
import { explainDifference, findViolatedRow, worldStateSubject } from './world-audit.js';

export interface RequestDescription extends Passing {
  readonly reaches: Exchange['reaches'];
  /** The same if nothing in front of the service refuses the request. */
  readonly reachesUnrefused: Exchange['reaches'];
  readonly label: string;
  /** The label without what differs from run to run. */
  readonly plainLabels: PlainLabels;
  readonly asked: AskedWith;
  /** The profile entries that it relies on. */
  readonly claims: readonly Claim[];
  /** What the target must offer for the request to arrive, where it is sent elsewhere than to the target's own address. */
  readonly place: Extract<Need, 'regional' | 'host-name'> | undefined;
  readonly arranged: string;
  readonly faults: readonly Fault[];
  readonly earlierFaults: readonly Fault[];
  /** The number of a request that uses up a limit set by the check. */
  readonly nth: number | undefined;
  /** Whether the world came with the secret that it names. */
  readonly wasThere: boolean;
  readonly outgoing: Outgoing;
}

/**
 * The answer that is due to a request. `any`: the case itself may have asked for a 429 or 503. `burst`: it is one of so many
 * that a rate limit may refuse some; a 408, 429 or 5xx is then not judged at all, not even its envelope.
 */
export type ExpectedAnswer = 'any' | 'burst' | StatusesDue;

interface StatusesDue {
  readonly rule: RequirementId;
  readonly statuses: readonly number[];
  /** Decides in place of the statuses. */
  readonly allows?: (status: number, answer: Answer) => boolean;
}

/** Faults during which a service waits for what it depends on. How long is not stated, nor is its own deadline (§8.3). */
const slowFaults: readonly Fault[] = [
  'route_deadline',
  'vault_timeout',
  'vault_unreachable',
  'vault_bad_response',
  'scope_lookup_failed',
  'guardrail_internal_error',
  'inference_deadline',
  'model_down',
  'provider_bad_response',
  'one_provider_limited',
  'upstream_rate_limited',
  'upstream_rate_limited_hint',
];

/** The statuses between which a limit decides: served, out of credit, out of requests. */
const ofLimits: ReadonlySet<number | undefined> = new Set([200, 402, 429]);

/** What a finding says of an exchange. */
export interface FindingWords {
  readonly expected: string;
  /** What was received; the status where absent. */
  readonly actual?: string | undefined;
  readonly mismatch: Mismatch;
  readonly because?: string | undefined;
  readonly subject?: string | undefined;
  readonly conclusive: boolean;
}

/** One request of a check. Sends it, records the exchange, and distinguishes trouble from answers. */
export class Request {
  readonly #ordinal: number;
  protected readonly answerer: Answerer;

  constructor(
    protected readonly description: RequestDescription,
    private readonly target: Target,
    protected readonly recorder: Recorder,
    private readonly signal: AbortSignal,
  ) {
    this.#ordinal = ++recorder.ordinals;
    this.answerer = new Answerer(description, target);
  }

  /** Sends it and asserts nothing; the passive rules look at the answer all the same. */
  async send(due?: ExpectedAnswer): Promise<Exchange> {
    const { stream, label } = this.description;
    const { client } = this.target;
    const send = async (outgoing: Outgoing) => {
      const received = await client.send(
        stream ? { ...outgoing, until: watchForError } : outgoing,
        this.signal,
      );
      // A server may close an idle connection at any time, and HTTP allows a client to repeat a read then.
      return received.overKept === true && outgoing.method === 'GET'
        ? client.send({ ...outgoing, connection: 'fresh' }, this.signal)
        : received;
    };
    const exchange = await this.#exchange(send, due);
    // The next attempt, over new connections, shows whether the server had only closed an idle one.
    if (exchange.overKept === true)
      throw new Disturbed(`${this.describe(exchange)} over a connection kept from before`);
    // Half a text can be judged only where it is a stream.
    const why = exchange.answer === undefined || stream ? undefined : explainUnread(exchange.answer);
    if (why !== undefined) throw new Disturbed(`${label} got ${describeOutcome(exchange)} with ${why}`);
    return exchange;
  }

  /** Sends the request, whose headers announce a body, with one byte of the body and, where it is given, later the rest. */
  sendSlowly(
    body: { readonly waitMs: number; readonly rest?: string },
    allowed: readonly number[],
  ): Promise<Exchange> {
    const { client } = this.target;
    const send = (outgoing: Outgoing) => {
      const sent = () => sendSlowly({ ...outgoing, ...body }, this.signal, client.agents.tls);
      return client.occupy(sent, this.signal, { load: outgoing });
    };
    this.#assertDirect();
    const due = { rule: this.recorder.subject, statuses: allowed };
    return this.#exchange(send, due, body.rest === undefined);
  }

  /** Sends it over a socket of its own, and keeps every byte that follows the head of the answer. */
  async sendRaw(due?: ExpectedAnswer): Promise<{ readonly exchange: Exchange; readonly afterHead: string }> {
    const { client } = this.target;
    this.#assertDirect();
    let afterHead = '';
    const send = async (outgoing: Outgoing) => {
      const sent = () => sendRaw(outgoing, this.signal, client.agents.tls);
      const { received, rest } = await client.occupy(sent, this.signal, { load: outgoing });
      afterHead = rest;
      return received;
    };
    const exchange = await this.#exchange(send, due);
    return { exchange, afterHead };
  }

  /** A proxy sends and reads for us, so that the bytes themselves cannot be seen through it. */
  #assertDirect(): void {
    if (this.target.client.agents.isProxied(this.description.outgoing.base))
      throw new NotShown(makeReason('lacking', 'a way to the target without a proxy'));
  }

  async #exchange(
    send: (outgoing: Outgoing) => Promise<Received & { readonly turnAt?: number }>,
    due?: ExpectedAnswer,
    isStalled = false,
  ): Promise<Exchange> {
    await this.recorder.waitBefore(this.#ordinal);
    const queuedAt = performance.now();
    let [startedAt, start] = [Date.now(), queuedAt];
    const onLeave = () => {
      [startedAt, start] = [Date.now(), performance.now()];
    };
    const isParallel = this.recorder.inFlight > 0;
    this.recorder.inFlight += 1;
    const { outgoing } = this.description;
    const connection = outgoing.connection ?? (this.recorder.opensConnections ? 'fresh' : 'kept');
    const { turnAt = queuedAt, ...received } = await send({ ...outgoing, connection, onLeave }).finally(
      () => {
        this.recorder.inFlight -= 1;
      },
    );
    this.signal.throwIfAborted();
    const exchange: Exchange = {
      ...this.#describeExchange(received),
      ...(typeof due === 'object' ? { due: due.statuses } : {}),
      ...(isStalled ? { isStalled } : {}),
      ...(isParallel ? { isParallel } : {}),
      startedAt,
      durationMs: performance.now() - start,
    };
    this.#assertJudgeable(exchange, due);
    this.target.noteExchange(exchange);
    const isDeleted =
      exchange.answer?.status === 204 && typeof due === 'object' && !due.statuses.includes(204);
    if (isDeleted && this.description.wasThere)
      throw new NotShown(
        makeReason('lacking', 'a world that comes without a secret of the name that is tried'),
      );
    const trouble = this.#noteAnswer(exchange, due, turnAt);
    await this.#judge(exchange, due, trouble);
    return exchange;
  }

  #describeExchange(received: Received): Omit<Exchange, 'startedAt' | 'durationMs'> {
    const { operation, label, outgoing } = this.description;
    const { method, base, path, headers, body } = outgoing;
    const request = { method, url: `${base}${path}`, headers: Object.entries(headers) };
    const answeredBy = received.answer && this.target.client.proxies.nameIntermediary(received.answer);
    return {
      ...{ operation, label },
      reaches: this.#findReached(received.answer),
      request: { ...request, ...(body === undefined ? {} : { body }) },
      ...received,
      ...(answeredBy === undefined ? {} : { answeredBy }),
    };
  }

  /** Says whether a request reached its operation, also by its answer. */
  #findReached(answer: Answer | undefined): Exchange['reaches'] {
    const { reaches, reachesUnrefused } = this.description;
    if (answer === undefined) return reaches;
    if (this.answerer.isRefusedBefore(answer)) return 'perhaps';
    return isBrokenJson(answer) ? reachesUnrefused : reaches;
  }

  /** Records an exchange, and judges it by the rules for every response. Throws where the service did not answer it. */
  async #judge(
    exchange: Exchange,
    due: ExpectedAnswer | undefined,
    trouble: Trouble | undefined,
  ): Promise<void> {
    const { answer } = exchange;
    if (due === 'burst' && isTrouble(exchange)) return this.recorder.keep(exchange);
    const isDue = answer && typeof due === 'object' ? isAllowed(answer, due) : undefined;
    const foreign = this.answerer.explainForeign(answer, trouble);
    if (foreign !== undefined) {
      this.recorder.keep(exchange);
      if (this.answerer.isIntercepted(exchange)) return;
      const { rule: inPlaceOf } = typeof due === 'object' ? due : {};
      throw new Disturbed(
        `something in front of the service answered in its place (${foreign}). Have it pass the request on, or judge the service without it`,
        isTrouble(exchange) && isDue !== true ? undefined : { inPlaceOf },
      );
    }
    // Another server may answer at a regional address that a profile gives.
    const claims = this.description.claims.filter((claim) => claim === 'regional');
    // With a profile it is not known how many requests the account made before the run.
    const isUsedUp =
      isDue === false &&
      !this.target.controlled &&
      this.description.asked.model === 'free' &&
      isAllowanceUsedUp(exchange);
    this.recorder.judge(exchange, { trouble: isUsedUp ? undefined : trouble, claims, isDue });
    if (isUsedUp)
      throw new Disturbed(`${this.describe(exchange)}: the account has used up its free requests (§8.2)`);
    // While another request is in flight, the worlds cannot be compared with their expected state.
    const { audited, inFlight } = this.recorder;
    if (audited.length > 0 && inFlight === 0) await this.#judgeWorlds(exchange);
  }

  async #judgeWorlds(exchange: Exchange): Promise<void> {
    const [difference] = await this.recorder.differences(this.signal);
    if (difference === undefined) return;
    const words = { ...explainDifference(difference), conclusive: false, subject: worldStateSubject };
    this.recorder.fail(this.finding(findViolatedRow(exchange, difference), exchange, words));
  }

  /** Throws where the server is not to blame: another server answered, or a fault delays the answer beyond --timeout. */
  #assertJudgeable(exchange: Exchange, due: ExpectedAnswer | undefined): void {
    const { answer, lost, errorCode } = exchange;
    const { place, label, outgoing, reaches } = this.description;
    const isElsewhere = outgoing.base !== this.target.baseUrl;
    if (place !== undefined && (isWithoutTls(errorCode) || (isElsewhere && isUnreachable(errorCode))))
      this.#ruleOut(place, `${describeNeed(place)} that can be reached; it got ${lost}`);
    const hasBody = outgoing.method !== 'HEAD';
    if (place === 'regional' && answer !== undefined && hasBody && isOfOtherHost(answer, due)) {
      const why = `${describeNeed(place)} that leads to the service; it got ${describeForeign(answer)}`;
      if (reaches === 'operation') this.#ruleOut(place, why);
      // Where it has no route, the service itself may answer with a page.
      throw new NotShown(makeReason('lacking', why));
    }
    if (isRefusedCertificate(errorCode)) throw new Disturbed(`${label} got ${lost}`);
    const fault = this.description.faults.find((one) => slowFaults.includes(one));
    if (answer !== undefined || errorCode !== undefined || fault === undefined || typeof due !== 'object')
      return;
    // What a delete without an answer has done is not known from here on.
    this.target.noteExchange(exchange);
    this.recorder.keep(exchange);
    throw new NotShown(
      makeReason('lacking', `a --timeout beyond the deadline of the service: ${lost} during ${fault}`),
    );
  }

  #ruleOut(place: Extract<Need, 'regional' | 'host-name'>, why: string): never {
    this.target.refused.ruleOut(place, why);
    throw new Unavailable(place, why);
  }

  /** Adapts the pace to an answer. Returns the trouble that it shows, to be confirmed with nothing else in flight. */
  #noteAnswer(exchange: Exchange, due: ExpectedAnswer | undefined, sentAt: number): Trouble | undefined {
    const { client } = this.target;
    const { outgoing, operation } = this.description;
    const { rateLimits } = this.recorder;
    const { answer } = exchange;
    const isOpen = due === 'any' || due === 'burst';
    const isExpected = answer !== undefined && (isOpen || (due !== undefined && isAllowed(answer, due)));
    // A refusal that the case asked for is no sign of a rate limit, even if its headers are wrong.
    const isAsked = typeof due === 'object' && due.statuses.some((status) => status === answer?.status);
    const isLimit = answer !== undefined && isLimitStatus(answer.status);
    const identity = this.#identify(due);
    // A firewall refuses some paths every time; a ban refuses what was answered before.
    const isBan =
      answer?.status === 403 &&
      !isAsked &&
      exchange.answeredBy !== undefined &&
      /^[\w/-]*$/.test(outgoing.path) &&
      rateLimits.hasAnsweredExactly(identity);
    if (answer !== undefined && (isExpected || isAsked || !(isLimit || isBan)))
      client.pacing.noteServed(outgoing, sentAt);
    if (isOpen) return undefined;
    if (isExpected) {
      this.recorder.answered.push(identity);
      rateLimits.noteExpected(identity);
      return undefined;
    }
    if (due !== undefined) rateLimits.noteUnexpected(identity, answer?.status);
    if (!isLimit && !isBan && (due === undefined || !isTrouble(exchange))) return undefined;
    // Each world has accounts of its own: another world is served at once, so that there is no need to slow down.
    const isOfAccount = this.target.controlled && isMinuteUsedUp(exchange);
    if ((isLimit || isBan) && !isAsked && this.description.nth === undefined && !isOfAccount) {
      const resetMs = limitResetMs(answer);
      if (rateLimits.noteRefusal(identity, resetMs)) {
        // A single refusal by the service may be noise; one by something in front of it rarely is.
        const slowsAtOnce = client.isSparing && !carriesError(answer);
        client.pacing.noteRefused(outgoing, { sentAt, status: answer.status, slowsAtOnce });
      }
      this.recorder.refusal = { operation, got: this.describe(exchange), resetMs };
    }
    // A ban does not mean that the service is in trouble. `#judge` finds out who sent the page.
    if (isBan) return undefined;
    const isParallel = exchange.isParallel === true || this.recorder.inFlight > 0;
    return { identity, ordinal: this.#ordinal, isParallel };
  }

  #identify(due: ExpectedAnswer | undefined): RequestIdentity {
    const { rule, statuses = [] }: Partial<StatusesDue> = typeof due === 'object' ? due : {};
    const { operation, label, plainLabels, nth = '' } = this.description;
    const arranged = `${this.description.arranged} ${nth}`;
    const isName = rule !== undefined && areaOf(rule) === 'secret-name';
    return {
      operation,
      rule,
      due: statuses,
      request: `${isName ? label : plainLabels.plain} ${arranged}`,
      exactRequest: `${label} ${arranged}`,
    };
  }

  finding(requirement: RequirementId, exchange: Exchange, words: FindingWords): Finding {
    const { expected, conclusive, mismatch, subject = requirement } = words;
    const actual = words.actual ?? describeOutcome(exchange);
    const { operation, label, plainLabels, asked, arranged, claims } = this.description;
    const { plain, bare } = plainLabels;
    const because = words.because ?? (arranged === '' ? undefined : `arranged: ${arranged}`);
    const why = because === undefined ? {} : { because };
    const basis = this.#findBasis(exchange, words);
    const ordinal = this.#ordinal;
    return {
      subject,
      key: `${requirement} #${ordinal}`,
      requirement,
      conclusive,
      ...(basis === undefined ? {} : { arrangement: { basis, operation, ordinal } }),
      ...(claims.length === 0 ? {} : { claims }),
      message: `${label}: expected ${expected}, got ${actual}${because === undefined ? '' : ` (${because})`}`,
      expected,
      actual,
      mismatch: mismatch.wrong === 'status' ? { ...mismatch, ...why, asked } : mismatch,
      counterexample: { request: label, method: exchange.request.method, url: exchange.request.url },
      exchange,
      // Only the requirements of §2.3 are about the name; for any other, it is an accident which name was sent.
      request: { plain: areaOf(requirement) === 'secret-name' ? label : plain, bare },
      ...(words.actual === undefined ? {} : { aspect: words.actual }),
    };
  }

  /** Finds the arrangement that explains a wrong answer if the target applies it late; undefined where none does. */
  #findBasis(exchange: Exchange, { conclusive, mismatch }: FindingWords) {
    // What another key has was never set for this one, early or late.
    if (mismatch.wrong === 'value' && mismatch.of !== undefined) return undefined;
    return conclusive ? this.#findArranged(exchange) : this.#findLate(exchange, mismatch);
  }

  /** Finds the arrangement without which a success would be right; undefined if the request itself has to be refused. */
  #findArranged(exchange: Exchange): 'fault' | 'limit' | 'role' | 'delete' | 'name' | undefined {
    const { arranged, asked, faults } = this.description;
    const place = normalizeUrl(exchange);
    if (arranged !== '') return faults.length > 0 ? 'fault' : 'limit';
    if (asked.key !== 'none' && asked.key !== 'member') return 'role';
    const isDeletedAgain = this.recorder.exchanges.some(
      (earlier) => earlier !== exchange && earlier.answer?.status === 204 && normalizeUrl(earlier) === place,
    );
    if (isDeletedAgain) return 'delete';
    return this.#mayBeStoredByOthers(place) ? 'name' : undefined;
  }

  /** Finds the setting that may apply late, and so may alone explain a wrong answer; undefined where none may. */
  #findLate(exchange: Exchange, mismatch: Mismatch): 'value' | 'fault' | 'limit' | undefined {
    if (mismatch.wrong === 'value') return 'value';
    if (mismatch.wrong !== 'status') return undefined;
    const { arranged, faults, earlierFaults } = this.description;
    const status = mismatch.event ?? exchange.answer?.status;
    if (meetsEarlierFault(this.description, status)) return 'fault';
    if (arranged === '') return earlierFaults.length > 0 && isTrouble(exchange) ? 'fault' : undefined;
    return faults.length === 0 && ofLimits.has(status) ? 'limit' : undefined;
  }

  /** Whether another user of a deployment may have stored a secret at a place; names with the run's prefix are its own. */
  #mayBeStoredByOthers(place = ''): boolean {
    const [, name = ''] = /\/secrets\/([^/]*)$/.exec(place) ?? [];
    return !this.target.controlled && isLegalName(name) && !name.startsWith(runPrefix);
  }

  describe(exchange: Exchange): string {
    const isForeign = isAnswered(exchange) && !this.answerer.isTheService(exchange.answer);
    const due = isForeign && isObject(json(exchange.answer)) ? 'Key information' : 'a JSON object';
    const foreign = isForeign ? ` with a body that is not ${due}` : '';
    return `${this.description.label} got ${describeOutcome(exchange)}${foreign}`;
  }
}

/** Returns the URL in lower case and without its query: requests for the same place get the same. */
function normalizeUrl({ request }: Exchange): string | undefined {
  return request.url.toLowerCase().split('?')[0];
}

function isAllowed(answer: Answer, { statuses, allows }: StatusesDue): boolean {
  return allows === undefined ? statuses.includes(answer.status) : allows(answer.status, answer);
}

/** Whether another host seems to have answered: the body is not JSON, and the status is not one that is due. */
function isOfOtherHost(answer: Answer, due: ExpectedAnswer | undefined): boolean {
  const { status } = answer;
  const isDue = typeof due === 'object' ? isAllowed(answer, due) : status === 403;
  if (isDue || isTrouble({ answer }) || status === 204) return false;
  return json(answer) === undefined && !isEventStream(answer);
}
