import type { RequirementId } from '../spec/ledger.js';
import type { Mismatch } from '../spec/mismatch.js';
import type { Need } from '../spec/need.js';
import type { Operation, Role } from '../spec/vocabulary.js';
import { type Answered, asText, type Exchange, isAnswered } from '../targets/exchange.js';
import {
  findErrorChunk,
  type RuleResult,
  readChunkCode,
  readErrorCode,
  readEventStatus,
} from './answer-rules.js';
import { Disturbed, type Finding, isLimitStatus } from './finding.js';
import { type FindingWords, Request } from './request.js';

/** What a rule allows a request to be answered. */
export interface AllowedAnswers {
  readonly allowed: ReadonlyMap<number, AllowedAnswer>;
  /** The requirement that any other answer violates, and why. */
  readonly due: {
    readonly requirement: RequirementId;
    readonly because: string;
    readonly secret?: Mismatch['secret'];
  };
  readonly maySucceed: boolean;
  /** Groups violations where the due requirement would not: shrinking may find another one to blame. */
  readonly subject?: string;
  /** Whether the attempt goes on after a wrong answer, since nothing after it rests on this one. */
  readonly continueOnFailure?: true;
}

interface AllowedAnswer {
  readonly requirement: RequirementId;
  /** The answer is allowed and decides nothing. */
  readonly isOpen?: true;
  /** The stream starts with this status and must then break off with an error event (§6). */
  readonly breaksOff?: true;
}

/** What an assertion says beyond the statuses. */
export interface Assertion {
  /** The requirement that the assertion decides; the check's own where absent. */
  readonly requirement?: RequirementId;
  readonly because?: string;
  /** What became of a secret where the status is wrong. */
  readonly secret?: Mismatch['secret'];
  /** Whether time can undo what was arranged (a minute passes), so that even a 2xx in place of a refusal is repeated. */
  readonly timed?: boolean;
  /** Whether the attempt goes on after a wrong answer, since nothing after it rests on this one. */
  readonly continueOnFailure?: true;
}

/** A refusal that was asserted, and whether it came as an event within a stream. */
export interface Refusal {
  readonly exchange: Answered;
  readonly inBand: boolean;
}

/** A request of a check with assertions about its answer. What they expect passes the requirement; the rest fails it. */
export class Call extends Request {
  /** Asserts that the answer has one of these statuses. */
  async expectStatus(allowed: number | readonly number[], assertion: Assertion = {}): Promise<Answered> {
    const { requirement: rule = this.recorder.subject, secret } = assertion;
    const due = typeof allowed === 'number' ? [allowed] : allowed;
    const expected = due.join(' or ');
    const allows = (status: number) => due.includes(status);
    const exchange = await this.send({ rule, expected, allows });
    return this.#decide(exchange, isAnswered(exchange) && allows(exchange.answer.status), assertion, {
      expected,
      mismatch: { wrong: 'status', due, ...(secret === undefined ? {} : { secret }) },
      conclusive: due.every((status) => status >= 400),
    });
  }

  /** Asserts that the request is not served, whatever refuses it. */
  async expectAnyRefusal(assertion: Pick<Assertion, 'requirement' | 'because'> = {}): Promise<Answered> {
    const exchange = await this.send();
    return this.#decide(exchange, isAnswered(exchange) && exchange.answer.status >= 300, assertion, {
      expected: 'a refusal',
      mismatch: { wrong: 'status', due: 'refusal' },
      conclusive: true,
    });
  }

  /** Asserts that the answer is one that a rule allows. The 200 of a stream with an error event is no success (§6). */
  async expectOneOf(answers: AllowedAnswers): Promise<Answered> {
    const { allowed, due, maySucceed, subject, continueOnFailure } = answers;
    const { stream } = this.description;
    const expected = [...allowed.keys()].join(' or ');
    const exchange = await this.send({
      rule: due.requirement,
      expected,
      allows: (status) => allowed.has(status) || (stream && status === 200),
    });
    this.recorder.cases += 1;
    const inBand =
      stream && exchange.answer?.status === 200 ? findErrorChunk(exchange.answer.text) : undefined;
    const breaksOff = allowed.get(200)?.breaksOff === true;
    const status = inBand === undefined || breaksOff ? exchange.answer?.status : readChunkCode(inBand);
    const isUnbroken = breaksOff && status === 200 && inBand === undefined;
    const rule = isUnbroken ? undefined : allowed.get(Number(status));
    if (isAnswered(exchange) && rule !== undefined)
      return rule.isOpen === true ? exchange : this.#pass(rule.requirement, exchange);
    if (isAnswered(exchange) && this.isRefusedUnread(exchange)) return this.#leaveOpen(exchange);
    const isRefusedWhole = breaksOff && exchange.answer?.status !== 200;
    const finding = this.finding(isRefusedWhole ? 'stream-error.status' : due.requirement, exchange, {
      expected,
      because: due.because,
      actual: inBand === undefined ? undefined : `200 and an error event of code ${asText(status)}`,
      mismatch: {
        wrong: 'status',
        due: [...allowed.keys()],
        ...(inBand === undefined ? {} : { event: readEventStatus(status) }),
        ...(due.secret === undefined ? {} : { secret: due.secret }),
      },
      subject,
      conclusive: !maySucceed && this.#hasSucceeded(exchange),
    });
    return this.#fail(finding, exchange, continueOnFailure);
  }

  /** Asserts a refusal: the status, or for a stream 200 and the in-band error event of that code (§6). */
  async expectRefusal(status: number, assertion: Assertion = {}): Promise<Refusal> {
    const { requirement: rule = this.recorder.subject } = assertion;
    const { stream } = this.description;
    const exchange = await this.send({
      rule,
      expected: String(status),
      allows: (got) => got === status || (stream && got === 200),
    });
    const inBand = stream && isAnswered(exchange) && exchange.answer.status === 200;
    const code = inBand ? readErrorCode(exchange.answer.text) : exchange.answer?.status;
    const event = code === undefined ? 'no error event' : `an error event of code ${asText(code)}`;
    const answered = this.#decide(exchange, code === status, assertion, {
      expected: stream ? `${status}, or 200 and an error event of code ${status}` : String(status),
      actual: inBand ? `200 and ${event}` : undefined,
      mismatch: { wrong: 'status', due: [status], ...(inBand ? { event: readEventStatus(code) } : {}) },
      conclusive: true,
    });
    return { exchange: answered, inBand };
  }

  /** Sends it as a positive control: any other answer disturbs the attempt and accuses nobody. */
  async expectControl(status: 200 | 204): Promise<Answered> {
    const { requirement: rule } = plainRequests[this.description.operation];
    const exchange = await this.send({ rule, expected: String(status), allows: (got) => got === status });
    if (isAnswered(exchange) && exchange.answer.status === status && this.isTheService(exchange.answer))
      return exchange;
    throw new Disturbed(`its positive control failed: ${this.describe(exchange)}`);
  }

  /** Asserts something else of an answer to this call; a violation is kept and the attempt goes on. */
  expect(
    exchange: Exchange,
    requirement: RequirementId,
    { ok, expected, actual, mismatch }: Omit<RuleResult, 'requirement'>,
  ): void {
    this.recorder.cases += 1;
    if (ok) this.recorder.pass(requirement);
    else
      this.recorder.addFinding(
        this.finding(requirement, exchange, { expected, actual, mismatch, conclusive: false }),
      );
  }

  /** Passes or fails the requirement of an assertion; `conclusive` says what a success in place of the answer due proves. */
  #decide(
    exchange: Exchange,
    isRight: boolean,
    { requirement = this.recorder.subject, because, timed, continueOnFailure }: Assertion,
    words: FindingWords,
  ): Answered {
    this.recorder.cases += 1;
    if (isRight && isAnswered(exchange)) return this.#pass(requirement, exchange);
    if (isAnswered(exchange) && this.isRefusedUnread(exchange)) return this.#leaveOpen(exchange);
    const conclusive = words.conclusive && timed !== true && this.#hasSucceeded(exchange);
    const finding = this.finding(requirement, exchange, { ...words, because, conclusive });
    return this.#fail(finding, exchange, continueOnFailure);
  }

  #pass(requirement: RequirementId, exchange: Answered): Answered {
    this.recorder.pass(requirement);
    return exchange;
  }

  #leaveOpen(exchange: Answered): Answered {
    this.noteUnread(exchange);
    return exchange;
  }

  /** Keeps a finding. Ends the attempt unless it may go on; it cannot where no answer came. */
  #fail(finding: Finding, exchange: Exchange, continueOnFailure: true | undefined): Answered {
    // Beyond a rate limit what follows would be refused too, and all of it has to be asked again.
    const isRefused = !this.recorder.isExclusive && isLimitStatus(exchange.answer?.status);
    if (continueOnFailure !== true || isRefused || !isAnswered(exchange)) return this.recorder.fail(finding);
    this.recorder.addFinding(finding);
    return exchange;
  }

  /** Whether the service itself let it succeed, which no disturbance makes of a refusal. */
  #hasSucceeded({ answer }: Exchange): boolean {
    return answer !== undefined && answer.status >= 200 && answer.status < 300 && this.isTheService(answer);
  }
}

/** The plain request of an operation, which must succeed beside every refusal. */
interface PlainRequest {
  readonly requirement: RequirementId;
  readonly needs: readonly Need[];
  /** The role whose key is good for it. */
  readonly good: Role;
}

/** The plain request of each operation. */
export const plainRequests: Readonly<Record<Operation, PlainRequest>> = {
  'key-info': { requirement: 'key-info.200.read', needs: ['role:member'], good: 'member' },
  'vault-delete': {
    requirement: 'vault-delete.204.deleted',
    needs: ['store', 'role:member'],
    good: 'member',
  },
  'guardrail-read': {
    requirement: 'guardrail-read.200.read',
    needs: ['guardrail', 'role:management'],
    good: 'management',
  },
  inference: { requirement: 'inference.routed', needs: ['inference', 'role:member'], good: 'member' },
};
