import { areaOf } from '../spec/ledger.js';
import type { AskedWith, Mismatch, Wrong } from '../spec/mismatch.js';
import type { Failure, ReportedExchange } from '../spec/report.js';

/** What the evidence of a violation shows of its cause. */
export interface Symptom {
  readonly failure: Failure;
  readonly operation: string;
  /**
   * The status of the answer, or of the error event in it; the code of the error where there was no answer. Undefined where
   * the report does not say it.
   */
  readonly got: number | string | undefined;
  /** Which request it was, without what differs from run to run. */
  readonly request: string;
  /** Undefined where the report has only words for it. */
  readonly wrong: Wrong | undefined;
  /** What was due in place of the status; undefined where the status is not what is wrong. */
  readonly due: number | 'refusal' | 'documented' | undefined;
  /** Every status that was allowed, where that is about statuses. */
  readonly allowed: readonly number[];
  /** What is special about the request, where that tells faults apart; empty where nothing is. */
  readonly condition: Condition;
  readonly model: AskedWith['model'];
  readonly secret: Mismatch['secret'];
  /** The members or headers that are wrong, or of which one is. */
  readonly fields: readonly string[];
  /** What came in place of JSON; undefined where JSON or an event stream did. */
  readonly form: Form | undefined;
}

type Condition =
  | ''
  | 'host'
  | AskedWith['key']
  | NonNullable<AskedWith['model']>
  | NonNullable<Mismatch['secret']>;

/** Reads what a violation shows of its cause. */
export function readSymptom(failure: Failure): Symptom {
  const { situation_parts: parts, requirement, mismatch, counterexample, exchanges } = failure;
  const { wrong, event, asked, secret, fields = [] } = mismatch ?? {};
  const outcome = parts?.outcome ?? exchanges.at(-1)?.response?.status;
  const due = typeof outcome === 'number' ? mismatch?.due : undefined;
  const first = typeof due === 'object' ? due[0] : due;
  return {
    failure,
    operation: parts?.operation ?? areaOf(requirement),
    got: event ?? outcome,
    request: parts?.request ?? String(counterexample.request ?? ''),
    wrong,
    due: first,
    allowed: typeof due === 'object' ? due : [],
    condition: first === undefined ? '' : findCondition(isSuccess(first), mismatch),
    model: asked?.model,
    secret,
    fields,
    form: areaOf(requirement) === 'secrecy' ? undefined : readForm(exchanges.at(-1)),
  };
}

/** Keys whose refusal has a reason of its own. */
const specialKeys: readonly Condition[] = [
  'none',
  'provisioning',
  'disabled',
  'expired_session',
  'unscoped',
  'outsider',
  'write_disabled',
];

/**
 * Finds what tells a request from others with the same wrong status: for a refusal who asks, since each role is refused by
 * a rule of its own; for a success what led to the wrong answer.
 */
function findCondition(isOfSuccess: boolean, { asked, secret }: Partial<Mismatch> = {}): Condition {
  const { host, model, key = '' } = asked ?? {};
  if (host !== undefined) return 'host';
  if (isOfSuccess) return model ?? secret ?? '';
  return specialKeys.includes(key) ? key : '';
}

/** Whether a status is one of success. */
export function isSuccess(status: number | string | undefined): boolean {
  return typeof status === 'number' && status < 300;
}

/** Whether a violation shows that a secret is gone which was to stay. */
export function isLoss({ secret }: Symptom): boolean {
  return secret === 'lost' || secret === 'taken';
}

/** Whether the form of the answer is what a violation is about, its status being right. */
export function isAboutForm({ form, wrong }: Symptom): boolean {
  return form !== undefined && wrong === 'form';
}

/** Returns where members of a name are the same: the envelope is one for all operations. */
export function scopeOf({ failure: { requirement }, operation, fields: [field = ''] }: Symptom): string {
  if (areaOf(requirement) === 'stream-error') return 'event';
  return areaOf(requirement) === 'envelope' || field.split('.')[0] === 'error' ? 'envelope' : operation;
}

/** What came where JSON was due. */
export interface Form {
  /**
   * JSON, or a stream of events, under another media type, whose members can be read all the same; or an error in what should
   * be a success.
   */
  readonly kind: 'other' | 'mislabelled' | 'stream' | 'untyped' | 'empty' | 'no-object' | 'error';
  /** The media type; empty where the kind says all. */
  readonly type: string;
}

/** Reads what came where JSON was due; undefined where JSON or an event stream did, or nothing at all. */
function readForm(exchange: ReportedExchange | undefined): Form | undefined {
  const response = exchange?.response;
  if (response === undefined || response === null || exchange?.request.method === 'HEAD') return undefined;
  const { status, headers, body, truncated } = response;
  const header = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const media = header.split(';')[0]?.trim().toLowerCase() ?? '';
  if (media === 'text/event-stream') return undefined;
  if (body === '') return status >= 400 ? { kind: 'empty', type: '' } : undefined;
  if (/^(?:data|event|id|retry|):/m.test(body)) return { kind: 'stream', type: media };
  const value = truncated ? undefined : parseObject(body);
  if (!/^\w+\/(?:[\w.+-]+\+)?json$/.test(media)) {
    if (value !== undefined) return { kind: 'mislabelled', type: media };
    return { kind: media === '' ? 'untyped' : 'other', type: media };
  }
  if (truncated) return undefined;
  if (value === undefined) return { kind: 'no-object', type: '' };
  return status < 300 && 'error' in value && !('data' in value) && isMembers(value.error)
    ? { kind: 'error', type: '' }
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
