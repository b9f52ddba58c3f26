import { areaOf, type RequirementId } from '../spec/ledger.js';
import { type Need, unlocks } from '../spec/need.js';
import { makeReason } from '../spec/reasons.js';
import type { Operation } from '../spec/vocabulary.js';
import type { Outgoing, Received } from '../targets/client.js';
import {
  type Answer,
  type Answered,
  asText,
  type Exchange,
  isAnswered,
  isObject,
  json,
  unread,
} from '../targets/exchange.js';
import { sendRaw } from '../targets/raw-socket.js';
import { isRefusedCertificate, isUnreachable, isWithoutTls } from '../targets/refused-connection.js';
import { sendStalled } from '../targets/stalled-request.js';
import type { Target } from '../targets/target.js';
import { NotShown } from '../targets/world.js';
import { Disturbed, type Finding, type PlainLabels } from './finding.js';
import type { Recorder } from './recorder.js';
import { errorChunk, errorWatch } from './stream.js';

/** A request that is ready to be sent. */
export interface CallDescription {
  readonly operation: Operation;
  readonly reaches: Exchange['reaches'];
  readonly label: string;
  /** The label without what differs from run to run; asked for only where something is found. */
  readonly plainLabels: () => PlainLabels;
  readonly stream: boolean;
  /** What the target must offer for the request to arrive where it is sent, where that is not its own address. */
  readonly place?: Extract<Need, 'regional' | 'host-name'>;
  readonly outgoing: Outgoing;
}

/** What a rule allows a request to be answered. */
export interface Answers {
  /** The statuses, each with the requirement that allows it. */
  readonly allowed: ReadonlyMap<number, { readonly requirement: RequirementId; readonly isOpen?: true }>;
  /** The requirement that is violated where the answer is none of them, and why. */
  readonly due: { readonly requirement: RequirementId; readonly because: string };
  readonly maySucceed: boolean;
  /** What a violation is about, where the due requirement alone does not say it: shrinking may find another to blame. */
  readonly subject?: string;
  /** What follows does not rest on this answer: after a wrong one the attempt goes on. */
  readonly goesOn?: true;
}

/** What an assertion says beyond the statuses. */
export interface Subject {
  /** The requirement that the assertion decides; the check's own where absent. */
  readonly requirement?: RequirementId;
  /** Why another status would be wrong, in words. */
  readonly because?: string;
  /** Time can undo what was arranged (a minute that passes), so that even a 2xx in place of a refusal is repeated. */
  readonly timed?: boolean;
  /** What follows does not rest on this answer: after a wrong one the attempt goes on. */
  readonly goesOn?: true;
}

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
  async send(): Promise<Exchange> {
    const { outgoing, stream } = this.#description;
    const sent = stream ? { ...outgoing, until: errorWatch } : outgoing;
    const exchange = await this.#exchange(() => this.#target.client.send(sent, this.#signal));
    // Whether the server did not answer or had just closed an idle connection, the next attempt shows over a fresh one.
    if (exchange.overKept === true)
      throw new Disturbed(`${this.told(exchange)} over a connection kept from before`);
    // Half a text is neither JSON nor none; only of a stream does its beginning tell.
    const why = exchange.answer === undefined || stream ? undefined : unread(exchange.answer);
    if (why !== undefined)
      throw new Disturbed(`${this.#description.label} got ${outcome(exchange)} with ${why}`);
    return exchange;
  }

  /** Sends it with a body that is announced and never arrives. */
  sendStalled(waitMs: number): Promise<Exchange> {
    const { client } = this.#target;
    const stalled = { ...this.#description.outgoing, waitMs };
    this.#assertDirect();
    return this.#exchange(() =>
      client.occupy(() => sendStalled(stalled, this.#signal, client.agents.tls), this.#signal),
    );
  }

  /** Sends it over a socket of its own, and keeps every byte that comes after the head of the answer. */
  async sendRaw(): Promise<Exchange & { readonly afterHead: string }> {
    const { client } = this.#target;
    this.#assertDirect();
    let afterHead = '';
    const exchange = await this.#exchange(async () => {
      const { received, rest } = await client.occupy(
        () => sendRaw(this.#description.outgoing, this.#signal, client.agents.tls),
        this.#signal,
      );
      afterHead = rest;
      return received;
    });
    return { ...exchange, afterHead };
  }

  /** A proxy would send and read for us: what is after the bytes themselves cannot be seen through it. */
  #assertDirect(): void {
    if (this.#target.client.agents.isProxied(this.#description.outgoing.base))
      throw new NotShown(makeReason('lacking', 'a way to the target without a proxy'));
  }

  async #exchange(send: () => Promise<Received>): Promise<Exchange> {
    const { outgoing, operation, reaches, label } = this.#description;
    const startedAt = Date.now();
    const start = performance.now();
    const received = await send();
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
    const edge = received.answer && this.#target.client.edge.inPlaceOfService(received.answer);
    if (edge !== undefined) {
      this.#recorder.unjudged(exchange);
      throw new Disturbed(`something in front of the service answered in its place (${edge})`);
    }
    this.#recorder.exchange(exchange);
    return exchange;
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

  /** Asserts that the answer has one of these statuses; the requirement then held. Ends the attempt otherwise. */
  async answers(allowed: number | readonly number[], subject: Subject = {}): Promise<Answered> {
    const exchange = await this.send();
    const requirement = subject.requirement ?? this.#recorder.subject;
    const statuses = typeof allowed === 'number' ? [allowed] : allowed;
    this.#recorder.cases += 1;
    if (isAnswered(exchange) && statuses.includes(exchange.answer.status)) {
      this.#recorder.holds(requirement);
      return exchange;
    }
    const finding = this.finding(requirement, exchange, {
      expected: statuses.join(' or '),
      because: subject.because,
      atOnce:
        subject.timed !== true && statuses.every((status) => status >= 400) && this.#succeeded(exchange),
    });
    return this.#wrong(finding, exchange, subject.goesOn);
  }

  /** Asserts that the request is not served, whatever refuses it; the requirement then held. */
  async isRefused(subject: Subject = {}): Promise<Answered> {
    const exchange = await this.send();
    const requirement = subject.requirement ?? this.#recorder.subject;
    this.#recorder.cases += 1;
    if (isAnswered(exchange) && exchange.answer.status >= 300) {
      this.#recorder.holds(requirement);
      return exchange;
    }
    return this.#recorder.violated(
      this.finding(requirement, exchange, {
        expected: 'a refusal',
        because: subject.because,
        atOnce: this.#succeeded(exchange),
      }),
    );
  }

  /** Asserts that the answer is one of those that a rule allows; the rule's requirement then held. */
  async answersAs({ allowed, due, maySucceed, subject, goesOn }: Answers): Promise<Answered> {
    const exchange = await this.send();
    this.#recorder.cases += 1;
    const rule = exchange.answer === undefined ? undefined : allowed.get(exchange.answer.status);
    if (isAnswered(exchange) && rule !== undefined) {
      if (rule.isOpen !== true) this.#recorder.holds(rule.requirement);
      return exchange;
    }
    const finding = this.finding(due.requirement, exchange, {
      expected: [...allowed.keys()].join(' or '),
      because: due.because,
      ...(subject === undefined ? {} : { subject }),
      atOnce: !maySucceed && this.#succeeded(exchange),
    });
    return this.#wrong(finding, exchange, goesOn);
  }

  /** Takes down a wrong answer, which ends the attempt unless what follows rests on none; no answer at all ends it. */
  #wrong(finding: Finding, exchange: Exchange, goesOn: true | undefined): Answered {
    if (goesOn !== true || !isAnswered(exchange)) return this.#recorder.violated(finding);
    this.#recorder.found(finding);
    return exchange;
  }

  /**
   * Asserts a refusal of a request that may be streamed: the status, or 200 and the in-band error event of
   * that code (§6). Answers with the exchange and says which of the two it was.
   */
  async refuses(status: number, subject: Subject = {}): Promise<Answered & { readonly inBand: boolean }> {
    const exchange = await this.send();
    this.#recorder.cases += 1;
    const requirement = subject.requirement ?? this.#recorder.subject;
    const inBand = isAnswered(exchange) && this.#description.stream && exchange.answer.status === 200;
    const told = inBand ? errorCode(exchange.answer.text) : exchange.answer?.status;
    if (isAnswered(exchange) && told === status) {
      this.#recorder.holds(requirement);
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
      atOnce: subject.timed !== true && this.#succeeded(exchange),
    });
    return { ...this.#wrong(finding, exchange, subject.goesOn), inBand };
  }

  /** Sends it as a positive control: any other answer disturbs the attempt and accuses nobody. */
  async holds(status: 200 | 204): Promise<Answered> {
    const exchange = await this.send();
    if (isAnswered(exchange) && exchange.answer.status === status && this.#isTheService(exchange.answer))
      return exchange;
    throw new Disturbed(`its positive control failed: ${this.told(exchange)}`);
  }

  /** A success that is the service's own, and so no disturbance where a refusal is due. */
  #succeeded({ answer }: Exchange): boolean {
    return answer !== undefined && answer.status >= 200 && answer.status < 300 && this.#isTheService(answer);
  }

  /** A 200 with a page in it is somebody else's: an edge, or another server at this address. */
  #isTheService(answer: Answer): boolean {
    return answer.status !== 200 || this.#description.stream || isObject(json(answer));
  }

  /** Judges something of an answer that this call got; a violation is kept and the attempt goes on. */
  judges(
    exchange: Answered,
    requirement: RequirementId,
    told: { readonly holds: boolean; readonly expected: string; readonly actual: string },
  ): void {
    this.#recorder.cases += 1;
    if (told.holds) this.#recorder.holds(requirement);
    else
      this.#recorder.found(
        this.finding(requirement, exchange, { expected: told.expected, actual: told.actual, atOnce: false }),
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
      readonly atOnce: boolean;
    },
  ): Finding {
    const actual = told.actual ?? outcome(exchange);
    const { label, plainLabels } = this.#description;
    const { plain, bare } = plainLabels();
    return {
      subject: told.subject ?? requirement,
      key: `${requirement} #${this.#ordinal}`,
      requirement,
      atOnce: told.atOnce,
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
  told(exchange: Exchange): string {
    const foreign =
      isAnswered(exchange) && !this.#isTheService(exchange.answer)
        ? ' with a body that is no JSON object'
        : '';
    return `${this.#description.label} got ${outcome(exchange)}${foreign}`;
  }
}

function errorCode(text: string): unknown {
  const chunk = errorChunk(text);
  const error = isObject(chunk) ? chunk.error : undefined;
  return isObject(error) ? error.code : undefined;
}

function outcome({ answer, lost }: Exchange): string {
  return answer === undefined ? (lost ?? 'no answer') : String(answer.status);
}
