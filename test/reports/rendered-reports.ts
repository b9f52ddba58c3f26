import type { Report } from '../../spec/report.js';
import { bigReport } from './big-report.js';
import { hostileReport } from './hostile-report.js';
import { eventfulReport, sampleReport } from './sample-report.js';

/** The reports that every format is to hold: each kind of run, and both extremes. */
export const reportsToRender: readonly (readonly [string, () => Report])[] = [
  ['conformant', () => sampleReport()],
  ['eventful', () => eventfulReport()],
  [
    'unjudged',
    () => sampleReport({ verdict: 'unjudged', exitCode: 3, baseUrl: null, complete: false, notes: ['down'] }),
  ],
  ['faulty', () => sampleReport({ exitCode: 5, complete: false, notes: ['auth.bearer: a stray rejection'] })],
  ['hostile', () => hostileReport()],
  ['big', () => bigReport()],
];

/** The processor time that a call takes, in milliseconds, the best of some: other work on the machine is none of it. */
export function bestCpuTime(call: () => unknown, times = 3): number {
  const one = (): number => {
    const before = process.cpuUsage();
    call();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  return Math.min(...Array.from({ length: times }, one));
}
