import { type Answer, type Frame, isFrames } from '../behaviour.js';
import { makeVariants, type Variant } from '../variant.js';
import { isJsonObject, type JsonObject } from '../vocabulary.js';
import { respelled } from './json-text.js';

/** Variants that write the same JSON otherwise, or more of it: the text is the server's freedom (§1). */
export const jsonVariants: readonly Variant[] = [
  ...makeVariants('2.4', {
    'more-members': {
      everyday: 'Header names in odd case, and members the document does not know in every object',
      override: {
        answer: (answer) => ({
          ...answer,
          headers: { ...withOddNames(answer.headers), 'x-REQUEST-id': 'r-1' },
          body: withMoreMembers(answer.body),
        }),
      },
    },
  }),
  ...makeVariants('1', {
    'json-with-white-space': {
      description: 'JSON has white space and line ends wherever it may have them, around it too',
      override: respelled({ space: ' \r\n\t ' }),
    },
    'json-escaped': {
      description: 'Every character of every JSON string and member name is a \\u escape',
      override: respelled({ string: (text) => `"${codeUnits(text).map(escaped).join('')}"` }),
    },
    'json-slashes-escaped': {
      description: 'JSON strings escape slashes, and what is not ASCII',
      override: respelled({
        string: (text) =>
          JSON.stringify(text)
            .replaceAll('/', '\\/')
            .replace(/[^ -~]/g, escapedSign),
      }),
    },
    'numbers-with-exponent': {
      description: 'Numbers are written with an exponent: 5e+1',
      override: respelled({ number: (value) => value.toExponential() }),
    },
    'numbers-with-fraction': {
      description: 'Whole numbers are written with a fraction: 50.00',
      override: respelled({
        number: (value) => (Number.isSafeInteger(value) ? `${value}.00` : String(value)),
      }),
    },
    'members-in-another-order': {
      description: 'The members of every object come in the opposite order',
      override: respelled({ reversed: true }),
    },
    'vendor-media-type-on-success': {
      description: 'Successes are application/vnd.acme.v1+json',
      override: {
        answer: (answer) =>
          answer.status === 200 && !isFrames(answer.body)
            ? { ...answer, headers: { ...answer.headers, 'Content-Type': 'application/vnd.acme.v1+json' } }
            : answer,
      },
    },
  }),
];

function codeUnits(text: string): readonly number[] {
  return Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
}

function escaped(codeUnit: number): string {
  return `\\u${codeUnit.toString(16).padStart(4, '0')}`;
}

function escapedSign(sign: string): string {
  return codeUnits(sign).map(escaped).join('');
}

function withOddNames(headers: Answer['headers']): Record<string, string> {
  const entries = Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value], at) => [oddName(name, at), value]));
}

function oddName(name: string, at: number): string {
  return at % 2 === 0 ? name.toLowerCase() : name.toUpperCase();
}

function withMoreMembers(body: Answer['body']): Answer['body'] {
  if (isFrames(body)) return body.map(frameWithMoreMembers);
  return isJsonObject(body) ? objectWithMoreMembers(body) : body;
}

function frameWithMoreMembers(frame: Frame): Frame {
  return 'data' in frame && isJsonObject(frame.data) ? { data: objectWithMoreMembers(frame.data) } : frame;
}

function objectWithMoreMembers(object: JsonObject): JsonObject {
  const members = Object.entries(object).map(([name, value]) => [
    name,
    isJsonObject(value) ? { x_more: [1], ...value } : value,
  ]);
  return { x_more: { a: null }, ...Object.fromEntries(members) };
}
