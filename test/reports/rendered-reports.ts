import type { Report } from '../../spec/report.js';
import { bigReport } from './big-report.js';
import { everyHostileText, hostileReport } from './hostile-report.js';
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
  ['hostile', () => hostileReport(everyHostileText, everyHostileText)],
  ['big', () => bigReport()],
];
