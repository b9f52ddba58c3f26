import type { Answers, Rule } from '../generators/oracle.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import { makeReason } from '../spec/reasons.js';
import type { Mismatch } from '../spec/report.js';
import type { Operation, Role } from '../spec/vocabulary.js';
import { type Answered, asText, type Exchange, isAnswered, isSuccessStatus } from '../targets/exchange.js';
import { findError, findErrorChunkOnce, type RuleResult, readEventStatus } from './answer-rules.js';
import { Disturbed, isLimitStatus } from './finding.js';
import { type FindingWords, Request } from './request.js';
import { describeForeign } from './who-answered.js';

/** What a rule allows a request to be answered. */
export interface AllowedAnswers extends Pick<Assertion, 'continueOnFailure'>, Pick<Answers, 'maySucceed'> {
  readonly allowed: ReadonlyMap<number, AllowedAnswer>;
  /** The requirement that any other answer violates, and why. */
  readonly due: {
    readonly requirement: RequirementId;
    readonly because: string;
    readonly secret?: Mismatch['secret'];
  };
  /** Groups violations where the due requirement would not: shrinking may find another one to blame. */
  readonly subject?: string;
}

/** The requirement that allows an answer, unless it is open, and whether the stream then breaks off. */
type AllowedAnswer = Pick<Rule, 'requirement' | 'decidesNothing' | 'breaksOff'>;

/** What an assertion says beyond the statuses. */
export interface Assertion {
  /** The requirement that the assertion decides; the check's own where absent. */
  readonly requirement?: RequirementId;
  readonly because?: string | undefined;
  /** What became of a secret where the status is wrong. */
  readonly secret?: Mismatch['secret'];
  /**
   * Whether what makes a refusal due may end by itself, with the minute or with another request in flight. Even a 2xx in its
   * place is then repeated, without a pause before.
   */
  readonly timed?: boolean;
  /** Whether the attempt continues after a wrong answer: nothing after it depends on this one. */
  readonly continueOnFailure?: true;
}

/** A request of a check with assertions about its answer. What they expect passes the requirement; the rest fails it. */
export class Call extends Request {
  /** Asserts that the answer has one of these statuses. */
  async expectStatus(allowed: number | readonly number[], assertion: Assertion = {}): Promise<Answered> {
    const { requirement: rule = this.recorder.subject, secret } = assertion;
    const due = typeof allowed === 'number' ? [allowed] : [...new Set(allowed)];
    const expected = due.join(' or ');
    const exchange = await this.send({ rule, statuses: due });
    return this.#assert(exchange, isAnswered(exchange) && due.includes(exchange.answer.status), assertion, {
      expected,
      mismatch: { wrong: 'status', due, ...(secret === undefined ? {} : { secret }) },
      conclusive: due.every((status) => status >= 400),
    });
  }

  /** Asserts that the request is refused, with any status. */
  async expectAnyRefusal(assertion: Pick<Assertion, 'requirement' | 'because'>): Promise<Answered> {
    const exchange = await this.send();
    return this.#assert(exchange, isAnswered(exchange) && exchange.answer.status >= 300, assertion, {
      expected: 'a refusal',
      mismatch: { wrong: 'status', due: 'refusal' },
      conclusive: true,
    });
  }

  /** Asserts that the answer is one that a rule allows. The 200 of a stream with an error event is not a success (§6). */
  async expectOneOf(answers: AllowedAnswers): Promise<Answered> {
    const { allowed, due, maySucceed, subject, continueOnFailure } = answers;
    const { stream } = this.description;
    const statuses = [...allowed.keys()];
    const expected = statuses.join(' or ');
    const exchange = await this.send({
      rule: due.requirement,
      statuses,
      allows: (status) => allowed.has(status) || (stream && status === 200),
    });
    const { answer } = exchange;
    const inBand = stream && answer?.status === 200 ? findErrorChunkOnce(answer) : undefined;
    const breaksOff = allowed.get(200)?.breaksOff === true;
    const status = inBand === undefined || breaksOff ? answer?.status : findError(inBand).code;
    const isUnbroken = breaksOff && status === 200 && inBand === undefined;
    const without = isUnbroken ? '200 and no such event' : undefined;
    const requirement = breaksOff && answer?.status !== 200 ? 'stream-error.status' : due.requirement;
    return this.#decide(exchange, isUnbroken ? undefined : allowed.get(Number(status)), requirement, {
      expected: breaksOff ? `${expected} and an error event` : expected,
      because: due.because,
      actual: inBand === undefined ? without : `200 and an error event of code ${asText(status)}`,
      mismatch: {
        wrong: 'status',
        due: statuses,
        ...(inBand === undefined ? {} : { event: readEventStatus(status) }),
        ...(due.secret === undefined ? {} : { secret: due.secret }),
      },
      subject,
      conclusive: !maySucceed,
      continueOnFailure,
    });
  }

  /**
   * Asserts a refusal: the status, or for a stream 200 and the in-band error event of that code (§6). Returns whether it was
   * such an event.
   */
  async expectRefusal(status: number, assertion: Assertion = {}) {
    const { requirement: rule = this.recorder.subject } = assertion;
    const { stream } = this.description;
    const exchange = await this.send({
      rule,
      statuses: [status],
      allows: (got) => got === status || (stream && got === 200),
    });
    const { answer } = exchange;
    const inBand = stream && answer?.status === 200;
    const code = inBand ? findError(findErrorChunkOnce(answer)).code : answer?.status;
    const event = code === undefined ? 'no error event' : `an error event of code ${asText(code)}`;
    const answered = this.#assert(exchange, code === status, assertion, {
      expected: stream ? `${status}, or 200 and an error event of code ${status}` : String(status),
      actual: inBand ? `200 and ${event}` : undefined,
      mismatch: { wrong: 'status', due: [status], ...(inBand ? { event: readEventStatus(code) } : {}) },
      conclusive: true,
    });
    return { exchange: answered, inBand };
  }

  /** Sends it as a positive control: any other answer disturbs the attempt and is not a finding. */
  async expectControl(status: 200 | 204): Promise<Answered> {
    const { requirement: rule } = plainRequests[this.description.operation];
    const exchange = await this.send({ rule, statuses: [status] });
    if (
      isAnswered(exchange) &&
      exchange.answer.status === status &&
      this.answerer.isTheService(exchange.answer)
    )
      return exchange;
    throw new Disturbed(`its positive control failed: ${this.describe(exchange)}`);
  }

  /** Sends it as a positive control is sent, and returns whether it succeeded. */
  async succeeds(status: 200 | 204): Promise<boolean> {
    try {
      await this.expectControl(status);
      return true;
    } catch (error) {
      if (error instanceof Disturbed) return false;
      throw error;
    }
  }

  /**
   * Asserts something else of an answer to this call; a violation is kept and the attempt continues.
   * @param words `conclusive` says that no disturbance can cause the violation; false where absent
   */
  expect(
    exchange: Exchange,
    requirement: RequirementId,
    { ok, conclusive = false, ...words }: Omit<RuleResult, 'requirement'> & { readonly conclusive?: boolean },
  ): void {
    this.recorder.cases += 1;
    if (ok) this.recorder.pass(requirement);
    else this.recorder.addFinding(this.finding(requirement, exchange, { ...words, conclusive }));
  }

  #assert(
    exchange: Exchange,
    isRight: boolean,
    { requirement = this.recorder.subject, because, timed, continueOnFailure }: Assertion,
    words: FindingWords,
  ): Answered {
    const conclusive = words.conclusive && timed !== true;
    const failed = { ...words, because, conclusive, continueOnFailure };
    return this.#decide(exchange, isRight ? { requirement } : undefined, requirement, failed);
  }

  /**
   * Passes the requirement that allows the answer; any other answer fails the one given. The attempt then ends unless it
   * may go on, which it cannot without an answer. Only a success of the service itself can be conclusive: no disturbance
   * makes one of a refusal.
   */
  #decide(
    exchange: Exchange,
    allowed: AllowedAnswer | undefined,
    requirement: RequirementId,
    words: FindingWords & { readonly continueOnFailure: true | undefined },
  ): Answered {
    const { recorder } = this;
    recorder.cases += 1;
    const { answer } = exchange;
    if (isAnswered(exchange) && allowed !== undefined) {
      if (allowed.decidesNothing !== true) recorder.pass(allowed.requirement);
      return exchange;
    }
    if (isAnswered(exchange) && this.answerer.isIntercepted(exchange)) {
      const got = `it got ${describeForeign(exchange.answer)} from something in front of it`;
      recorder.intercepted = makeReason(
        'lacking',
        `a way to the service for ${this.description.label}; ${got}`,
      );
      return exchange;
    }
    const isSuccess = answer && isSuccessStatus(answer.status) && this.answerer.isTheService(answer);
    const conclusive = words.conclusive && isSuccess === true;
    const finding = this.finding(requirement, exchange, { ...words, conclusive });
    // Beyond a rate limit what follows would be refused too, and all of it has to be asked again.
    const isRefused = !recorder.isExclusive && isLimitStatus(answer?.status);
    if (words.continueOnFailure !== true || isRefused || !isAnswered(exchange)) return recorder.fail(finding);
    recorder.addFinding(finding);
    return exchange;
  }
}

/** The plain request of an operation, which is the positive control of every refusal. */
interface PlainRequest {
  readonly requirement: RequirementId;
  readonly success: 200 | 204;
  readonly needs: readonly Need[];
  /** The role whose key is good for it. */
  readonly good: Role;
}

export const plainRequests: Readonly<Record<Operation, PlainRequest>> = {
  'key-info': { requirement: 'key-info.200.read', success: 200, needs: ['role:member'], good: 'member' },
  'vault-delete': {
    requirement: 'vault-delete.204.deleted',
    success: 204,
    needs: ['store', 'role:member'],
    good: 'member',
  },
  'guardrail-read': {
    requirement: 'guardrail-read.200.read',
    success: 200,
    needs: ['guardrail', 'role:management'],
    good: 'management',
  },
  inference: {
    requirement: 'inference.routed',
    success: 200,
    needs: ['inference', 'role:member'],
    good: 'member',
  },
};
