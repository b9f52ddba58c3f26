import { afterEach, expect, it, vi } from 'vitest';
import { selectRequirements } from '../../cli/run-flags.js';
import { loadWaivers } from '../../cli/waivers.js';
import { fileOf } from '../folders.js';
import { judgeReference } from '../judge/judge-reference.js';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const hourMs = 3_600_000;

const only = ['key-info.*', 'vault-delete.404.*', 'guardrail-read.200.*'];
const still = judgeReference({ only });

it.each([
  ['jumps forwards by hours again and again', (asked: number) => Math.floor(asked / 50) * 5 * hourMs],
  ['jumps backwards by hours again and again', (asked: number) => -Math.floor(asked / 50) * 5 * hourMs],
  ['jumps to and fro', (asked: number) => (Math.floor(asked / 30) % 2) * 9 * hourMs],
])('a clock that %s during a run changes no verdict and makes no duration negative', async (_name, ahead) => {
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

it.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'nowhere/at-all'])(
  'a waiver expires at the end of a day in UTC, in the time zone %s too',
  async (zone) => {
    vi.stubEnv('TZ', zone);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2030-06-15T23:59:59.999Z') });
    expect(await load('2030-06-15')).toHaveLength(1);
    vi.setSystemTime(Date.parse('2030-06-16T00:00:00Z'));
    await expect(load('2030-06-15')).rejects.toThrow('expired on 2030-06-15');
    vi.unstubAllEnvs();
  },
);

const noDates = '2030-02-31 0000-00-00 2030-6-5 tomorrow 99999-01-01 2030-06-15T00:00:00Z 1e9 ~ []';

it.each(noDates.split(' '))('a waiver with the expiry date %s is refused', async (expires) => {
  await expect(load(expires)).rejects.toThrow(/:1: \[0\]\.expires: /);
});
