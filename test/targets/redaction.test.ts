import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../targets/exchange.js';
import { Canaries, type Leak } from '../../targets/leak-detection.js';
import { Redactor } from '../../targets/redaction.js';
import { sampleAnswer } from '../judge/samples.js';

// Its base64 has both signs in which the alphabets differ, wherever it begins.
const key = 'sk-or_v1/5Zq"+~é????>>>>0123456789';
const name = '$PLUMBLINE_KEY_MEMBER';

function makeRedactor(...secrets: readonly (readonly [value: string, name: string])[]): Redactor {
  const redactor = new Redactor();
  for (const [value, known] of secrets) redactor.register(value, known);
  return redactor;
}

const hex = Buffer.from(key).toString('hex');

it('every occurrence of a secret is replaced', () => {
  const clean = `a ${name}, ${name}${name}!`;
  for (const written of [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1), hex])
    expect(makeRedactor([key, name]).redact(`a ${written}, ${written}${written}!`)).toBe(clean);
});

it('a secret that begins with another is replaced first', () => {
  const redactor = makeRedactor(['sk-plumbline', '$SHORT'], ['sk-plumbline-long', '$LONG']);
  expect(redactor.redact('sk-plumbline-long sk-plumbline-l sk-plumbline')).toBe('$LONG $SHORT-l $SHORT');
});

it('a secret that contains another is replaced whole, and both are listed', () => {
  const redactor = makeRedactor(['plumbline-inner', '$INNER'], ['sk-plumbline-inner-key', '$OUTER']);
  expect(redactor.redact('sk-plumbline-inner-key plumbline-inner')).toBe('$OUTER $INNER');
  const both = ['sk-plumbline-inner-key', 'plumbline-inner'];
  expect(redactor.secretsIn(both.join(' '))).toEqual(both);
});

it('overlapping secrets do not both remain', () => {
  const redactor = makeRedactor(['abcdefghij', '$ONE'], ['ghijklmnop', '$TWO']);
  const redacted = redactor.redact('abcdefghijklmnop');
  expect(redacted).toMatch(/^\$ONE/);
  expect(redacted).not.toContain('ghijklmnop');
});

const harmless = [
  '',
  'abc',
  'sk-or_v1',
  '{"error":{"code":404}}',
  '$PLUMBLINE_KEY_MEMBER',
  'x'.repeat(10_000),
];
it.each(harmless)('a text without a secret is not changed: %s', (text) => {
  expect(makeRedactor([key, name]).redact(text)).toBe(text);
  expect(new Redactor().redact(text)).toBe(text);
});

it('a name with the role of its key is not taken for a part of the key', () => {
  const redactor = makeRedactor(['sk-free_small_second-0123456789', '$PLUMBLINE_KEY_FREE_SMALL_SECOND']);
  const redacted = redactor.redact('Bearer sk-free_small_second-0123456789');
  expect(redacted).toBe('Bearer $PLUMBLINE_KEY_FREE_SMALL_SECOND');
  expect(redactor.redact(redacted)).toBe(redacted);
});

it('an inserted name is not replaced again', () => {
  const redactor = makeRedactor(['secret-a', '$SECRET-B'], ['SECRET-B', '$X']);
  expect(redactor.redact('secret-a')).toBe('$SECRET-B');
});

it('a value of fewer than six characters is not a secret', () => {
  expect(makeRedactor(['abcde', name]).redact('abcde')).toBe('abcde');
  expect(makeRedactor(['abcdef', name]).redact('abcdef')).toBe(name);
});

it('a secret that is registered again, in quotes too, keeps its first name', () => {
  expect(makeRedactor([key, name], [key, '$OTHER']).redact(key)).toBe(name);
  const redactor = makeRedactor(['sk-quoted-0123456789', name], ['"sk-quoted-0123456789"', '$OTHER']);
  expect(redactor.redact('Bearer sk-quoted-0123456789')).toBe(`Bearer ${name}`);
  expect(redactor.secretsIn('a "sk-quoted-0123456789"')).toEqual(['sk-quoted-0123456789']);
});

it('a secret that contains quotes keeps the quotes of its JSON text', () => {
  const redactor = makeRedactor(['"sk-quoted-0123"', name]);
  expect(JSON.parse(redactor.redact(JSON.stringify(['sk-quoted-0123'])))).toEqual([name]);
  expect(JSON.parse(redactor.redact(JSON.stringify(['"sk-quoted-0123"'])))).toEqual([`"${name}"`]);
});

const beginning = (text: string, characters: number) =>
  makeRedactor([key, name]).redactBeginning(text, characters);

it('a text is redacted before it is cut, wherever the cut is', () => {
  for (let padding = 0; padding < 2 * key.length; padding++) {
    const text = '.'.repeat(padding) + key.repeat(40);
    const whole = '.'.repeat(padding) + name.repeat(40);
    for (const kept of [1, 10, 50, 300]) expect(beginning(text, kept)).toBe(whole.slice(0, kept));
  }
});

it('a cut text loses a trailing part of a secret from 6 characters on', () => {
  expect(beginning(`a ${key.slice(0, 6)}`, 100)).toBe('a ');
  expect(beginning(`a ${hex.slice(0, -1)}`, 100)).toBe('a ');
  expect(beginning(`${key} ${key.slice(0, -1)}`, 100)).toBe(`${name} `);
  expect(beginning(`a ${key.slice(0, 5)}`, 100)).toBe(`a ${key.slice(0, 5)}`);
  expect(beginning(`${key.slice(0, 6)} a`, 100)).toBe(`${key.slice(0, 6)} a`);
});

it('a cut text keeps the name of a trailing secret, although a longer secret begins with it', () => {
  const redactor = makeRedactor(['sk-plumbline', '$SHORT'], ['sk-plumbline-long', '$LONG']);
  expect(redactor.redactBeginning('a sk-plumbline', 100)).toBe('a $SHORT');
});

it('a text is redacted again after a value is registered, forgotten or made public', () => {
  const redactor = makeRedactor(['first-secret', '$ONE']);
  const text = 'first-secret second-secret at https://api.example.test/v1/key';
  expect(redactor.redact(text)).toBe(text.replace('first-secret', '$ONE'));
  redactor.register('second-secret', '$TWO');
  redactor.register('https://api.example.test/v1/keyhole', '$GATE');
  expect(redactor.redactBeginning('second-secret', 100)).toBe('$TWO');
  expect(redactor.redact(text)).toBe('$ONE $TWO at $GATE');
  redactor.addPublic(['https://api.example.test/v1/key']);
  expect(redactor.redact(text)).toBe('$ONE $TWO at https://api.example.test/v1/key');
  for (const value of ['first-secret', 'second-secret', 'https://api.example.test/v1/keyhole'])
    redactor.forget(value);
  expect(redactor.redact(text)).toBe(text);
});

it('a text with a lone surrogate is not taken for another', () => {
  const redactor = makeRedactor(['secret-\ufffd-and-more', name]);
  expect(redactor.redact('secret-\ud800-and-more')).toBe('secret-\ud800-and-more');
  expect(redactor.redact('secret-\ufffd-and-more')).toBe(name);
});

it('values can be forgotten one by one, and all others are still found', () => {
  const values = Array.from({ length: 3_000 }, (_, at) => `sk-${randomBytes(20).toString('hex')}-${at}`);
  const redactor = makeRedactor(...values.map((value, at) => [value, `$${at}.`] as const));
  expect(redactor.redact(values.join(' '))).toBe(values.map((_, at) => `$${at}.`).join(' '));
  for (const value of values.slice(0, 2_000)) redactor.forget(value);
  for (const value of values.slice(500, 1_000)) redactor.register(value, '$again');
  const expected = values.map((value, at) => (at < 500 ? value : at < 1_000 ? '$again' : `$${at}.`));
  const redacted = redactor.redact(values.join(' ')).split(' ');
  expect(redacted.slice(500, 1_000)).toEqual(expected.slice(500, 1_000));
  expect(redacted.slice(2_000)).toEqual(expected.slice(2_000));
});

const toBase64 = (text: string) => Buffer.from(text).toString('base64');
const toHex = (text: string) => Buffer.from(text).toString('hex');
const escapeUnits = (text: string, sign: string) =>
  text.replace(/[\s\S]/g, (unit) => `${sign}u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const named: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '-': '&hyphen;',
  '"': '&quot;',
  '/': '&sol;',
};

const writings: Readonly<Record<string, (text: string) => string>> = {
  'in hex': toHex,
  'in base64': toBase64,
  'in base64 at an offset of 1 byte': (text) => toBase64(`.${text}..`),
  'in base64 at an offset of 2 bytes': (text) => toBase64(`..${text}.`),
  'in base64url': (text) => Buffer.from(`...${text}`).toString('base64url'),
  'in lower-case percent-encoding': (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  'in percent-encoding twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'with a \\u escape for each character': (text) => escapeUnits(text, '\\'),
  'with escapes of escapes': (text) => escapeUnits(text, '\\\\'),
  'in decimal entities': (text) => [...text].map((sign) => `&#${sign.codePointAt(0)};`).join(''),
  'in hexadecimal entities': (text) =>
    [...text].map((sign) => `&#x${sign.codePointAt(0)?.toString(16)};`).join(''),
  'with some named entities': (text) => text.replace(/[&"/-]/g, (sign) => named[sign] ?? ''),
  reversed: (text) => [...text].reverse().join(''),
  'in hex with colons': (text) => toHex(text).replace(/..\B/g, '$&:'),
  'in hex with spaces': (text) => toHex(text).replace(/..\B/g, '$& '),
  'in upper-case hex with dashes': (text) => toHex(text).toUpperCase().replace(/..\B/g, '$&-'),
  'in base64 twice': (text) => toBase64(toBase64(text)),
  'in base64 in lines of 20': (text) => toBase64(`...${text}...`).replace(/.{20}/g, '$&\n'),
  'in base64 in lines, as JSON': (text) =>
    JSON.stringify(toBase64(`....${text}..`).replace(/.{20}/g, '$&\r\n')),
  'in base64 of JSON': (text) => toBase64(JSON.stringify({ a: text })),
  'in base64, percent-encoded': (text) => encodeURIComponent(toBase64(text)),
  'in lines of 5 with blanks before them': (text) => text.replace(/.{5}\B/g, '$&\r\n  '),
  'in lines of 5, as JSON': (text) => JSON.stringify(text.replace(/.{5}\B/g, '$&\n')).slice(1, -1),
  'as a list of bytes': (text) => JSON.stringify([...Buffer.from(text)]),
  'as a list of bytes in lines': (text) => JSON.stringify([...Buffer.from(text)], null, 2),
  'in hex of hex': (text) => toHex(toHex(text)),
};

describe.each(Object.entries(writings))('a secret that is written %s', (_title, write) => {
  const secrets = {
    long: 'sk-or-v1-5Zq81e9aF0c4-b7D3',
    ...{ odd: key, hex: randomBytes(20).toString('hex'), short: 'Key-of-staging' },
  };

  it.each(Object.entries(secrets))('a %s secret is replaced and leaves no trace', (_kind, secret) => {
    const redactor = makeRedactor([secret, name]);
    const text = `before: ${write(secret)} :after`;
    const redacted = redactor.redact(text);
    expect(redacted).toMatch(/^before: .* :after$/s);
    expect(redacted).toContain(name);
    expect(redacted.replaceAll(name, '').length).toBeLessThan(40);
    expect(redactor.secretsIn(text)).toEqual([secret]);
    expect(redactor.redact(redacted)).toBe(redacted);
  });

  it('a cut text loses the beginning of an encoded secret', () => {
    const redactor = makeRedactor([secrets.long, name]);
    const written = write(secrets.long);
    // Base64 of base64 and the like is whole only in steps.
    for (let length = 1; length <= written.length; length++) {
      const redacted = redactor.redactBeginning(`a cut text: ${written.slice(0, length)}`, 10_000);
      const left = redacted.slice('a cut text: '.length);
      expect(left === '' || left === name || left.length < 60).toBe(true);
    }
  });
});

it('parts of a secret are replaced from 16 characters on', () => {
  const secret = 'sk-or-v1-5Zq81e9aF0c4-b7D3-and-so-on';
  const redactor = makeRedactor([secret, name]);
  for (let start = 0; start + 16 <= secret.length; start++) {
    const part = secret.slice(start, start + 16);
    expect(redactor.redact(`(${part})`)).toBe(`(${name})`);
    expect(redactor.redact(`(${part.toUpperCase()})`)).toBe(`(${name})`);
    expect(redactor.redact(`(${part.slice(0, 15)})`)).toBe(`(${part.slice(0, 15)})`);
    expect(redactor.redact(toBase64(`..${part}..`))).not.toContain(toBase64(part.slice(1, 13)));
  }
});

it('a short secret is replaced only as a whole and in its exact spelling', () => {
  const redactor = makeRedactor(['Staging-4711', name], ['c0ffee42', '$HEX']);
  expect(redactor.redact('Staging-4711 staging-4711 Staging-471')).toBe(`${name} staging-4711 Staging-471`);
  expect(redactor.redact('c0ffee42 C0FFEE42')).toBe('$HEX $HEX');
  expect(redactor.redact(Buffer.from('Staging-4711').toString('hex'))).toBe(name);
});

it('parts of a public text are not secrets', () => {
  const redactor = new Redactor();
  redactor.addPublic(['https://api.example.test/v1/key']);
  redactor.register('https://api.example.test/v1/opens-the-gateway', '$GATE');
  expect(redactor.redact('GET https://api.example.test/v1/key')).toBe('GET https://api.example.test/v1/key');
  expect(redactor.redact('No response header holds the value of a stored secret')).toContain('stored secret');
  expect(redactor.redact('at https://api.example.test/v1/opens-the-gateway!')).toBe('at $GATE!');
});

it('texts within a value are redacted in place, and numbers stay numbers', () => {
  const redactor = makeRedactor(['1234567890123456', name], ['u0041-secret', '$U']);
  const value = { a: ['1234567890123456', 1234567890123456, null], '\u0041-secret': 'x\\u0041-secret' };
  expect(redactor.redactTexts(value)).toEqual({ a: [name, 1234567890123456, null], 'A-secret': 'x$U' });
});

const canaries = new Canaries();
const value = canaries.next();

const answer = (text: string) => sampleAnswer({ status: 500, text });

// The redactor, which searches, has tests of every way to write a value.
it.each<readonly [where: string, leak: Leak, Partial<Answer>]>([
  ['a body', 'body', { text: `{"error":{"message":"no ${value}!"}}` }],
  ['a body that holds its first half', 'body', { text: value.slice(0, Math.ceil(value.length / 2)) }],
  ['a body that holds its second half', 'body', { text: value.slice(-Math.ceil(value.length / 2)) }],
  ['the value of a header', 'header', { headers: [['X-Debug', `v=${value.toUpperCase()};`]] }],
  ['the name of a header', 'header', { headers: [[`x-${value}`, '1']] }],
  ['a trailer', 'header', { trailers: [['X-Debug', value]] }],
  ['the reason phrase', 'reason-phrase', { reasonPhrase: value }],
])('leak detection finds a stored value in %s', (_where, leak, held) => {
  expect(canaries.leak({ ...answer(''), ...held })).toBe(leak);
});

const encode = (text: string, encoding: 'utf8' | 'utf16le', to: 'hex' | 'base64') =>
  Buffer.from(text, encoding).toString(to);

it.each<readonly [how: string, written: (text: string) => string]>([
  ['as a list of its characters', (text) => JSON.stringify([...text])],
  ['with a blank after each character', (text) => [...text].join(' ')],
  ['in parts of eight characters', (text) => JSON.stringify(text.match(/.{1,8}/g))],
  ['in quoted-printable', (text) => encode(text, 'utf8', 'hex').replace(/../g, '=$&')],
  [
    'in octal',
    (text) => [...text].map((sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`).join(''),
  ],
  ['in base64 in parts', (text) => JSON.stringify(encode(text, 'utf8', 'base64').match(/.{1,10}/g))],
  ['in hex of UTF-16', (text) => encode(text, 'utf16le', 'hex')],
  ['in base64 of UTF-16', (text) => encode(`value=${text}`, 'utf16le', 'base64')],
])('leak detection finds a stored value %s', (_how, written) => {
  expect(canaries.leak(answer(`{"error":{"code":500,"message":"${written(value)}"}}`))).toBe('body');
  expect(canaries.leak(answer(written('a'.repeat(40))))).toBeUndefined();
});

// RFC 4648 §6, computed by Python, with 0, 1 and 4 bytes before it.
it.each([
  'GAYTEMZUGU3DOOBZMFRGGZDFMYYDCLJRFUYDCMRTGQ2TMNZYHFQWEY3EMVTDAMI=',
  'OYYDCMRTGQ2TMNZYHFQWEY3EMVTDAMJNGEWTAMJSGM2DKNRXHA4WCYTDMRSWMMBR',
  'OY6WY5JQGEZDGNBVGY3TQOLBMJRWIZLGGAYS2MJNGAYTEMZUGU3DOOBZMFRGGZDFMYYDC===',
])('leak detection finds a stored value in base32: %s', (base32) => {
  expect(new Canaries('0123456789abcdef01').leak(answer(`{"ref":"${base32}"}`))).toBe('body');
});

it('leak detection finds every value of a run, and no two values are the same', () => {
  const values = Array.from({ length: 50 }, () => canaries.next());
  expect(new Set(values).size).toBe(50);
  expect(values.every((one) => canaries.leak(answer(one)) === 'body')).toBe(true);
});

it('leak detection ignores a value of another run', () => {
  const other = new Canaries();
  expect(canaries.leak(answer(other.next()))).toBeUndefined();
  expect(other.leak(answer(value))).toBeUndefined();
});
