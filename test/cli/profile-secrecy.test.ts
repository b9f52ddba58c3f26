import { expect, it } from 'vitest';
import type { Answer, Call } from '../../reference/behaviour.js';
import { watchSecrets } from '../behaviours.js';
import { idsWith } from '../report-rows.js';
import { byRequest, judge, startDeployment } from './profile-deployment.js';
import { expectNoSecret } from './secret-search.js';

const writings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'percent-encoded': encodeURIComponent,
  base64: (text) => Buffer.from(text).toString('base64'),
  hex: (text) => Buffer.from(text).toString('hex'),
  'JSON-escaped': (text) => JSON.stringify(text),
};

function serializeCall({ method, path, headers, body, key }: Call): string {
  const values = Object.values(key?.world.secrets ?? {}).flatMap((secrets) => [...secrets.values()]);
  return JSON.stringify({ method, path, headers, body, values: values.slice(0, 3) });
}

/** Echoes the request in every error, in its body and a header, in every encoding. */
function echoing(answer: Answer, call: Call): Answer {
  if (answer.status < 400) return answer;
  const text = serializeCall(call);
  const all = Object.entries(writings).map(([way, write]) => `${way}: ${write(text)}`);
  return {
    ...answer,
    headers: { ...answer.headers, 'X-Echo': Buffer.from(text).toString('base64').slice(0, 6_000) },
    body: { error: { code: answer.status, message: all.join('\n') }, user_id: 7 },
  };
}

const echo = { answer: echoing };
const flags = '--only {auth,secrecy,envelope}.** --depth quick --max-requests 150';

/** Judges a deployment that echoes, and expects that no output contains its secrets, or others that are given. */
async function judgeEchoing(
  profile: object,
  { more = [], env = {}, only = flags }: { more?: readonly string[]; env?: object; only?: string } = {},
) {
  const { behaviour, keys, values } = watchSecrets(echo);
  const deployed = await startDeployment({ behaviour });
  const judged = await judge({ ...deployed, env: { ...deployed.env, ...env } }, { profile, flags: only });
  expect([1, 4]).toContain(judged.code);
  expect(keys.size).toBeGreaterThan(10);
  expectNoSecret(judged.all, [...keys, ...values, ...more]);
  return { ...judged, keys };
}

it('no output of a run contains a secret that the server echoes in its errors, in five encodings', async () => {
  const only = '--only {vault-delete,auth,secrecy,envelope}.* --depth quick --max-requests 150';
  const { code, all, report, keys } = await judgeEchoing({ store: byRequest }, { only });
  expect(code).toBe(1);
  const failed = ['envelope.user_id', 'secrecy.header'];
  expect(idsWith(report, 'fail')).toEqual(expect.arrayContaining(failed));
  expect(() => expectNoSecret(`${all}${[...keys].at(-1)}`, keys)).toThrow('holds a part of a secret');
  // The server did echo: the output has the names of its secrets.
  for (const name of ['$PLUMBLINE_KEY_MEMBER', '<stored value>']) expect(all).toContain(name);
});

it('no output contains a secret that the server echoes while storing fails', async () => {
  const store = { http: { ...byRequest.http, key: 'provisioning' } };
  await judgeEchoing({ store }, { only: '--depth quick --only auth.* --max-requests 150' });
});

it('no output contains the value of a header of a profile, from the environment or written into it, whatever its encoding', async () => {
  const access = 'opens-the-gateway/of+staging=4711';
  const gate = 'opens-another-gate/of+staging=0815';
  const writer = 'Basic c3RhZ2luZzp3cml0ZXItMTIzNDU2';
  const store = { http: { ...byRequest.http, headers: { 'X-Writer': writer } } };
  const headers = { 'X-Staging-Access': `\${PLUMBLINE_STAGING_ACCESS}`, 'X-Gate': gate };
  const more = [access, gate, writer.slice('Basic '.length)];
  const { all, code } = await judgeEchoing(
    { store, headers },
    { more, env: { PLUMBLINE_STAGING_ACCESS: access } },
  );
  expect(code).toBe(1);
  expect(all).toContain('$PLUMBLINE_STAGING_ACCESS');
  expect(all).toContain('<value of X-Gate>');
});

it('a common header value leaves the reports readable, and a short one is hidden in its place', async () => {
  const deployed = await startDeployment({ behaviour: echo });
  const headers = {
    Accept: 'application/json',
    'X-Version': 'v1',
    'X-Debug': 'true',
    'X-Pin': '471147',
    'X-Target': deployed.baseUrl,
    'X-Rule': 'auth.missing-key',
  };
  const { all, report } = await judge(deployed, { profile: { headers }, flags });
  const sent = report.checks.flatMap(({ failure }) => failure?.exchanges ?? []).at(-1)?.request.headers;
  const shown = { ...headers, 'X-Debug': '<value of X-Debug>', 'X-Pin': '<value of X-Pin>' };
  expect(sent).toEqual(expect.arrayContaining(Object.entries(shown)));
  expect(report.target.base_url).toBe(deployed.baseUrl);
  expect(all).not.toContain('X-Pin: 471147');
});
