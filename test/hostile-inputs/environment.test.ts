import { existsSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { selectRequirements } from '../../cli/run-flags.js';
import { loadWaivers } from '../../cli/waivers.js';
import { UsageError } from '../../spec/thrown.js';
import { Agents } from '../../targets/agents.js';
import { command, plumbline } from '../cli/plumbline-process.js';
import { fileOf, folder } from '../folders.js';
import { judgeReference } from '../judge/judge-reference.js';
import { runProgram } from '../run-program.js';

afterEach(() => vi.unstubAllEnvs());

const short = 'run --reference --only key-info.200.read --depth quick --seed 1 --quiet --report'.split(' ');

it('a missing home and an odd time zone, language and terminal change nothing', async () => {
  const odd = {
    ...{ HOME: '', TMPDIR: '/nowhere/at/all', TZ: '../../etc/passwd', NODE_OPTIONS: '--throw-deprecation' },
    ...{ LANG: 'xx_YY.nonsense', LC_ALL: '\u00ff%s%n', COLUMNS: '-5', TERM: '', FORCE_COLOR: 'perhaps' },
    ...{ npm_config_proxy: ':::', HTTP_PROXY: 'http://[', NO_PROXY: '***,,:::[[[' },
  };
  const { code, stdout, stderr } = await plumbline([...short, folder()], { env: odd });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^conformant /);
});

it.runIf(existsSync('/dev/full'))('a full standard output is reported, and does not end with 0', async () => {
  const shell = '"$0" "$1" requirements > /dev/full';
  const ended = await runProgram('sh', ['-c', shell, process.execPath, command]);
  const said = 'plumbline: could not write to standard output (ENOSPC). Redirect it somewhere else.\n';
  expect([ended.code, ended.stderr]).toEqual([2, said]);
});

const refusalOf = (...asked: Parameters<typeof Agents.for>): Promise<unknown> =>
  Agents.for(...asked).catch((error: unknown) => error);

it.each([
  ['no valid URL', ':::not a url'],
  ['half a URL', 'http://[bad'],
  ['a port too high', '127.0.0.1:99999'],
  ['another scheme', 'socks9://user:s3cret-word@127.0.0.1:1'],
  ['a password with invalid percent-encoding', 'http://user:s3c%ret-word@127.0.0.1:1'],
])('a proxy variable with %s is refused without repeating it', async (_name, proxy) => {
  vi.stubEnv('HTTP_PROXY', proxy);
  vi.stubEnv('http_proxy', proxy);
  const refusal = await refusalOf(['http://api.example.test/v1']);
  expect(refusal).toBeInstanceOf(UsageError);
  expect(String(refusal)).not.toMatch(/s3c|bad|:::|99999/);
  // Neither this machine nor what NO_PROXY names is reached through a proxy.
  vi.stubEnv('no_proxy', 'api.example.test');
  const direct = ['http://127.0.0.1:1/v1', 'http://api.example.test/v1'];
  expect(await refusalOf(direct)).toBeInstanceOf(Agents);
});

it.each([
  ['ca', { ca: Buffer.from('x') }],
  ['cert', { cert: Buffer.from('x'), key: Buffer.from('x') }],
  ['key', { key: Buffer.from('-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n') }],
])('a file of tls.%s that is not PEM is refused before any request', async (member, tls) => {
  expect(String(await refusalOf(['https://127.0.0.1:1'], tls))).toMatch(`UsageError: tls.${member}: `);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const hourMs = 3_600_000;

const only = ['key-info.*', 'vault-delete.404.*', 'guardrail-read.200.*'];
const still = judgeReference({ only });

it('a clock that jumps to and fro during a run changes no verdict and makes no duration negative', async () => {
  const ahead = (asked: number) => (Math.floor(asked / 30) % 2) * 9 * hourMs;
  const { report: due } = await still;
  const now = Date.now.bind(Date);
  let asked = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + ahead(++asked));
  // The server keeps its own clock, which its `Date` headers show.
  const { report } = await judgeReference({ only, now });
  expect(asked).toBeGreaterThan(60);
  const statuses = report.requirements.map(({ id, status }) => [id, status]);
  expect(statuses).toEqual(due.requirements.map(({ id, status }) => [id, status]));
  expect(report.verdict).toBe(due.verdict);
  const durations = report.checks.flatMap(({ started_ms: begun, duration_ms: ms }) => [begun, ms]);
  expect(durations.filter((ms) => ms < 0)).toEqual([]);
});

const all = selectRequirements({ only: [], skip: [] });
const load = (expires: string) =>
  loadWaivers(fileOf(`- { id: auth.bearer, situation: s, reason: r, owner: o, expires: ${expires} }\n`), all);

const zones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'nowhere/at-all'];
it.each(zones)('a waiver expires at the end of a day in UTC, in the time zone %s too', async (zone) => {
  vi.stubEnv('TZ', zone);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2030-06-15T23:59:59.999Z') });
  expect(await load('2030-06-15')).toHaveLength(1);
  vi.setSystemTime(Date.parse('2030-06-16T00:00:00Z'));
  await expect(load('2030-06-15')).rejects.toThrow('expired on 2030-06-15');
  vi.unstubAllEnvs();
});

const noDates = '2030-02-31 0000-00-00 2030-6-5 tomorrow 99999-01-01 2030-06-15T00:00:00Z 1e9 ~ []';

it.each(noDates.split(' '))('a waiver with the expiry date %s is refused', async (expires) => {
  await expect(load(expires)).rejects.toThrow(/:1: \[0\]\.expires: /);
});
