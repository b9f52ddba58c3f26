import { expect, test } from 'vitest';
import { listFaults, parseProfile } from './profile/profile-files.js';

const target = 'target: { base_url: "http://127.0.0.1:1/v1" }';

const empty = ': is empty; "plumbline init" writes one to begin with';
const noMapping = ':1: must be a mapping with members such as target and keys';
test.each([
  ...['', '\n', '# only words\n', '---\n', '---\n...\n', 'null', '\uFEFF'].map(
    (text) => [text, empty] as const,
  ),
  ...['- a', 'a', '7', '"target: x"', '<html>', '\0\u0001\u0002'].map((text) => [text, noMapping] as const),
])('a profile without members is refused: %j', async (text, line) => {
  expect(await listFaults(text)).toEqual([`plumbline.yaml${line}`]);
});

test.each<readonly [text: string, line: string]>([
  [`${target}\n---\n${target}`, '2: a second document begins here; keep one'],
  [`${target}\nkeys:\n\tmember: x`, '3: is indented with a tab; use spaces'],
  [`${target}\nheaders: { a: b`, '2: the indentation does not fit, or a bracket is not closed'],
  [`${target}\nheaders:\n  X: @b`, '3: a text that begins with a character such as @, ` or % needs quotes'],
  [
    `${target}\nheaders:\n  X: a: b`,
    '3: the indentation does not fit, or a text that holds ": " needs quotes',
  ],
  [`${target}\nheaders:\n  X: "\\q"`, '3: unknown escape in double quotes; write \\\\ for one backslash'],
  [
    `${target}\nheaders:\n  X: !b c`,
    '3: tags (words that begin with !) are not supported; put text that begins with ! in quotes',
  ],
  [`${target}\n? [a]\n: b`, '2: the name of a field must be plain text'],
  [
    `${target}\nkeys: { member: \${KEY} }`,
    `2: something here does not belong; quote texts inside { } and [ ], \${NAME} among them`,
  ],
  [`${target}\nheaders: *h`, '2: an alias must refer to an anchor above it'],
  [`${target}\nkeys:\n  member: a\n  member: b`, '4: duplicate field, already given on line 3; keep one'],
])('invalid YAML is refused with its line: %j', async (text, line) => {
  expect(await listFaults(text)).toEqual([`plumbline.yaml:${line}`]);
});

test('a YAML directive enables neither merge keys nor yes for true', async () => {
  expect(
    await listFaults(`%YAML 1.1\n---\n${target}\ntls: { insecure: yes }\nlimits:\n  <<: { rate: 1 }`),
  ).toEqual([
    'plumbline.yaml:4: tls.insecure: must be true or false',
    'plumbline.yaml:6: limits."<<": unknown field; known here: concurrency, rate, requests, time',
  ]);
});

const bomb = ['a: &a0 [x, x, x, x, x, x, x, x, x]']
  .concat(Array.from({ length: 9 }, (_, n) => `b${n}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(', ')}]`))
  .join('\n');

test.each<readonly [what: string, text: string, line: string]>([
  ['aliases of aliases', bomb, '1: aliases are followed more than 100 times'],
  ['many aliases', `a: &a b\nc: [${'*a, '.repeat(101)}]`, '2: aliases are followed more than 100 times'],
  ['an alias inside what it names', 'a: &a\n  b: [*a]', '2: an alias must refer to an anchor above it'],
  ['brackets', `a:\n  ${'['.repeat(100_000)}`, '2: is nested more than 50 deep'],
])('a profile with too many levels or values is refused quickly: %s', async (_what, text, line) => {
  const before = process.cpuUsage();
  expect(await listFaults(text)).toEqual([`plumbline.yaml:${line}`]);
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(10_000);
});

test('a profile with many members is read quickly', async () => {
  const names = Array.from({ length: 40_000 }, (_, n) => `  h${n}: x`);
  const before = process.cpuUsage();
  const { headers } = await parseProfile(`${target}\nheaders:\n${names.join('\n')}`);
  expect(Object.keys(headers)).toHaveLength(40_000);
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(10_000);
});

const readBody = async (body: string) =>
  (await parseProfile(`${target}\ninference: { path: /p, free_model: a:free, body: ${body} }`)).inference
    ?.body;

test('an anchor that is set again has its later value', async () => {
  const body = await readBody('{ a: &x { b: &y 1 }, c: &y 2, d: *x, e: *y }');
  expect(body).toEqual({ a: { b: 1 }, c: 2, d: { b: 1 }, e: 2 });
});

test.each(['__proto__', 'toString'])('a name of Object.prototype is an unknown member: %s', async (name) => {
  const text = `${target}\n${name}: { polluted: true }
keys: { member: sk-0123456789, ${name}: { polluted: true } }
limits: { ${name}: { polluted: true } }
store: { http: { method: PUT, path: "/{name}", ${name}: { polluted: true } } }`;
  const lines = (await listFaults(text)).map((line) => line.replace(/(unknown (?:field|role)).*/, '$1'));
  expect(lines).toEqual([
    `plumbline.yaml:2: ${name}: unknown field`,
    'plumbline.yaml:3: keys: unknown role',
    `plumbline.yaml:4: limits.${name}: unknown field`,
    `plumbline.yaml:5: store.http.${name}: unknown field`,
  ]);
  expect('polluted' in {}).toBe(false);
});

test('a name of Object.prototype stays a plain member of a body, and none is taken from __proto__', async () => {
  const written = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
  const body = await readBody(written);
  expect(JSON.stringify(body)).toBe(written);
  expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
  expect('polluted' in {}).toBe(false);
  expect(await listFaults(`__proto__: { ${target} }`)).toContain('plumbline.yaml:1: target: is missing');
});
