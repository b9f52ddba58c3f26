import { describe, expect, it } from 'vitest';
import type { Answer, Behaviour, Call } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { idsWith } from './plumbline-process.js';
import { byRequest, judge, startDeployment } from './profile-deployment.js';
import { expectNoSecret } from './secret-search.js';
import { watchSecrets } from './servers.js';

/** The encodings in which a server may echo. */
const writings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'percent-encoded': encodeURIComponent,
  base64: (text) => Buffer.from(text).toString('base64'),
  hex: (text) => Buffer.from(text).toString('hex'),
  'JSON-escaped': (text) => JSON.stringify(text),
};

/** Returns the whole request, headers included, and some stored values. */
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

const echo: Behaviour = { ...conforming, answer: echoing };

describe('a server that echoes every request in its errors, in five encodings', () => {
  it('no output of a run contains a secret that the server echoes', async () => {
    const { behaviour, keys, values } = watchSecrets(echo);
    const deployed = await startDeployment({ behaviour });
    const { code, all, report } = await judge(deployed, {
      profile: { store: byRequest },
      flags: [
        '--only',
        '{vault-delete,auth,secrecy,envelope}.*',
        '--depth',
        'quick',
        '--max-requests',
        '150',
      ],
    });
    expect(code).toBe(1);
    expect(idsWith(report, 'fail')).toContain('envelope.user_id');
    expect(idsWith(report, 'fail')).toContain('secrecy.header');
    expect([keys.size > 10, values.size > 0]).toEqual([true, true]);
    expectNoSecret(all, [...keys, ...values]);
    expect(() => expectNoSecret(`${all}${[...keys].at(-1)}`, keys)).toThrow('holds a part of a secret');
    // The server did echo: the output has the names of its secrets.
    expect(all).toContain('$PLUMBLINE_KEY_MEMBER');
  });

  it('no output contains a secret that the server echoes while storing fails', async () => {
    const { behaviour, keys, values } = watchSecrets(echo);
    const deployed = await startDeployment({ behaviour });
    const key = 'provisioning';
    const store = { http: { ...byRequest.http, key } };
    const flags = ['--depth', 'quick', '--only', 'auth.*', '--max-requests', '150'];
    const { code, all } = await judge(deployed, { profile: { store }, flags });
    expect([1, 4]).toContain(code);
    expectNoSecret(all, [...keys, ...values]);
  });
});

it('no output contains a secret of the profile that is not a key', async () => {
  const access = 'opens-the-gateway/of+staging=4711';
  const { behaviour, keys, values } = watchSecrets(echo);
  const deployed = await startDeployment({ behaviour });
  const env = { ...deployed.env, STAGING_ACCESS: access };
  const { all, report } = await judge(
    { ...deployed, env },
    {
      profile: { store: byRequest, headers: { 'X-Staging-Access': `\${STAGING_ACCESS}` } },
      flags: ['--only', '{auth,secrecy,envelope}.**', '--depth', 'quick', '--max-requests', '150'],
    },
  );
  expect(report.totals.fail).toBeGreaterThan(0);
  expectNoSecret(all, [...keys, ...values, access]);
  expect(all).toContain('$STAGING_ACCESS');
});

it('the output of a failed command is not quoted if the command prints its input', async () => {
  const deployed = await startDeployment();
  const run = ['sh', '-c', 'echo "$PLUMBLINE_VALUE"; echo "$PLUMBLINE_VALUE" >&2; exit 3'];
  const store = { command: { run } };
  const flags = ['--only', 'vault-delete.204.deleted', '--depth', 'quick'];
  const { code, all, report } = await judge(deployed, { profile: { store }, flags });
  expect(code).toBe(4);
  expect(all).not.toMatch(/[0-9a-f]{18}-\d+-[0-9a-f]{18}/);
  expect(report.requirements.some(({ reason }) => reason?.includes('ended with 3; run it by hand'))).toBe(
    true,
  );
});

describe('a header that is written into the profile itself', () => {
  const flags = ['--only', '{auth,secrecy,envelope}.**', '--depth', 'quick', '--max-requests', '150'];

  it('no output contains the value of a header in the profile, whatever its encoding', async () => {
    const gate = 'opens-the-gateway/of+staging=4711';
    const writer = 'Basic c3RhZ2luZzp3cml0ZXItMTIzNDU2';
    const { behaviour, keys, values } = watchSecrets(echo);
    const deployed = await startDeployment({ behaviour });
    const store = { http: { ...byRequest.http, headers: { 'X-Writer': writer } } };
    const { all, report } = await judge(deployed, {
      profile: { store, headers: { 'X-Gate': gate } },
      flags,
    });
    expect(report.totals.fail).toBeGreaterThan(0);
    expectNoSecret(all, [...keys, ...values, gate, writer.slice('Basic '.length)]);
    expect(all).toContain('<value of X-Gate>');
  });

  it('a common header value leaves the reports readable, and a short one is hidden in its place', async () => {
    const deployed = await startDeployment({ behaviour: { ...conforming, answer: echoing } });
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
    expect(sent).toEqual(
      expect.arrayContaining([
        ['Accept', 'application/json'],
        ['X-Version', 'v1'],
        ['X-Debug', '<value of X-Debug>'],
        ['X-Pin', '<value of X-Pin>'],
        ['X-Target', deployed.baseUrl],
        ['X-Rule', 'auth.missing-key'],
      ]),
    );
    expect(report.target.base_url).toBe(deployed.baseUrl);
    expect(all).not.toContain('X-Pin: 471147');
  });
});
