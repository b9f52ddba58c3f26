import { areaOf, ledger } from '../spec/ledger.js';
import type { Failure, ReportedExchange } from '../spec/report.js';

/** What the evidence of a violation shows of its cause. */
export interface Symptom {
  readonly failure: Failure;
  readonly operation: string;
  /** The status of the answer, or of the error event in it; the code of the error where there was no answer. */
  readonly got: number | string;
  /** Which request it was, without what differs from run to run. */
  readonly request: string;
  /** What was due in place of the status; undefined where the status is not what is wrong. */
  readonly due: DueStatus | undefined;
  /** Every status that was allowed, where that is about statuses. */
  readonly allowed: readonly number[];
  /** What is special about the request, where that tells faults apart: `provisioning key`. */
  readonly condition: string;
  /** The members or headers that are wrong, or of which one is. */
  readonly fields: readonly string[];
  /** Whether one of them is wrong beside the other, which does not say which. */
  readonly isRelation: boolean;
  /** What came in place of JSON: `text/html`; undefined where JSON or an event stream did. */
  readonly form: string | undefined;
}

/** A status; `refusal` where any refusal was due, `documented` where any documented status was. */
type DueStatus = number | 'refusal' | 'documented';

// What the suite makes of an answer is shorter; a report from elsewhere may hold megabytes.
const longestText = 1_200;

/** Reads what a violation shows of its cause. */
export function readSymptom(original: Failure): Symptom {
  const cut = (text: string) => text.slice(0, longestText);
  const failure = {
    ...original,
    message: cut(original.message),
    expected: cut(original.expected),
    actual: cut(original.actual),
  };
  const { situation_parts: parts, requirement, expected, actual, counterexample, exchanges } = failure;
  const operation = parts?.operation ?? areaOf(requirement);
  const request = cut(parts?.request ?? String(counterexample.request ?? ''));
  const due = readDue(failure);
  const inBand = /\berror event of code (\d{3})$/.exec(actual)?.[1];
  const status = /^\d{3}$/.test(actual) ? Number(actual) : undefined;
  const outcome = parts?.outcome ?? status ?? exchanges.at(-1)?.response?.status ?? 'no-answer';
  return {
    failure,
    operation,
    got: inBand === undefined ? outcome : Number(inBand),
    request,
    due,
    allowed: due === undefined ? [] : readAllowed(expected),
    condition:
      actual === 'the control protocol no longer lists it'
        ? loss
        : due === undefined
          ? ''
          : readCondition(request, due, failure),
    fields: due === undefined ? readFields(failure) : [],
    isRelation: !valueFirst.test(expected),
    form: areaOf(requirement) === 'secrecy' ? undefined : readForm(exchanges.at(-1)),
  };
}

/** Whether a status is one of success. */
export function isSuccess(status: number | string | undefined): boolean {
  return typeof status === 'number' && status < 300;
}

/** Whether the form of the answer is what a violation is about, its status being right. */
export function isAboutForm({ form, due, fields, failure: { expected } }: Symptom): boolean {
  return form !== undefined && due === undefined && fields.length === 0 && expected.includes('JSON');
}

/** Returns where members of a name are the same: the envelope is one for all operations. */
export function scopeOf({ failure: { requirement }, operation, fields: [field = ''] }: Symptom): string {
  if (areaOf(requirement) === 'stream-error') return 'event';
  return areaOf(requirement) === 'envelope' || /^error(?:\.|$)/.test(field) ? 'envelope' : operation;
}

// ── Statuses ──

const statusWords =
  /^(?:\d{3}(?: and (?:no|an) error event.*)?|no error event|an error event of code \d{3})$/;

function readDue({ expected, actual, situation_parts: parts }: Failure): DueStatus | undefined {
  if (expected.startsWith('a status that the document names')) return 'documented';
  if (parts !== undefined && typeof parts.outcome !== 'number') return undefined;
  if (!statusWords.test(actual)) return undefined;
  const status = /^(?:an error event of code )?(\d{3})\b/.exec(expected)?.[1];
  if (status !== undefined) return Number(status);
  return expected.startsWith('a refusal') ? 'refusal' : undefined;
}

function readAllowed(expected: string): readonly number[] {
  const statuses = /^(?:an error event of code )?(\d{3}(?: or \d{3})*)\b/.exec(expected)?.[1];
  return statuses?.split(' or ').map(Number) ?? [];
}

/** The condition of what is missing later, whether a request or the control protocol shows it. */
const loss = 'the secret is gone although its delete was refused';

/** Whether a violation shows that a secret is gone which was to stay. */
export function isLoss({ condition }: Symptom): boolean {
  return condition.startsWith('the secret is gone');
}

/** Keys whose refusal has a reason of its own. */
const specialRoles = [
  'provisioning',
  'disabled',
  'expired_session',
  'unscoped',
  'outsider',
  'write_disabled',
];

/**
 * Reads what tells a request from others with the same wrong status: for a refusal who asks, since each role is refused
 * by a rule of its own; for a success what led to the wrong answer, which stands at the end of the message.
 */
function readCondition(request: string, due: DueStatus, { message }: Failure): string {
  if (/ on the .*host/.test(request)) return 'hostname';
  if (typeof due === 'number' && due < 300) {
    const model = /^POST (free|paid) model/.exec(request)?.[0];
    return model ?? / \((the secret is gone[^()]*|it was stored again)\)$/.exec(message)?.[1] ?? '';
  }
  if (request.includes(' with the header ')) return 'no known key';
  const role = / as (\w+)/.exec(request)?.[1] ?? '';
  return specialRoles.includes(role) ? role : '';
}

// ── Members ──

const valueFirst = /^[\w.]+ (?:["[{\d-]|null|true|false)/;
const shapeSubject = /^([a-z][\w.]*) (?:must be|is missing|is not|is \d)/i;
const namedHeader = /\bheader ([A-Z][\w-]+)$|\bcarries (X-RateLimit-[\w-]+)$|^(Retry-After) is/;
const namedMember = /^((?:error\.metadata|data)\.\w+)\b/;
const dataFields = new Set(
  ledger.flatMap(({ id }) => /^(?:guardrail-read|key-info)\.field\.(\w+)$/.exec(id)?.[1] ?? []),
);

/** Lists what is wrong in an answer: members of `data` by their names alone, others by their paths. */
function readFields({ requirement, expected, actual, exchanges }: Failure): readonly string[] {
  const shape = shapeSubject.exec(actual)?.[1];
  if (shape !== undefined) {
    const [first = '', member] = shape.split('.');
    return [first === 'data' && member !== undefined ? member : shape];
  }
  const header = (namedHeader.exec(expected.replace(/, since .*/, '')) ?? namedHeader.exec(actual))?.slice(1);
  const named = header?.find((name) => name !== undefined) ?? namedMember.exec(expected)?.[1];
  if (named !== undefined) return [findMissing(named, exchanges.at(-1)).replace(/^data\./, '')];
  if (!/^(?:guardrail-read|key-info)\./.test(requirement)) return [];
  const words = `${expected}, ${actual}`.matchAll(/(?<=^|, |and )([a-z_]+)(?= )|(?<=than )[a-z_]+/g);
  return [...new Set([...words].map(([word]) => word).filter((word) => dataFields.has(word)))];
}

/** Returns the shortest beginning of a path of which the body has nothing: a member within it is missing with it. */
function findMissing(path: string, exchange: ReportedExchange | undefined): string {
  const body = exchange?.response?.body;
  if (body === undefined) return path;
  const steps = path.split('.');
  let value: unknown = parseObject(body);
  for (const [at, step] of steps.entries()) {
    if (!isMembers(value)) return steps.slice(0, Math.max(at, 1)).join('.');
    value = value[step];
  }
  return path;
}

/** Whether an answer lacks a header; what lacks several has one cause. */
export function isMissingHeader({ fields: [field = ''], failure: { actual } }: Symptom): boolean {
  return /^[A-Z]/.test(field) && actual === 'no such header';
}

// ── The form of an answer ──

/** Forms that leave the members to be read, or say what they are. */
const readableForm = 'JSON announced';
const errorForm = 'an error in the body';

/** Whether the form of an answer explains whatever else is wrong with it: it is not the answer of the service. */
export function isOfOtherForm({ form }: Symptom): boolean {
  return form !== undefined && !form.startsWith(readableForm);
}

/** Reads what came where JSON was due; undefined where JSON or an event stream did, or nothing at all. */
function readForm(exchange: ReportedExchange | undefined): string | undefined {
  const response = exchange?.response;
  if (response === undefined || response === null || exchange?.request.method === 'HEAD') return undefined;
  const { status, headers, body, truncated } = response;
  const header = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const media = header.split(';')[0]?.trim().toLowerCase() ?? '';
  if (media === 'text/event-stream') return undefined;
  if (body === '') return status >= 400 ? 'an empty body' : undefined;
  const value = truncated ? undefined : parseObject(body);
  if (!/^\w+\/(?:[\w.+-]+\+)?json$/.test(media)) {
    if (value !== undefined) return `${readableForm} as ${media || 'nothing'}`;
    return media === '' ? 'a body without media type' : media;
  }
  if (truncated) return undefined;
  if (value === undefined) return 'a body that is not a JSON object';
  return status < 300 && 'error' in value && !('data' in value) && isMembers(value.error)
    ? errorForm
    : undefined;
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMembers(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
