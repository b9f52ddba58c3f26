import { type Answer, isFrames } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { addHeaders, countUp, editEnvelope, type Mutation, setHeader } from '../mutation.js';
import { everyday, permitted, type VariantRows } from '../variant.js';
import { isJsonObject, type JsonObject } from '../vocabulary.js';

/** Variants that write the same JSON otherwise, or more of it: the text is the server's freedom (§1). */
export const bodiesVariants: VariantRows = {
  'more-members': everyday('2.4')(
    'Header names in odd case, and members the document does not know in every object',
    {
      answer: (answer) => ({
        ...answer,
        headers: { ...withOddNames(answer.headers), 'x-REQUEST-id': 'r-1' },
        body: editJson(answer.body, addMembers),
      }),
    },
  ),
  'problem-json': everyday('2.4')('Errors are application/problem+json', {
    errorMediaType: 'application/problem+json; charset=utf-8',
  }),
  'media-type-in-odd-case': permitted('2.4')(
    'The media type of errors is in odd case, with blanks and a quoted charset',
    { errorMediaType: 'Application/JSON ; Charset="UTF-8"; profile="a;b"' },
  ),
  'envelope-full': permitted('2.4')(
    'Every optional member of the envelope is there and holds something',
    editEnvelope({}, (_body, { status, message, metadata }) => ({
      user_id: 'user_1',
      service_metadata: { region: 'eu', trace: { id: 'f9e4', steps: [1, null] } },
      error: { message, metadata: { retryable: false, reasons: [], ...metadata }, code: status },
    })),
  ),
  'envelope-in-turns': everyday('2.4')(
    'The optional members of the envelope come and go from answer to answer',
    editEnvelope({}, (body, { metadata }, call) => {
      const turn = countUp(call, 'envelopes') % 3;
      const error = { ...body.error, ...(turn === 0 && metadata === undefined ? { metadata: {} } : {}) };
      return turn === 1 ? { error, user_id: '' } : { error, service_metadata: turn === 0 ? {} : null };
    }),
  ),
  'empty-messages': permitted('2.4')('The message of every error is empty', withMessage('')),
  'messages-in-many-scripts': permitted('2.4')(
    'Messages are long, hold quotes, line ends and signs of many scripts, and words like data:',
    withMessage(`Größe "?" — 大きさ 🙂\n\ndata: {"error": null}\t<b>\u0001 ${'long '.repeat(200)}`),
  ),
  'message-tells-the-path': everyday('2.4')('The message of every error repeats the method and the path', {
    envelope: (call, refusal) =>
      conforming.envelope(call, {
        ...refusal,
        message: `${call.method} ${call.path}: ${refusal.message}`,
      }),
  }),
  'json-with-white-space': permitted('1')(
    'JSON has white space wherever it may have it, around it too, and its members in the opposite order',
    respell({ space: ' \r\n\t ', reversed: true }),
  ),
  'json-escaped': permitted('1')(
    'Every character of every JSON string and member name is a \\u escape',
    respell({ string: (text) => `"${codeUnits(text).map(escapeUnit).join('')}"` }),
  ),
  'numbers-with-exponent': permitted('1')(
    'Numbers are written with an exponent or a fraction: 5e-1, 50.00',
    respell({ number: (value) => (Number.isSafeInteger(value) ? `${value}.00` : value.toExponential()) }),
  ),
  'vendor-media-type-on-success': permitted('1')(
    'Successes are application/vnd.acme.v1+json',
    setHeader(
      { status: 200, when: (_call, { body }) => !isFrames(body) },
      'Content-Type',
      'application/vnd.acme.v1+json',
    ),
  ),
  'no-challenge': permitted('5')(
    'A 401 has no WWW-Authenticate',
    setHeader({ status: 401 }, 'WWW-Authenticate', undefined),
  ),
  'retry-after-on-503': permitted('7.3')(
    'Every 503 carries Retry-After as an HTTP date that has passed',
    addHeaders({ status: 503 }, { 'Retry-After': 'Wed, 21 Oct 2015 07:28:00 GMT' }),
  ),
};

function codeUnits(text: string): readonly number[] {
  return Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
}

function escapeUnit(codeUnit: number): string {
  return `\\u${codeUnit.toString(16).padStart(4, '0')}`;
}

function withOddNames(headers: Answer['headers']): Record<string, string> {
  const entries = Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value], at) => [oddName(name, at), value]));
}

function oddName(name: string, at: number): string {
  return at % 2 === 0 ? name.toLowerCase() : name.toUpperCase();
}

/** The JSON object of a body, and that of each chunk of a stream, is made into another, or into its text. */
function editJson(
  body: Answer['body'],
  change: (object: JsonObject, isChunk: boolean) => JsonObject | string,
): Answer['body'] {
  if (!isFrames(body)) return isJsonObject(body) ? change(body, false) : body;
  return body.map((frame) =>
    'data' in frame && isJsonObject(frame.data) ? { data: change(frame.data, true) } : frame,
  );
}

function addMembers(object: JsonObject): JsonObject {
  const members = Object.entries(object).map(([name, value]) => [
    name,
    isJsonObject(value) ? { x_more: [1], ...value } : value,
  ]);
  return { x_more: { a: null }, ...Object.fromEntries(members) };
}

/** How the parts of a JSON text are written; what is left out is written as `JSON.stringify` does. */
interface Spelling {
  readonly number?: (value: number) => string;
  /** A string, its quotes included; names of members too. */
  readonly string?: (text: string) => string;
  /** What stands on both sides of every bracket, colon and comma. */
  readonly space?: string;
  /** Members come in the opposite order. */
  readonly reversed?: true;
}

/** Every JSON body, and every JSON chunk of a stream, is written with this spelling. */
function respell(spelling: Spelling): Mutation {
  // A data line ends where the line ends: only blanks may stand in it.
  const ofChunks = { ...spelling, space: (spelling.space ?? '').replace(/\s/g, ' ') };
  const write = (object: JsonObject, isChunk: boolean) => jsonText(object, isChunk ? ofChunks : spelling);
  return { answer: (answer) => ({ ...answer, body: editJson(answer.body, write) }) };
}

function jsonText(value: unknown, spelling: Spelling): string {
  const { number = String, string = JSON.stringify, space = '', reversed } = spelling;
  const inside = (open: string, parts: readonly string[], close: string): string => {
    const ordered = reversed ? parts.toReversed() : parts;
    return `${space}${open}${space}${ordered.join(`${space},${space}`)}${space}${close}${space}`;
  };
  if (typeof value === 'number') return number(value);
  if (typeof value === 'string') return string(value);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = reversed ? value.toReversed() : value;
    return inside(
      '[',
      items.map((item) => jsonText(item, spelling)),
      ']',
    );
  }
  if (!isJsonObject(value)) return String(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return inside(
    '{',
    members.map(([name, member]) => `${string(name)}${space}:${space}${jsonText(member, spelling)}`),
    '}',
  );
}

function withMessage(message: string): Mutation {
  return { envelope: (call, refusal) => conforming.envelope(call, { ...refusal, message }) };
}
