import { type Answer, type Call, isFrames, type Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { countUp, editEnvelope, type Mutation, mapMembers, setHeaders } from '../mutation.js';
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
  'envelope-in-turns': everyday('2.4')(
    'The optional members of the envelope come and go from answer to answer',
    editEnvelope({}, (body, { metadata }, call) => {
      const turn = countUp(call, 'envelopes') % 3;
      const error = { ...body.error, ...(turn === 0 && metadata === undefined ? { metadata: {} } : {}) };
      return turn === 1 ? { error, user_id: '' } : { error, service_metadata: turn === 0 ? {} : null };
    }),
  ),
  'empty-messages': permitted('2.4')(
    'The message of every error is empty',
    withMessage(() => ''),
  ),
  'messages-in-many-scripts': permitted('2.4')(
    'Messages are long, hold quotes, line ends and signs of many scripts, and words like data:',
    withMessage(() => `Größe "?" — 大きさ 🙂\n\ndata: {"error": null}\t<b>\u0001 ${'long '.repeat(200)}`),
  ),
  'message-tells-the-path': everyday('2.4')(
    'The message of every error repeats the method and the path',
    withMessage(({ method, path }, { message }) => `${method} ${path}: ${message}`),
  ),
  'json-respelt': permitted('1')(
    'JSON has white space around every token, numbers with an exponent or a fraction, and strings of escapes alone',
    { answer: (answer) => ({ ...answer, body: editJson(answer.body, respell) }) },
  ),
  'vendor-media-type-on-success': permitted('1')(
    'Successes are application/vnd.acme.v1+json',
    setHeaders(
      { status: 200, when: (_call, { body }) => !isFrames(body) },
      { 'Content-Type': 'application/vnd.acme.v1+json' },
    ),
  ),
  'no-challenge': permitted('5')(
    'A 401 has no WWW-Authenticate',
    setHeaders({ status: 401 }, { 'WWW-Authenticate': undefined }),
  ),
  'retry-after-on-503': permitted('7.3')(
    'Every 503 carries Retry-After as an HTTP date that has passed',
    setHeaders({ status: 503 }, { 'Retry-After': 'Wed, 21 Oct 2015 07:28:00 GMT' }),
  ),
};

function withOddNames(headers: Answer['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(
    ([name, value], at) => [at % 2 === 0 ? name.toLowerCase() : name.toUpperCase(), value] as const,
  );
  return Object.fromEntries(entries);
}

/** Replaces the JSON object of a body, or that of each chunk of a stream, by another or by its text. */
function editJson(body: Answer['body'], change: (object: JsonObject) => JsonObject | string): Answer['body'] {
  if (!isFrames(body)) return isJsonObject(body) ? change(body) : body;
  return body.map((frame) =>
    'data' in frame && isJsonObject(frame.data) ? { data: change(frame.data) } : frame,
  );
}

function addMembers(object: JsonObject): JsonObject {
  const members = mapMembers(object, (value) => (isJsonObject(value) ? { x_more: [1], ...value } : value));
  return { x_more: { a: null }, ...members };
}

// A string, a number, or any other token of a JSON text.
const TOKENS = /("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*)|[a-z]+|[[\]{}:,]/g;

/** Writes a JSON object otherwise than `JSON.stringify`; on one line, since a data line ends with the line. */
function respell(object: JsonObject): string {
  return JSON.stringify(object).replace(TOKENS, (token, string?: string, number?: string) => {
    if (string !== undefined) return ` "${escapeAll(JSON.parse(string) as string)}" `;
    return ` ${number === undefined ? token : respellNumber(Number(number))} `;
  });
}

function respellNumber(value: number): string {
  return Number.isSafeInteger(value) ? `${value}.00` : value.toExponential();
}

function escapeAll(text: string): string {
  return text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function withMessage(write: (call: Call, refusal: Refusal) => string): Mutation {
  return {
    envelope: (call, refusal) => conforming.envelope(call, { ...refusal, message: write(call, refusal) }),
  };
}
