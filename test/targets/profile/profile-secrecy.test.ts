import { expect, test } from 'vitest';
import { listFaults } from './profile-files.js';

const secret = 'skverysecret42';

const wrong: readonly (readonly [what: string, text: string])[] = [
  ['a key with a blank', 'keys: { member: "SECRET x" }'],
  ['a key in place of the keys', 'keys: SECRET'],
  ['a list of keys', 'keys: [SECRET]'],
  ['a key without its role', 'keys:\n  SECRET'],
  ['a key as a member', 'keys: { SECRET: member, member: SECRET }'],
  ['a key in a flow without its role', 'keys: { member: x, SECRET }'],
  ['keys under a mistyped role', 'keys: { membre: SECRET }'],
  ['keys one level too deep', 'keys: { member: { SECRET: SECRET } }'],
  ['keys given twice', 'keys: { member: SECRET, member: SECRET }'],
  ['a key of signs', 'keys: { member: *SECRET }'],
  ['a key with an anchor', 'keys: { member: &SECRET &SECRET x }'],
  ['a key with a tag', 'keys: { member: !SECRET x }'],
  ['a key with a bad escape', 'keys: { member: "\\qSECRET" }'],
  ['a key with an open quote', 'keys:\n  member: "SECRET'],
  ['a key that begins with a sign', 'keys:\n  member: @SECRET'],
  ['a key with a colon', 'keys:\n  member: a: SECRET'],
  ['a password in an address', 'target: { base_url: "https://me:SECRET@h.test/v1" }'],
  ['an address', 'target: { base_url: SECRET }'],
  ['an address with a bad port', 'target: { base_url: "https://h.test:SECRET/v1" }'],
  ['a host', 'target: { base_url: "https://h.test/v1", regional_host: "SECRET/" }'],
  ['a header', 'headers: { X-Gate: "SECRET\\n" }'],
  ['the headers', 'headers: SECRET'],
  ['an Authorization', 'headers: { Authorization: Bearer SECRET }'],
  ['a file', 'tls: { ca: ./SECRET.pem, insecure: SECRET }'],
  ['an id', 'interns: { own: SECRET, sibling: SECRET }'],
  ['a name', 'store: { names: { own: [SECRET__x, SECRET__x] } }'],
  [
    'a recipe',
    'store: { http: { method: SECRET, url: "x/SECRET", accept: [SECRET], key: SECRET, scopes: [SECRET] } }',
  ],
  ['a command', 'store: { command: { run: SECRET, timeout: SECRET } }'],
  ['a limit', 'limits: { rate: SECRET }'],
  ['a pattern', 'policy: { decides: [SECRET], excused: [{ requirement: SECRET, reason: SECRET }] }'],
  ['a broken reference', `keys: { member: "\${SECRET-x}" }`],
];

test.each(wrong)('no fault repeats a secret in %s, even from the environment', async (_what, text) => {
  const fromEnvironment = text.replaceAll(`\${SECRET-x}`, `\${NONE}`).replaceAll('SECRET', `\${FROM_ENV}`);
  for (const lines of [
    await listFaults(text.replaceAll('SECRET', secret)),
    await listFaults(fromEnvironment, { FROM_ENV: secret }),
  ]) {
    expect(lines).not.toEqual([]);
    expect(lines.join('\n')).not.toContain(secret);
  }
});

test('a fault is one line, whatever a member is called', async () => {
  const lines = await listFaults(`"a\\nb\\e[31m\u2028\u0085": 1\n${'x'.repeat(500)}: 1`);
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(line).toMatch(/^[\x20-\x7e…]{1,250}$/);
});
