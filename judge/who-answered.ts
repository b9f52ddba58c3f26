import { isObject } from '../spec/json.js';
import type { Operation } from '../spec/vocabulary.js';
import {
  type Answer,
  type Exchange,
  header,
  isJsonMediaType,
  isKeyInformation,
  isTrouble,
  json,
} from '../targets/exchange.js';
import { isHtml, nameByPage } from '../targets/proxy-detection.js';
import type { Target } from '../targets/target.js';
import type { Trouble } from './finding.js';

/** What of a request decides whether software in front of the service passes it on. */
export interface Passing {
  readonly operation: Operation;
  readonly stream: boolean;
  /** Whether such software may refuse the path, so that such a refusal decides nothing. */
  readonly isOddPath: boolean;
  /** Whether it may refuse something else in the request, so that a refusal without JSON decides nothing. */
  readonly mayBeRefusedBefore: boolean;
}

/** Tells answers to one request apart: those of the service, and those of software in front of it. */
export class Answerer {
  constructor(
    private readonly request: Passing,
    private readonly target: Target,
  ) {}

  /** Explains why an answer is not the service's. A service in trouble may itself answer with a page. */
  explainForeign(answer: Answer | undefined, trouble: Trouble | undefined): string | undefined {
    if (answer === undefined) return undefined;
    const foreign = this.target.client.proxies.explainForeign(answer);
    if (foreign !== undefined || trouble !== undefined) return foreign;
    const name = nameByPage(answer);
    return name && `a page of ${name} with status ${answer.status}`;
  }

  /** Whether software in front of the service refused the request, as it may an odd path or a body (RFC 9110, §9.3). */
  isIntercepted({ answer, reaches, request: { body } }: Exchange): boolean {
    if (answer === undefined || isTrouble({ answer })) return false;
    // A server of pages may answer what is not routed with its start page.
    if (answer.status < 300) return reaches === 'perhaps' && isHtml(answer);
    const isForeign = this.explainForeign(answer, undefined) !== undefined;
    const { isOddPath, operation } = this.request;
    if (isOddPath) return isForeign || isWithoutJson(answer);
    if (this.isRefusedBefore(answer)) return true;
    return isForeign && (reaches === 'perhaps' || (body !== undefined && operation !== 'inference'));
  }

  /** Whether an answer is a refusal without JSON of something that need not be passed on to the service. */
  isRefusedBefore(answer: Answer): boolean {
    const isRefusal = answer.status >= 400 && answer.status < 500 && !isTrouble({ answer });
    return this.request.mayBeRefusedBefore && isRefusal && isWithoutJson(answer);
  }

  /** Whether the service itself answered: a 200 with a page in it comes from a proxy or from another server. */
  isTheService(answer: Answer): boolean {
    if (answer.status !== 200 || (this.request.stream && isEventStream(answer))) return true;
    const body = json(answer);
    // Any server may answer at an address that the operator gives.
    const mayBeAnybody = this.target.profile !== undefined && this.request.operation === 'key-info';
    return isObject(body) && (!mayBeAnybody || isKeyInformation(body) || isKeyInformation(body.data));
  }
}

/** Whether an error claims to be JSON and is not: a fault of the service, since software in front of it sends valid JSON. */
export function isBrokenJson(answer: Answer): boolean {
  return answer.status >= 400 && json(answer) === undefined && isJsonMediaType(answer);
}

function isWithoutJson(answer: Answer): boolean {
  return json(answer) === undefined && !isJsonMediaType(answer);
}

export function isEventStream(answer: Answer): boolean {
  return /^text\/event-stream/i.test(header(answer, 'content-type') ?? '') || /^data:/m.test(answer.text);
}

/** Describes an answer that is not the service's: its status and its media type. */
export function describeForeign(answer: Answer): string {
  const { status } = answer;
  const type = header(answer, 'content-type')?.split(';')[0] ?? 'without a media type';
  return `${status} ${type}`;
}
