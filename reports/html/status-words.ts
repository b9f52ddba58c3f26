import type { Outcome, Status } from '../../spec/report.js';

/** What each status is called where a person reads it. */
export const statusWords: Readonly<Record<Status, string>> = {
  pass: 'held',
  fail: 'violated',
  inconclusive: 'undecided',
  'not-exercised': 'not exercised',
  'not-observable': 'not observable',
};

/** The statuses as a person takes them in: what held first. */
export const statusOrder: readonly Status[] = [
  'pass',
  'fail',
  'inconclusive',
  'not-exercised',
  'not-observable',
];

/** What each outcome of a check is called. */
export const outcomeWords: Readonly<Record<Outcome, string>> = {
  pass: 'held',
  fail: 'violated',
  inconclusive: 'undecided',
  skipped: 'skipped',
};
