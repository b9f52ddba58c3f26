import { isObject, tryParseJson } from '../spec/json.js';
import { areaOf } from '../spec/ledger.js';
import type { Mismatch, ReportedExchange } from '../spec/report.js';
import type { NumberedFailure } from './failed-requirements.js';

/** A violation, and what its evidence shows of its cause. */
export type Symptom = ReturnType<typeof readSymptom>;

/** Reads what a violation shows of its cause. */
export function readSymptom(numbered: NumberedFailure) {
  const { failure } = numbered;
  const { situation_parts: parts, requirement, mismatch, counterexample, exchanges } = failure;
  const { wrong, event, secret, fields = [] } = mismatch ?? {};
  const outcome = parts?.outcome ?? exchanges.at(-1)?.response?.status;
  const statuses = typeof outcome === 'number' ? mismatch?.due : undefined;
  const due = typeof statuses === 'object' ? statuses[0] : statuses;
  return {
    ...numbered,
    operation: parts?.operation ?? areaOf(requirement),
    /** The status of the answer, or of the error event in it; the error's code where there was no answer. */
    got: event ?? outcome,
    /** Which request it was, without what differs from run to run. */
    request: parts?.request ?? String(counterexample.request ?? ''),
    /** Undefined where the report has only words for it. */
    wrong,
    /** What was due in place of the status; undefined where the status is not what is wrong. */
    due,
    /** Every status that was allowed; empty where the status is not what is wrong. */
    allowed: typeof statuses === 'object' ? statuses : [],
    /** What is special about the request, where that tells faults apart; empty where nothing is. */
    condition: findCondition(due, mismatch),
    secret,
    /** The members or headers that are wrong, or of which one is. */
    fields,
    /** What was received in place of JSON, in words that follow the status; undefined for JSON or an event stream. */
    form: areaOf(requirement) === 'secrecy' ? undefined : describeForm(exchanges.at(-1)),
  };
}

/** Describes the request that succeeded wrongly, or the key and host that were refused: each role has a rule of its own. */
function findCondition(due: number | string | undefined, { asked, secret }: Partial<Mismatch> = {}): string {
  if (isSuccess(due)) return asked?.model ?? secret ?? '';
  return due === 429 ? '' : `${asked?.key} ${asked?.host}`;
}

/** Whether a status is one of success. */
export function isSuccess(status: number | string | undefined): boolean {
  return typeof status === 'number' && status < 300;
}

/** Whether a violation shows that a secret is gone that should have stayed. */
export function isLoss({ secret }: Symptom): boolean {
  return secret === 'lost' || secret === 'taken';
}

/** Whether the form of the answer is what a violation is about, its status being right. */
export function isAboutForm({ form, wrong }: Symptom): boolean {
  return form !== undefined && wrong === 'form';
}

/** Names the object whose members are the same everywhere: all operations share one envelope. */
export function findScope({ failure: { requirement }, operation, fields: [field = ''] }: Symptom): string {
  if (areaOf(requirement) === 'stream-error') return 'event';
  return areaOf(requirement) === 'envelope' || field.split('.')[0] === 'error' ? 'envelope' : operation;
}

/** Describes what was received in place of JSON; undefined for JSON, an event stream, or nothing at all. */
function describeForm(exchange: ReportedExchange | undefined): string | undefined {
  const response = exchange?.response;
  if (response === undefined || response === null || exchange?.request.method === 'HEAD') return undefined;
  const { status, headers, body, truncated } = response;
  const header = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const type = header.split(';')[0]?.trim().toLowerCase() ?? '';
  const announced = type === '' ? 'without media type' : `announced as ${type}`;
  if (type === 'text/event-stream') return undefined;
  if (body === '') return status >= 400 ? 'with an empty body in place of JSON' : undefined;
  if (/^(?:data|event|id|retry|):/m.test(body)) return `with an event stream ${announced}`;
  const parsed = truncated ? undefined : tryParseJson(body);
  const value = isObject(parsed) ? parsed : undefined;
  if (!/^\w+\/(?:[\w.+-]+\+)?json$/.test(type)) {
    if (value !== undefined) return `with JSON ${announced}`;
    return `${type === '' ? 'with a body without media type' : type} in place of JSON`;
  }
  if (truncated) return undefined;
  if (value === undefined) return 'with a body that is not a JSON object';
  const isError = status < 300 && 'error' in value && !('data' in value) && isObject(value.error);
  return isError ? 'with an error in the body' : undefined;
}
