import { judgeRecordings, writeObserveCommand } from '../../cli/recordings.js';
import { Selection } from '../../judge/selection.js';
import { makeObservedReport } from '../../recordings/observed-results.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Report } from '../../spec/report.js';
import { fileOf } from '../folders.js';
import { listFailures } from '../report-rows.js';

/** The base URL of the recordings that tests write. */
const base = 'https://api.example.test/v1';
const inferencePath = '/chat/completions';
export const key = 'sk-or-v1-5f0c3b7a9d21';
export const intern = '0b7f8c52-6d1e-4a35-9c84-2f1f5b1f9a10';

export interface ExchangeSpec {
  readonly method?: string;
  /** Relative to the base URL, or a whole URL with a scheme. */
  readonly path?: string;
  readonly status?: number;
  /** Text as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly type?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly sent?: unknown;
  /** Milliseconds from the first exchange of the recording. */
  readonly at?: number;
  readonly time?: number;
  /** Members that replace those of the entry. */
  readonly raw?: Readonly<Record<string, unknown>>;
}

const path = `/vault/interns/${intern}/secrets/a_name`;
export const remove = (spec: ExchangeSpec = {}): ExchangeSpec => ({ method: 'DELETE', path, ...spec });
export const readKey = (spec: ExchangeSpec = {}): ExchangeSpec => ({ path: '/key', ...spec });
export const readGuardrail = (spec: ExchangeSpec = {}) => ({ path: `/guardrails/${intern}`, ...spec });
export const infer = (spec: ExchangeSpec = {}): ExchangeSpec => ({
  method: 'POST',
  path: inferencePath,
  sent: { model: 'acme/large', messages: [] },
  ...spec,
});

export function makeEnvelope(code: number, more: object = {}, error: object = {}): object {
  return { error: { code, message: 'No', ...error }, ...more };
}

/** Makes a valid refusal, with further members beside the error and in it. */
export function fail(status: number, more?: object, error?: object) {
  return { status, body: makeEnvelope(status, more, error) };
}

/** Valid key information with changes; undefined removes a member. */
export function makeKeyData(changed: object = {}): object {
  return {
    data: {
      ...{ label: 'sk', limit: 10, limit_reset: null, limit_remaining: 4, include_byok_in_limit: false },
      ...{ usage: 6, usage_daily: 1, usage_weekly: 3, usage_monthly: 2, is_free_tier: false },
      ...{ byok_usage: 0, byok_usage_daily: 0, byok_usage_weekly: 0, byok_usage_monthly: 0 },
      ...changed,
    },
  };
}

export const readKeyOf = (changed?: object) => readKey({ body: makeKeyData(changed) });
export const readGuardrailOf = (data: object) => readGuardrail({ body: { data } });

export function makeErrorEvent(changed: object = {}): string {
  const chunk = {
    ...{ id: 'gen-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm', provider: 'p' },
    error: { code: 502, message: 'down' },
    choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
    ...changed,
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

const fields = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

const noon = Date.UTC(2026, 2, 4, 12);

export function makeEntry(spec: ExchangeSpec): object {
  const { method = 'GET', path = '/key', status = 200, body = '', at = 0, time = 20, sent } = spec;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const usual = typeof body === 'string' ? 'text/plain' : 'application/json';
  const type = spec.type === undefined ? usual : spec.type;
  return {
    startedDateTime: new Date(noon + at).toISOString(),
    time,
    request: {
      method,
      url: path.includes('://') ? path : `${base}${path}`,
      httpVersion: 'HTTP/1.1',
      headers: fields({ Authorization: `Bearer ${key}`, ...spec.requestHeaders }),
      ...(sent === undefined
        ? {}
        : { postData: { mimeType: 'application/json', text: JSON.stringify(sent) } }),
    },
    response: {
      status,
      statusText: '',
      headers: fields({ ...(type === null || text === '' ? {} : { 'Content-Type': type }), ...spec.headers }),
      content: { size: Buffer.byteLength(text), mimeType: type ?? '', text },
    },
    ...spec.raw,
  };
}

export function makeHar(entries: readonly object[]): string {
  return JSON.stringify({ log: { version: '1.2', creator: { name: 'test', version: '1' }, entries } });
}

export const writeRecording = (name: string, content: string | Buffer): string => fileOf(content, name);

/** Judges a recording as `plumbline observe` does. */
export async function judgeRecording(
  files: readonly string[],
  options: {
    readonly baseUrl?: string | undefined;
    readonly canaries?: readonly string[];
    readonly knowsInference?: boolean;
  } = {},
) {
  const { canaries = [], knowsInference = true } = options;
  const given = 'baseUrl' in options ? options.baseUrl : base;
  const judge = await judgeRecordings({
    ...{ files, baseFlag: '--target', baseUrl: given, canaries, signal: new AbortController().signal },
    inferencePath: knowsInference ? inferencePath : undefined,
  });
  const command = (only: RequirementId) => writeObserveCommand({ files, only, target: judge.baseUrl });
  const selection = new Selection({ only: [], skip: [] });
  const facts = { files, command, selection, durationMs: 1, unjudged: 'nothing was judged' };
  const makeReport = () => makeObservedReport(judge, { ...facts, startedAt: new Date() });
  return {
    judge,
    get report(): Report {
      return makeReport();
    },
    get failures() {
      return listFailures(makeReport());
    },
  };
}

export function observe(spec: readonly ExchangeSpec[], canaries: readonly string[] = []) {
  return judgeRecording([writeRecording('traffic.har', makeHar(spec.map(makeEntry)))], { canaries });
}
