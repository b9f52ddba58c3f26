import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { groupByCause, renderCause } from '../../reports/causes.js';
import { behaveAsMutant, makeEnvelope, replaceAnswers } from '../behaviours.js';
import { folder } from '../folders.js';
import { makeKeyData } from '../recordings/recorded.js';
import { idsWith, listFailures } from '../report-rows.js';
import { answerJson, htmlForEverything, serveReference, startServer } from '../servers.js';
import { plumbline, runInto } from './plumbline-process.js';
import { readWritten } from './secret-search.js';

const keyInfo = '--only key-info.200.read --only key-info.200.data --depth quick';
// Nothing listens on port 1 of this machine.
const nowhere = 'http://127.0.0.1:1/v1';

async function tenant(options = {}) {
  const started = await serveReference(options);
  const { keys, ...world } = started.openWorld('tenant');
  return { ...started, ...world, keys: { member: '', management: '', ...keys } };
}

it.each([
  ['a flag', (key: string) => ({ flags: ` --key member=${key}`, env: {} })],
  ['the environment', (key: string) => ({ flags: '', env: { PLUMBLINE_KEY_MEMBER: key } })],
])('a URL and a key from %s are enough for run, plan and doctor', async (_from, give) => {
  const { baseUrl, keys } = await tenant();
  const cwd = folder();
  const { flags, env } = give(keys.member);
  const judged = await plumbline(`run ${baseUrl}${flags} ${keyInfo}`, { cwd, env });
  expect([judged.code, judged.stdout], judged.stderr).toEqual([0, expect.stringMatching(/^conformant/)]);
  const planned = await plumbline(`plan ${baseUrl}${flags} ${keyInfo}`, { cwd, env });
  expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining(baseUrl)]);
  const examined = await plumbline(`doctor ${baseUrl}${flags}`, { cwd, env });
  expect([examined.code, examined.stdout]).toEqual([0, expect.stringMatching(/^note +--key member: /m)]);
  expect(examined.stdout).toContain(`Next: plumbline plan ${baseUrl}`);
  const all = [judged, planned, examined].map(({ stdout, stderr }) => stdout + stderr).join('');
  const written = readFileSync(join(cwd, 'plumbline-report', 'report.json'), 'utf8');
  expect(`${all}${written}`).not.toContain(keys.member);
  expect(all.includes('Using keys from the environment: PLUMBLINE_KEY_MEMBER.')).toBe(flags === '');
});

it('a key of a flag overrides that of the environment and of the profile, and adds to the others', async () => {
  const { baseUrl, keys } = await tenant();
  const cwd = folder();
  const profile = { target: { base_url: nowhere }, keys: { member: `\${NOT_SET_ANYWHERE}` } };
  writeFileSync(join(cwd, 'plumbline.yaml'), JSON.stringify(profile));
  const flags = `--profile plumbline.yaml --key member=${keys.member} ${keyInfo}`;
  const env = { PLUMBLINE_KEY_MEMBER: 'not-the-key-of-anybody' };
  const { code, stderr } = await plumbline(`run ${baseUrl} ${flags}`, { cwd, env });
  expect([code, stderr]).toEqual([0, '']);
});

it('a variable that names no role is reported, unless the profile takes a key from it', async () => {
  const { baseUrl, keys } = await tenant();
  const cwd = folder();
  const profile = { target: { base_url: baseUrl }, keys: { member: `\${PLUMBLINE_KEY_OF_STAGING}` } };
  writeFileSync(join(cwd, 'plumbline.yaml'), JSON.stringify(profile));
  const env = { PLUMBLINE_KEY_OF_STAGING: keys.member, PLUMBLINE_KEY_MANAGMENT: keys.management };
  const { code, stderr } = await plumbline(`run --profile plumbline.yaml ${keyInfo}`, { cwd, env });
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^Ignored PLUMBLINE_KEY_MANAGMENT: .*member/)]);
});

it('an unknown key of a flag is reported by the name of that flag', async () => {
  const { baseUrl } = await tenant();
  const { code, words } = await runInto(`${baseUrl} --key member=a-key-of-nobody ${keyInfo}`);
  expect([code, words]).toEqual([3, expect.stringContaining('Check --key member')]);
});

it('keys of other roles, ids of interns and the ID of a guardrail unlock their requirements', async () => {
  const { baseUrl, keys, interns, guardrail_id: guardrail } = await tenant();
  const given = `--key member=${keys.member} --key management=${keys.management} --intern own=${interns.own}`;
  const only = '--only guardrail-read.200.read --only guardrail-read.401.missing-key';
  const { code, stderr } = await runInto(`${baseUrl} ${given} --guardrail ${guardrail} ${only}`);
  expect([code, stderr]).toEqual([0, '']);
});

it('the command in a report takes keys from variables', async () => {
  const { baseUrl, keys } = await tenant({ behaviour: behaveAsMutant('key-info.label-null') });
  const given = ['--key', `member=${keys.member}`, '--header', 'X-Gate: opens-the-gate', '--depth', 'quick'];
  const { code, report } = await runInto([baseUrl, ...given, '--only', 'key-info.*']);
  expect(code).toBe(1);
  const [failure] = listFailures(report());
  expect(failure?.reproduce.command).toContain(
    `--target ${baseUrl} --key member="$PLUMBLINE_KEY_MEMBER" --header "X-Gate: $X_GATE"`,
  );
});

describe('a header of the command line', () => {
  const header = ['--header', 'X-Gate: opens-the-gate'];

  it('a header of the command line is sent with every request, and its value is redacted', async () => {
    let withoutHeader = 0;
    const origin = await startServer((request, response) => {
      if (request.headers['x-gate'] !== 'opens-the-gate') withoutHeader += 1;
      answerJson(401, { error: { code: 401, message: 'opens-the-gate' } })(request, response);
    });
    const run = await runInto([`${origin}/v1`, ...header], { everyFormat: true });
    expect(withoutHeader).toBe(0);
    expect([...readWritten(run.directory, run).values()].join('')).not.toContain('opens-the-gate');
  });

  it('a header of the command line needs the URL of the server beside --control', async () => {
    const { baseUrl, controlUrl } = await serveReference();
    const flags = ['--control', controlUrl, ...header, ...keyInfo.split(' ')];
    const { code, stderr } = await runInto(flags);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Give the URL of the server too')]);
    expect((await runInto([baseUrl, ...flags])).code).toBe(0);
  });
});

describe('usage errors of keys', () => {
  const secret = 'sk-0123456789abcdef';
  const given = `member=${secret}`;
  it.each([
    ['an unknown role', ['--key', `memebr=${secret}`], '--key: unknown role'],
    ['a key without a role', ['--key', secret], '--key: must be ROLE=VALUE'],
    ['a short key', ['--key', 'member=sk-0123456'], '--key member: invalid key'],
    ['a key with a blank', ['--key', `member=${secret} ${secret}`], '--key member: invalid key'],
    ['a key with its scheme', ['--key', `member=Bearer ${secret}`], 'it begins with "Bearer"'],
    ['a placeholder', ['--key', 'member=<your-key-here>'], 'it looks like a placeholder'],
    ['an empty key', ['--key', 'member='], '--key member: the value is empty'],
    ['two keys of one role', ['--key', given, '--key', `${given}1`], 'given twice'],
    ['an unknown intern', ['--intern', `other=${secret}`], '--intern: unknown name'],
    ['an intern without a UUID', ['--intern', `own=${secret}`], '--intern own: not a UUID'],
    ['a guardrail without a UUID', ['--guardrail', secret], '--guardrail: not a UUID'],
    ['a header without a name', ['--header', secret], '--header: must be'],
    ['a header of the suite', ['--header', `Authorization: Bearer ${secret}`], '--header Authorization: '],
    ['a mistyped flag', [`--keys=member=${secret}`], "unknown option '--keys'"],
    ['a key beside --control', ['--control', nowhere, '--key', given], '--key cannot be combined with'],
  ])('run refuses %s with 2, sends nothing and shows no value', async (_words, flags, said) => {
    const cwd = folder();
    const { code, stdout, stderr } = await plumbline(['run', nowhere, ...flags], { cwd });
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(said)]);
    expect(stderr).not.toContain('0123456');
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('run refuses a short key in the environment with 2 and shows no value, unless a control has its own', async () => {
    const env = { PLUMBLINE_KEY_OUTSIDER: 'sk-0123456' };
    for (const name of ['run', 'plan', 'doctor']) {
      const { code, stderr } = await plumbline(`${name} ${nowhere}`, { cwd: folder(), env });
      expect([code, stderr]).toEqual([2, expect.stringContaining('PLUMBLINE_KEY_OUTSIDER: invalid key')]);
      expect(stderr).not.toContain('0123456');
    }
    const judged = await runInto(`--reference ${keyInfo}`, { env });
    expect([judged.code, judged.stderr]).toEqual([0, '']);
  });
});

it('run gives the same reason as doctor, by the name of the URL, with or without a key', async () => {
  const { stdout } = await plumbline(`doctor ${nowhere}`, { cwd: folder() });
  const [, sentence = ''] = /^wrong +the URL: (.*)\.$/m.exec(stdout) ?? [];
  expect(sentence).toContain('cannot be reached');
  for (const flags of ['', ' --key member=sk-of-nobody-at-all']) {
    const words = expect.stringContaining(sentence);
    expect(await runInto(`${nowhere}${flags}`)).toMatchObject({ code: 3, words });
  }
});

it('run --json prints report.json to standard output and everything else to standard error', async () => {
  const { baseUrl, keys } = await tenant();
  const cwd = folder();
  const args = `run ${baseUrl} --key member=${keys.member} ${keyInfo} --json`;
  const { code, stdout, stderr } = await plumbline(args, { cwd });
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^conformant/)]);
  expect(stdout).toBe(readFileSync(join(cwd, 'plumbline-report', 'report.json'), 'utf8'));
  const quiet = await plumbline(`${args} -q`, { cwd });
  expect(quiet.stderr).toBe(`conformant (${join('plumbline-report', 'report.json')})\n`);
  const wrong = await plumbline(`${args} --only no-such-id`, { cwd });
  expect([wrong.code, wrong.stdout]).toEqual([2, '']);
});

it('run -v prints each exchange, redacted and sanitized', async () => {
  const { baseUrl, keys } = await tenant();
  const { code, stdout, stderr } = await runInto(`${baseUrl} --key member=${keys.member} ${keyInfo} -v`);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^conformant/)]);
  expect(stderr).toContain('* key-info.200.read: ');
  expect(stderr).toContain(`> GET ${baseUrl}/key\n`);
  expect(stderr).toContain('> Authorization: Bearer $PLUMBLINE_KEY_MEMBER\n');
  expect(stderr).toMatch(/^< 200 \(\d+ ms\)\n< /m);
  expect(stderr).toMatch(/^\{"data":/m);
  expect(stderr).not.toContain(keys.member);
  const origin = await startServer((_request, response) => {
    response.writeHead(401, { 'Content-Type': 'application/json' });
    response.end(`{"error":{"code":401,"message":"\u009b2J"}}\n::error::taken for a command`);
  });
  const hostile = await runInto(`${origin}/v1 --verbose`);
  expect(hostile.stderr).toContain('\n\\::error');
  expect(hostile.stderr).not.toContain('\u009b');
});

it('a conforming server is unjudged without a key, since its refusals alone do not pass', async () => {
  const { baseUrl } = await serveReference();
  const { code, stderr, report } = await runInto(baseUrl);
  const { verdict, totals, run } = report();
  expect([code, verdict, totals.pass, totals.fail, run.requests]).toEqual([3, 'unjudged', 0, 0, 7]);
  expect(idsWith(report(), 'inconclusive')).toEqual(
    expect.arrayContaining([
      ...['auth.missing-key', 'auth.unknown-key'],
      ...['guardrail-read.401.missing-key', 'vault-delete.401.missing-key'],
    ]),
  );
  const note =
    'no key is known for this target: set PLUMBLINE_KEY_MEMBER, or give a profile or a control protocol';
  expect(run.notes).toContain(note);
  expect(stderr).toMatch(
    /A key of the role member \(--key member=VALUE, or PLUMBLINE_KEY_MEMBER\) would unlock \d+ requirements \(\d+ must\): /,
  );
  const needsKeys = await runInto(`${baseUrl} --only rate-limit.*`);
  expect([needsKeys.code, needsKeys.report().run.requests]).toEqual([3, 1]);
});

it.each<readonly [string, RequestListener]>([
  ['a page', htmlForEverything],
  ['unrelated JSON', answerJson(200, { data: { hello: 'world' } })],
  ['an empty 204', (_, response) => void response.writeHead(204).end()],
  ['errors outside the envelope', answerJson(401, { no: 1 })],
])('a server that answers everything with %s is unjudged without a key', async (_words, listener) => {
  const { code, report } = await runInto(`${await startServer(listener)}/v1`);
  const { verdict, totals } = report();
  expect([code, verdict, totals.pass, totals.fail]).toEqual([3, 'unjudged', 0, 0]);
});

it.each([
  [
    'key read',
    'key-read',
    { ...makeEnvelope(200), body: { ...makeKeyData() } },
    ['auth.missing-key', 'auth.unknown-key'],
    /^2 requirements: key-info answers 200 instead of 401, for GET \/key /,
  ],
  [
    'delete',
    'vault-delete',
    { status: 204, headers: {} },
    ['vault-delete.401.missing-key', 'vault-delete.401.unknown-key'],
    /^2 requirements: vault-delete answers 204 instead of 401, for DELETE /,
  ],
] as const)('a %s that succeeds without a key is a violation', async (_, operation, answer, ids, words) => {
  const behaviour = replaceAnswers((_answer, call) => call.operation === operation, answer);
  const { baseUrl } = await serveReference({ behaviour });
  const { code, report } = await runInto(baseUrl);
  expect([code, report().verdict, idsWith(report(), 'fail')]).toEqual([1, 'non-conformant', ids]);
  expect(groupByCause(report()).map(renderCause)).toEqual([expect.stringMatching(words)]);
});
