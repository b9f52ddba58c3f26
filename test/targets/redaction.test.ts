import { describe, expect, it } from 'vitest';
import { Redactor } from '../../targets/redaction.js';
import { base64Core } from '../../targets/secret-index.js';

// Its base64 has both signs in which the alphabets differ, wherever it begins.
const key = 'sk-or_v1/5Zq"+~é????>>>>0123456789';
const name = '$PLUMBLINE_KEY_MEMBER';

function knowing(...secrets: readonly (readonly [value: string, name: string])[]): Redactor {
  const redactor = new Redactor();
  for (const [value, known] of secrets) redactor.register(value, known);
  return redactor;
}

const hex = Buffer.from(key).toString('hex');

describe.each([
  ['plain', key],
  ['percent-encoded', encodeURIComponent(key)],
  ['in JSON', JSON.stringify(key).slice(1, -1)],
  ['in hex', hex],
  ['in upper-case hex', hex.toUpperCase()],
])('a secret that is written %s', (_name, written) => {
  it('is replaced wherever it stands', () => {
    const redactor = knowing([key, name]);
    expect(redactor.redact(written)).toBe(name);
    expect(redactor.redact(`a ${written}, ${written}${written}!`)).toBe(`a ${name}, ${name}${name}!`);
  });
});

describe.each([0, 1, 2])('a secret in base64 that begins %i bytes into a group', (offset) => {
  const around = (secret: string) => Buffer.from(`${'.'.repeat(3 + offset)}${secret}...`);

  it.each(['base64', 'base64url'] as const)('is replaced in %s', (encoding) => {
    const text = around(key).toString(encoding);
    const redacted = knowing([key, name]).redact(text);
    expect(redacted).toContain(name);
    // At either end a character or two are made of its neighbours too.
    const left = redacted.replace(name, '');
    expect(left.length).toBeLessThanOrEqual(text.length - base64Core(key, offset).length);
    expect(Buffer.from(left, encoding).toString('latin1')).not.toContain(key.slice(0, 6));
  });

  it('has a core that its neighbours do not change', () => {
    const core = base64Core('secret-value', offset);
    for (const before of ['\0', 'z', '\x7f']) {
      const text = Buffer.from(`${before.repeat(offset)}secret-value${before}`).toString('base64');
      expect(text).toContain(core);
    }
  });
});

describe('several secrets', () => {
  it('are each replaced by their own name', () => {
    const redactor = knowing(['first-secret', '$ONE'], ['second-secret', '$TWO']);
    expect(redactor.redact('second-secret first-secret second-secret')).toBe('$TWO $ONE $TWO');
  });

  it('of which one begins with the other: the longer one goes first', () => {
    const redactor = knowing(['sk-plumbline', '$SHORT'], ['sk-plumbline-long', '$LONG']);
    expect(redactor.redact('sk-plumbline-long sk-plumbline-l sk-plumbline')).toBe('$LONG $SHORT-l $SHORT');
  });

  it('of which one is inside the other leave nothing of the outer one', () => {
    const redactor = knowing(['plumbline-inner', '$INNER'], ['sk-plumbline-inner-key', '$OUTER']);
    expect(redactor.redact('sk-plumbline-inner-key plumbline-inner')).toBe('$OUTER $INNER');
  });

  it('that overlap in a text do not both stay', () => {
    const redactor = knowing(['abcdefghij', '$ONE'], ['ghijklmnop', '$TWO']);
    const redacted = redactor.redact('abcdefghijklmnop');
    expect(redacted).toMatch(/^\$ONE/);
    expect(redacted).not.toContain('ghijklmnop');
  });
});

describe('a text without a secret', () => {
  it.each(['', 'abc', 'sk-or_v1', '{"error":{"code":404}}', '$PLUMBLINE_KEY_MEMBER', 'x'.repeat(10_000)])(
    'stays as it is: %s',
    (text) => {
      expect(knowing([key, name]).redact(text)).toBe(text);
      expect(new Redactor().redact(text)).toBe(text);
    },
  );

  it('is not touched by a name that was put in', () => {
    const redactor = knowing(['secret-a', '$SECRET-B'], ['SECRET-B', '$X']);
    expect(redactor.redact('secret-a')).toBe('$SECRET-B');
  });
});

it('a value too short to be told from chance is not taken', () => {
  expect(knowing(['abcde', name]).redact('abcde')).toBe('abcde');
  expect(knowing(['abcdef', name]).redact('abcdef')).toBe(name);
});

it('the first name of a value stays its name', () => {
  expect(knowing([key, name], [key, '$OTHER']).redact(key)).toBe(name);
});

it('what is forgotten is no longer replaced; what is not stays', () => {
  const redactor = knowing([key, name], ['second-secret', '$TWO']);
  expect(redactor.redact(`${key} second-secret`)).toBe(`${name} $TWO`);
  redactor.forget(key);
  redactor.forget('never-known');
  expect(redactor.redact(`${key} second-secret`)).toBe(`${key} $TWO`);
});

it('a secret in quotes takes no quotes of the text around it', () => {
  const redactor = knowing(['"sk-quoted-0123"', name]);
  expect(JSON.parse(redactor.redact(JSON.stringify(['sk-quoted-0123'])))).toEqual([name]);
  expect(JSON.parse(redactor.redact(JSON.stringify(['"sk-quoted-0123"'])))).toEqual([`"${name}"`]);
});

describe('the beginning of a text', () => {
  const beginning = (text: string, characters: number) =>
    knowing([key, name]).redactBeginning(text, characters);

  it('is cut after it is redacted, wherever the cut falls', () => {
    for (let padding = 0; padding < 2 * key.length; padding++) {
      const text = '.'.repeat(padding) + key.repeat(40);
      const whole = '.'.repeat(padding) + name.repeat(40);
      for (const kept of [1, 10, 50, 300]) expect(beginning(text, kept)).toBe(whole.slice(0, kept));
    }
  });

  it('loses the beginning of a secret that ends the text, from 6 characters on', () => {
    expect(beginning(`a ${key.slice(0, 6)}`, 100)).toBe('a ');
    expect(beginning(`a ${hex.slice(0, -1)}`, 100)).toBe('a ');
    expect(beginning(`${key} ${key.slice(0, -1)}`, 100)).toBe(`${name} `);
    expect(beginning(`a ${key.slice(0, 5)}`, 100)).toBe(`a ${key.slice(0, 5)}`);
    expect(beginning(`${key.slice(0, 6)} a`, 100)).toBe(`${key.slice(0, 6)} a`);
  });

  it('keeps the name of a whole secret that ends the text, although a longer one begins alike', () => {
    const redactor = knowing(['sk-plumbline', '$SHORT'], ['sk-plumbline-long', '$LONG']);
    expect(redactor.redactBeginning('a sk-plumbline', 100)).toBe('a $SHORT');
  });
});

it('tells which secrets a text holds, in whatever form', () => {
  const redactor = knowing([key, name], ['second-secret', '$TWO']);
  expect(redactor.secretsIn(`${hex} and second-secret`)).toEqual([key, 'second-secret']);
  expect(redactor.secretsIn('neither of them stands here')).toEqual([]);
});

it('takes values out one by one from among many, and finds all others', () => {
  const values = Array.from({ length: 3_000 }, (_, at) => `sk-or-v1-shared-beginning-${at}-and-end`);
  const redactor = knowing(...values.map((value, at) => [value, `$${at}.`] as const));
  expect(redactor.redact(values.join(' '))).toBe(values.map((_, at) => `$${at}.`).join(' '));
  for (const value of values.slice(0, 1_500)) redactor.forget(value);
  for (const value of values.slice(0, 1_500)) redactor.register(value, '$again');
  for (const value of values.slice(0, 750)) redactor.forget(value);
  const expected = values.map((value, at) => (at < 750 ? value : at < 1_500 ? '$again' : `$${at}.`));
  expect(redactor.redact(values.join(' '))).toBe(expected.join(' '));
});

it('is not slowed down by a long beginning that all secrets share', () => {
  const shared = 'sk-or-v1-the-same-for-all-of-them-';
  const redactor = knowing(...Array.from({ length: 5_000 }, (_, at) => [`${shared}${at}-x`, name] as const));
  const text = Buffer.from(shared).toString('hex').repeat(300);
  redactor.redact(text);
  const started = performance.now();
  expect(redactor.redact(text)).toBe(text);
  // Compared one by one the 5,000 take more than a second here.
  expect(performance.now() - started).toBeLessThan(250);
});
