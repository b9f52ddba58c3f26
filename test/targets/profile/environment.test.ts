import { afterAll, describe, expect, test } from 'vitest';
import { profileOf, refused, removeFolders } from './profile-files.js';

afterAll(removeFolders);

/** A profile whose body of an inference request is this YAML. */
function withBody(body: string): string {
  return `target: { base_url: "http://127.0.0.1:1/v1" }
inference:
  path: /p
  free_model: a:free
  body: ${body}`;
}

async function bodyOf(body: string, env: NodeJS.ProcessEnv): Promise<unknown> {
  return (await profileOf(withBody(body), env)).inference?.body;
}

describe(`\${NAME}`, () => {
  const env = { A: 'one', B_2: 'two', _c: 'three' };
  test.each<readonly [yaml: string, value: unknown]>([
    [`\${A}`, 'one'],
    [`"\${A}-\${B_2}\${_c}"`, 'one-twothree'],
    [`[x, { y: "\${A}" }]`, ['x', { y: 'one' }]],
    ['$A and $ { and $', '$A and $ { and $'],
    [`$\${A}`, `\${A}`],
    [`$$\${A}`, `$\${A}`],
    [`"$\${A} \${A}"`, `\${A} one`],
    [`"{name} \${A}"`, '{name} one'],
    [`{ "\${A}": x }`, { ['$'.concat('{A}')]: 'x' }],
  ])('in %s', async (yaml, value) => {
    expect(await bodyOf(yaml, env)).toEqual(value);
  });

  test.each([
    ['text that is YAML', '[a, {b: c}]\n- d: &x !!int 7'],
    ['a reference', `\${B}`],
    ['a number', '7'],
    ['the words of a replacement', '$& $1 $$'],
    ['a comment', 'a # b'],
  ])('puts %s in as it is', async (_what, text) => {
    expect(await bodyOf(`"<\${A}>"`, { A: text, B: 'never' })).toBe(`<${text}>`);
  });

  test('is text, also where a number is due', async () => {
    expect(
      await refused(`target: { base_url: "http://127.0.0.1:1/v1" }\nlimits: { rate: "\${N}" }`, { N: '7' }),
    ).toEqual(['plumbline.yaml:2: limits.rate: takes a number above 0']);
  });

  test('is checked as what stands there', async () => {
    const text = `target: { base_url: "\${URL}" }\nguardrail: { id: "\${ID}" }`;
    expect(await refused(text, { URL: 'nowhere', ID: 'x' })).toEqual([
      'plumbline.yaml:1: target.base_url: takes a URL that begins with http:// or https://',
      'plumbline.yaml:2: guardrail.id: takes a UUID',
    ]);
  });
});

describe('a name that the environment lacks', () => {
  const text = `target:
  base_url: \${URL}/v1
keys:
  member: \${PLUMBLINE_KEY_MEMBER}
interns:
  own: "\${A}\${B}"
store:
  http:
    method: PUT
    url: \${STORE}
policy:
  excused: [{ requirement: "\${WHAT}", reason: x }]`;
  const lines = [
    '2: target.base_url: the environment names no URL; set it, or take the member out',
    '4: keys.member: the environment names no PLUMBLINE_KEY_MEMBER; set it, or take the key out',
    '6: interns.own: the environment names no A; set it, or take the member out',
    '6: interns.own: the environment names no B; set it, or take the member out',
    '10: store.http.url: the environment names no STORE; set it, or take the member out',
    '12: policy.excused[0].requirement: the environment names no WHAT; set it, or take the member out',
  ].map((line) => `plumbline.yaml:${line}`);

  test('is told, and nothing else of the value it stands in', async () => {
    expect(await refused(text)).toEqual(lines);
  });

  test('is as good as missing where it is empty', async () => {
    const env = { URL: '', PLUMBLINE_KEY_MEMBER: '', A: '', B: '', STORE: '', WHAT: '' };
    expect(await refused(text, env)).toEqual(lines);
  });

  test.each(['constructor', '__proto__', 'toString'])(
    'is not taken from what every object has: %s',
    async (name) => {
      for (const env of [{}, process.env]) {
        expect(await refused(withBody(`"\${${name}}"`), env)).toEqual([
          `plumbline.yaml:5: inference.body: the environment names no ${name}; set it, or take the member out`,
        ]);
      }
    },
  );
});

test.each([`\${`, `\${}`, `\${A`, `\${A:-b}`, `\${ A }`, `\${1A}`, `x\${{A}}`])(
  '%s is no reference',
  async (text) => {
    expect(await refused(withBody(JSON.stringify(text)), { A: 'a' })).toEqual([
      `plumbline.yaml:5: inference.body: begins \${ without a name and }; write \${NAME}, or $\${ where the signs themselves are meant`,
    ]);
  },
);
