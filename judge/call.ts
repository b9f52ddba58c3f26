import { areaOf, type RequirementId } from '../spec/ledger.js';
import { type Need, unlocks } from '../spec/need.js';
import { makeReason } from '../spec/reasons.js';
import type { Operation } from '../spec/vocabulary.js';
import type { Outgoing, Received } from '../targets/client.js';
import { isRefusedCertificate, isUnreachable, isWithoutTls } from '../targets/connection-errors.js';
import {
  type Answer,
  type Answered,
  asText,
  type Exchange,
  explainUnread,
  isAnswered,
  isObject,
  json,
  limitResetMs,
} from '../targets/exchange.js';
import { sendRaw, sendStalled } from '../targets/raw-requests.js';
import type { Target } from '../targets/target.js';
import { NotShown } from '../targets/world.js';
import { findErrorChunk, readChunkCode, readErrorCode, watchForError } from './answer-rules.js';
import { Disturbed, type Evidence, type Finding, type PlainLabels, type Trouble } from './finding.js';
import type { RequestKind } from './rate-limits.js';
import type { Recorder } from './recorder.js';
import { explainDifference, findViolatedRow, worldStateSubject } from './world-audit.js';

/** A request that is ready to be sent. */
export interface CallDescription {
  readonly operation: Operation;
  readonly reaches: Exchange['reaches'];
  readonly label: string;
  /** The label without what differs from run to run. */
  readonly plainLabels: () => PlainLabels;
  readonly stream: boolean;
  /** What the target must offer for the request to arrive where it is sent, where that is not its own address. */
  readonly place?: Extract<Need, 'regional' | 'host-name'>;
  /** What was set in the world, as the world says it. */
  readonly arranged: string;
  readonly outgoing: Outgoing;
}

/** What a rule allows a request to be answered. */
export interface AllowedAnswers {
  /** The statuses, each with the requirement that allows it. */
  readonly allowed: ReadonlyMap<number, { readonly requirement: RequirementId; readonly isOpen?: true }>;
  /** The requirement that is violated where the answer is none of them, and why. */
  readonly due: { readonly requirement: RequirementId; readonly because: string };
  readonly maySucceed: boolean;
  /** What a violation is about, where the due requirement alone does not say it: shrinking may find another to blame. */
  readonly subject?: string;
  /** What follows does not rest on this answer: after a wrong one the attempt goes on. */
  readonly continueOnFailure?: true;
}

/** What an assertion says beyond the statuses. */
export interface Assertion {
  /** The requirement that the assertion decides; the check's own where absent. */
  readonly requirement?: RequirementId;
  /** Why another status would be wrong, in words. */
  readonly because?: string;
  /** Time can undo what was arranged (a minute that passes), so that even a 2xx in place of a refusal is repeated. */
  readonly timed?: boolean;
  /** What follows does not rest on this answer: after a wrong one the attempt goes on. */
  readonly continueOnFailure?: true;
}

/** The answer that is due to a request; `any` where a 429 or 503 may have been asked for too. */
export type ExpectedAnswer =
  | 'any'
  | {
      readonly rule: RequirementId;
      readonly expected: string;
      readonly allows: (status: number) => boolean;
    };

/** One request of a check, and what is asserted of its answer. */
export class Call {
  readonly #description: CallDescription;
  readonly #target: Target;
  readonly #recorder: Recorder;
  readonly #signal: AbortSignal;
  readonly #ordinal: number;

  constructor(description: CallDescription, target: Target, recorder: Recorder, signal: AbortSignal) {
    this.#description = description;
    this.#target = target;
    this.#recorder = recorder;
    this.#signal = signal;
    this.#ordinal = recorder.nextOrdinal();
  }

  /** Sends it and asserts nothing; the passive rules look at the answer all the same. */
  async send(due?: ExpectedAnswer): Promise<Exchange> {
    const { outgoing, stream } = this.#description;
    const sent = stream ? { ...outgoing, until: watchForError } : outgoing;
    const exchange = await this.#exchange(() => this.#target.client.send(sent, this.#signal), due);
    // Whether the server did not answer or had just closed an idle connection, the next attempt shows over a fresh one.
    if (exchange.overKept === true)
      throw new Disturbed(`${this.describe(exchange)} over a connection kept from before`);
    // Half a text is neither JSON nor none; only of a stream does its beginning tell.
    const why = exchange.answer === undefined || stream ? undefined : explainUnread(exchange.answer);
    if (why !== undefined)
      throw new Disturbed(`${this.#description.label} got ${describeOutcome(exchange)} with ${why}`);
    return exchange;
  }

  /** Sends it with a body that is announced and never arrives. */
  sendStalled(waitMs: number): Promise<Exchange> {
    const { client } = this.#target;
    const { outgoing } = this.#description;
    const send = () => sendStalled({ ...outgoing, waitMs }, this.#signal, client.agents.tls);
    this.#assertDirect();
    return this.#exchange(() => client.occupy(send, this.#signal, undefined, { load: outgoing }), {
      rule: this.#recorder.subject,
      expected: '408',
      allows: (status) => status === 408,
    });
  }

  /** Sends it over a socket of its own, and keeps every byte that comes after the head of the answer. */
  async sendRaw(): Promise<Exchange & { readonly afterHead: string }> {
    const { client } = this.#target;
    this.#assertDirect();
    let afterHead = '';
    const { outgoing } = this.#description;
    const sent = async () => {
      const { received, rest } = await client.occupy(
        () => sendRaw(outgoing, this.#signal, client.agents.tls),
        this.#signal,
        undefined,
        { load: outgoing },
      );
      afterHead = rest;
      return received;
    };
    const exchange = await this.#exchange(sent, undefined);
    return { ...exchange, afterHead };
  }

  /** A proxy would send and read for us: what is after the bytes themselves cannot be seen through it. */
  #assertDirect(): void {
    if (this.#target.client.agents.isProxied(this.#description.outgoing.base))
      throw new NotShown(makeReason('lacking', 'a way to the target without a proxy'));
  }

  async #exchange(send: () => Promise<Received>, due: ExpectedAnswer | undefined): Promise<Exchange> {
    const { outgoing, operation, reaches, label } = this.#description;
    await this.#recorder.pause(this.#ordinal, this.#signal);
    const startedAt = Date.now();
    const start = performance.now();
    this.#recorder.inFlight += 1;
    const came = await send().finally(() => {
      this.#recorder.inFlight -= 1;
    });
    const { leftAt = start, ...received } = { leftAt: undefined, ...came };
    this.#signal.throwIfAborted();
    this.#assertArrived(received);
    const exchange: Exchange = {
      operation,
      reaches,
      label,
      request: {
        method: outgoing.method,
        url: `${outgoing.base}${outgoing.path}`,
        headers: Object.entries(outgoing.headers),
        ...(outgoing.body === undefined ? {} : { body: outgoing.body }),
      },
      ...received,
      startedAt,
      durationMs: performance.now() - start,
    };
    this.#target.seen(exchange);
    const trouble = this.#findTrouble(exchange, due, leftAt);
    const edge = received.answer && this.#target.client.proxies.explainForeign(received.answer);
    if (edge !== undefined) {
      this.#recorder.keep(exchange);
      throw new Disturbed(`something in front of the service answered in its place (${edge})`);
    }
    this.#recorder.judge(exchange, trouble);
    await this.#judgeState(exchange);
    return exchange;
  }

  /** Judges, where that is asked for, what the worlds of the attempt hold after a request. */
  async #judgeState(exchange: Exchange): Promise<void> {
    const [difference] = await this.#recorder.differences(this.#signal);
    if (difference === undefined) return;
    const requirement = findViolatedRow(exchange, difference);
    const { expected, actual } = explainDifference(difference);
    this.#recorder.fail(
      this.finding(requirement, exchange, {
        expected,
        actual,
        conclusive: false,
        subject: worldStateSubject,
      }),
    );
  }

  /** What never reached a server, since this side refused it or no connection came about, is no server's failure. */
  #assertArrived({ lost, errorCode }: Received): void {
    const { place, label, outgoing } = this.#description;
    const isElsewhere = outgoing.base !== this.#target.baseUrl;
    if (place !== undefined && (isWithoutTls(errorCode) || (isElsewhere && isUnreachable(errorCode)))) {
      const why = `${unlocks(place)} that can be reached; it got ${lost}`;
      this.#target.refused.rule(place, why);
      if (place === 'regional') this.#target.refused.rule('regional-host', why);
      throw new NotShown(makeReason('lacking', why));
    }
    if (isRefusedCertificate(errorCode)) throw new Disturbed(`${label} got ${lost}`);
  }

  /** What makes an answer count for nothing until it is confirmed alone; tells the pace of the run what came. */
  #findTrouble(exchange: Exchange, due: ExpectedAnswer | undefined, sentAt: number): Trouble | undefined {
    const { client } = this.#target;
    const { outgoing, operation } = this.#description;
    const { limits } = this.#recorder;
    const { answer } = exchange;
    const isExpected = answer !== undefined && (due === 'any' || due?.allows(answer.status) === true);
    const isLimit = answer !== undefined && isLimitStatus(answer.status);
    if (answer !== undefined && (isExpected || !isLimit)) client.pacing.serve(outgoing, sentAt);
    if (isExpected) {
      if (due !== 'any' && due !== undefined) this.#recorder.noteExpectedAnswer(this.#kind(due));
      return undefined;
    }
    if (due === 'any' || !(isLimit || (due !== undefined && isTroubleStatus(answer?.status))))
      return undefined;
    const kind = this.#kind(due);
    if (answer !== undefined && isLimit) {
      const resetMs = limitResetMs(answer);
      if (limits.refuse(kind, resetMs)) client.pacing.refuse(outgoing, { sentAt, status: answer.status });
      this.#recorder.refusal = { operation, came: this.describe(exchange), resetMs };
    }
    return { kind, ordinal: this.#ordinal };
  }

  #kind(due: Exclude<ExpectedAnswer, 'any'> | undefined): RequestKind {
    const { rule, expected = '' } = due ?? {};
    const { operation, label, plainLabels, arranged } = this.#description;
    const isName = rule !== undefined && areaOf(rule) === 'secret-name';
    const request = isName ? label : plainLabels().plain;
    return {
      operation,
      rule,
      due: expected,
      request: `${request} ${arranged}`,
      exactRequest: `${label} ${arranged}`,
    };
  }

  /** Asserts that the answer has one of these statuses; the requirement then held. Ends the attempt otherwise. */
  async expectStatus(allowed: number | readonly number[], subject: Assertion = {}): Promise<Answered> {
    const requirement = subject.requirement ?? this.#recorder.subject;
    const statuses = typeof allowed === 'number' ? [allowed] : allowed;
    const exchange = await this.send({
      rule: requirement,
      expected: statuses.join(' or '),
      allows: (status) => statuses.includes(status),
    });
    this.#recorder.cases += 1;
    if (isAnswered(exchange) && statuses.includes(exchange.answer.status)) {
      this.#recorder.pass(requirement);
      return exchange;
    }
    const finding = this.finding(requirement, exchange, {
      expected: statuses.join(' or '),
      because: subject.because,
      conclusive:
        subject.timed !== true && statuses.every((status) => status >= 400) && this.#hasSucceeded(exchange),
    });
    return this.#fail(finding, exchange, subject.continueOnFailure);
  }

  /** Asserts that the request is not served, whatever refuses it; the requirement then held. */
  async expectAnyRefusal(subject: Assertion = {}): Promise<Answered> {
    const exchange = await this.send();
    const requirement = subject.requirement ?? this.#recorder.subject;
    this.#recorder.cases += 1;
    if (isAnswered(exchange) && exchange.answer.status >= 300) {
      this.#recorder.pass(requirement);
      return exchange;
    }
    return this.#recorder.fail(
      this.finding(requirement, exchange, {
        expected: 'a refusal',
        because: subject.because,
        conclusive: this.#hasSucceeded(exchange),
      }),
    );
  }

  /**
   * Asserts that the answer is one of those that a rule allows; the rule's requirement then held. A stream may tell of a
   * refusal in band, and its success tells of none (§6).
   */
  async expectOneOf({
    allowed,
    due,
    maySucceed,
    subject,
    continueOnFailure,
  }: AllowedAnswers): Promise<Answered> {
    const { stream } = this.#description;
    const exchange = await this.send({
      rule: due.requirement,
      expected: [...allowed.keys()].join(' or '),
      allows: (status) => allowed.has(status) || (stream && status === 200),
    });
    this.#recorder.cases += 1;
    const inBand =
      stream && exchange.answer?.status === 200 ? findErrorChunk(exchange.answer.text) : undefined;
    const breaksOff = allowed.get(200)?.requirement === 'stream-error.event';
    const status = inBand === undefined || breaksOff ? exchange.answer?.status : readChunkCode(inBand);
    const rule =
      breaksOff && status === 200 && inBand === undefined ? undefined : allowed.get(Number(status));
    if (isAnswered(exchange) && rule !== undefined) {
      if (rule.isOpen !== true) this.#recorder.pass(rule.requirement);
      return exchange;
    }
    const isRefusedWhole = breaksOff && exchange.answer?.status !== 200;
    const finding = this.finding(isRefusedWhole ? 'stream-error.status' : due.requirement, exchange, {
      expected: [...allowed.keys()].join(' or '),
      because: due.because,
      ...(inBand === undefined ? {} : { actual: `200 and an error event of code ${asText(status)}` }),
      ...(subject === undefined ? {} : { subject }),
      conclusive: !maySucceed && this.#hasSucceeded(exchange),
    });
    return this.#fail(finding, exchange, continueOnFailure);
  }

  /** Takes down a wrong answer, which ends the attempt unless what follows rests on none; no answer at all ends it. */
  #fail(finding: Finding, exchange: Exchange, continueOnFailure: true | undefined): Answered {
    // Beyond a rate limit what follows would be refused too, and all of it has to be asked again.
    const isRefused = !this.#recorder.isAlone && isLimitStatus(exchange.answer?.status);
    if (continueOnFailure !== true || isRefused || !isAnswered(exchange)) return this.#recorder.fail(finding);
    this.#recorder.addFinding(finding);
    return exchange;
  }

  /**
   * Asserts a refusal of a request that may be streamed: the status, or 200 and the in-band error event of
   * that code (§6). Answers with the exchange and says which of the two it was.
   */
  async expectRefusal(
    status: number,
    subject: Assertion = {},
  ): Promise<Answered & { readonly inBand: boolean }> {
    const requirement = subject.requirement ?? this.#recorder.subject;
    const isPermitted = (got: number) => got === status || (this.#description.stream && got === 200);
    const exchange = await this.send({ rule: requirement, expected: String(status), allows: isPermitted });
    this.#recorder.cases += 1;
    const inBand = isAnswered(exchange) && this.#description.stream && exchange.answer.status === 200;
    const told = inBand ? readErrorCode(exchange.answer.text) : exchange.answer?.status;
    if (isAnswered(exchange) && told === status) {
      this.#recorder.pass(requirement);
      return { ...exchange, inBand };
    }
    const finding = this.finding(requirement, exchange, {
      expected: this.#description.stream
        ? `${status}, or 200 and an error event of code ${status}`
        : String(status),
      ...(inBand
        ? {
            actual: `200 and ${told === undefined ? 'no error event' : `an error event of code ${asText(told)}`}`,
          }
        : {}),
      because: subject.because,
      conclusive: subject.timed !== true && this.#hasSucceeded(exchange),
    });
    return { ...this.#fail(finding, exchange, subject.continueOnFailure), inBand };
  }

  /** Sends it as a positive control: any other answer disturbs the attempt and accuses nobody. */
  async expectControl(status: 200 | 204): Promise<Answered> {
    const rule = positiveRules[this.#description.operation];
    const exchange = await this.send({ rule, expected: String(status), allows: (got) => got === status });
    if (isAnswered(exchange) && exchange.answer.status === status && this.#isTheService(exchange.answer))
      return exchange;
    throw new Disturbed(`its positive control failed: ${this.describe(exchange)}`);
  }

  /** A success that is the service's own, and so no disturbance where a refusal is due. */
  #hasSucceeded({ answer }: Exchange): boolean {
    return answer !== undefined && answer.status >= 200 && answer.status < 300 && this.#isTheService(answer);
  }

  /** A 200 with a page in it is somebody else's: an edge, or another server at this address. */
  #isTheService(answer: Answer): boolean {
    return answer.status !== 200 || this.#description.stream || isObject(json(answer));
  }

  /** Judges something of an answer that this call got; a violation is kept and the attempt goes on. */
  expect(
    exchange: Answered,
    requirement: RequirementId,
    told: { readonly ok: boolean; readonly expected: string; readonly actual: string },
  ): void {
    this.#recorder.cases += 1;
    if (told.ok) this.#recorder.pass(requirement);
    else
      this.#recorder.addFinding(
        this.finding(requirement, exchange, {
          expected: told.expected,
          actual: told.actual,
          conclusive: false,
        }),
      );
  }

  /** A violation that an exchange of this call shows. */
  finding(
    requirement: RequirementId,
    exchange: Exchange,
    told: {
      readonly expected: string;
      readonly actual?: string;
      readonly because?: string | undefined;
      readonly subject?: string;
      readonly conclusive: boolean;
    },
  ): Finding {
    const actual = told.actual ?? describeOutcome(exchange);
    const { label, plainLabels } = this.#description;
    const { plain, bare } = plainLabels();
    return {
      subject: told.subject ?? requirement,
      key: `${requirement} #${this.#ordinal}`,
      requirement,
      conclusive: told.conclusive,
      message: `${label}: expected ${told.expected}, got ${actual}${told.because === undefined ? '' : ` (${told.because})`}`,
      expected: told.expected,
      actual,
      counterexample: {
        request: label,
        method: exchange.request.method,
        url: exchange.request.url,
      },
      exchange,
      // A secret's name is what a row of the names is about, and an accident everywhere else.
      request: { plain: areaOf(requirement) === 'secret-name' ? label : plain, bare },
      ...(told.actual === undefined ? {} : { aspect: told.actual }),
    };
  }

  /** What was asked and what came, in one line. */
  describe(exchange: Exchange): string {
    const foreign =
      isAnswered(exchange) && !this.#isTheService(exchange.answer)
        ? ' with a body that is no JSON object'
        : '';
    return `${this.#description.label} got ${describeOutcome(exchange)}${foreign}`;
  }
}

/** The requirement that the plain success of an operation shows. */
const positiveRules: Readonly<Record<Operation, RequirementId>> = {
  'vault-delete': 'vault-delete.204.deleted',
  'guardrail-read': 'guardrail-read.200.read',
  'key-info': 'key-info.200.read',
  inference: 'inference.routed',
};

/** Whether a rate limit gives such an answer. */
export function isLimitStatus(status: number | undefined): boolean {
  return status === 429 || status === 503;
}

/** Whether a finding is about an answer that a rate limit gives. */
export function isRefusal({ exchanges }: Evidence): boolean {
  return isLimitStatus(exchanges.at(-1)?.response?.status);
}

/** Whether a service or a network in trouble gives such an answer, or none. */
function isTroubleStatus(status: number | undefined): boolean {
  return status === undefined || status === 408 || status === 429 || status >= 500;
}

function describeOutcome({ answer, lost }: Exchange): string {
  return answer === undefined ? (lost ?? 'no answer') : String(answer.status);
}
