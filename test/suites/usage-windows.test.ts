import { expect, it } from 'vitest';
import type { Behaviour } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { mutants } from '../../reference/mutants.js';
import type { Status } from '../../spec/report.js';
import { usageChecks } from '../../suites/usage-windows.js';
import { judgeReference } from '../judge/judge-reference.js';
import { findRow } from '../report-rows.js';

const minuteMs = 60_000;

/** Judges the windows of a server whose `Date` says one time, and whose windows go by a clock that is some minutes off. */
async function windowsAt(time: string, off: number, behaviour: Partial<Behaviour> = {}): Promise<Status> {
  const now = Date.parse(time);
  const date = { Date: new Date(now).toUTCString() };
  const { report } = await judgeReference({
    checks: usageChecks,
    only: ['key-info.windows'],
    now: () => now + off * minuteMs,
    behaviour: { ...behaviour, answer: (answer) => ({ ...answer, headers: { ...answer.headers, ...date } }) },
  });
  return findRow(report, 'key-info.windows').status;
}

const times = [
  '2026-03-04T12:00:00Z', // a Wednesday
  '2026-03-02T00:00:01Z', // the first second of a Monday
  '2026-03-01T23:59:58Z', // the end of a Sunday, the first of a month
  '2026-03-01T00:00:00Z',
  '2024-02-29T23:50:00Z',
  '2026-01-01T00:05:00Z',
  '2025-12-31T12:00:00Z',
  '2026-06-01T00:00:30Z', // a Monday and the first of a month
];

const clocks = times.flatMap((time) => [0, -10, 10].map((minutesOff) => [time, minutesOff] as const));
it.each(clocks)('usage windows at %s pass with a clock that is %i minutes off', async (time, minutesOff) => {
  expect(await windowsAt(time, minutesOff)).toBe('pass');
});

const tomorrow = new Date(Date.now() + 24 * 60 * minuteMs).toISOString();
it.each([
  ['shortly before midnight', '2026-03-04T23:50:00Z', 0],
  ['with a Date that is a day ahead of its clock', tomorrow, -24 * 60],
  ['with a clock that is a day ahead', tomorrow, 0],
])('a service that counts no usage of the future passes %s', async (_when, time, minutesOff) => {
  const keyInformation: Behaviour['keyInformation'] = (call, key) =>
    conforming.keyInformation(call, {
      ...key,
      ...(key.records && { records: key.records.filter(({ at }) => at <= call.server.now()) }),
    });
  expect(await windowsAt(time, minutesOff, { keyInformation })).toBe('pass');
});

// The proof judges them at the time that it has.
const ofWindows = mutants.filter(({ violates }) => violates.includes('key-info.windows'));
it.concurrent.each(ofWindows)(
  'the mutant $id is found in the middle of a month, on its first day and just after midnight',
  async ({ mutation }) => {
    const at = ['2026-03-04T12:00:00Z', '2026-03-01T12:00:00Z', '2026-03-04T00:05:00Z'];
    const found = await Promise.all(at.map((time) => windowsAt(time, 0, mutation)));
    expect(found).toEqual(['fail', 'fail', 'fail']);
  },
);
