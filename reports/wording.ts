import { type ReportedCheck, type ReportedRequirement, type Status, sumCoverage } from '../spec/report.js';

// `toLocaleString` would load the data of all languages first, which takes 30 ms.
const thousands = /\B(?<!\.\d*)(?=(?:\d{3})+(?!\d))/g;

/** Formats a number with thousands separators: `12,345`. */
export function formatNumber(amount: number): string {
  return String(amount).replace(thousands, ',');
}

/** Formats a number with its noun: `1 request`, `2 requests`. */
export function formatCount(amount: number, noun: string): string {
  return `${formatNumber(amount)} ${noun}${amount === 1 ? '' : 's'}`;
}

/** Formats milliseconds: `0.4 s`, `34 s`, `3 min 20 s`, `4 min`. */
export function formatDuration(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = `${Math.floor(seconds / 60)} min`;
  return seconds % 60 === 0 ? minutes : `${minutes} ${seconds % 60} s`;
}

/** Formats an ISO 8601 instant to the minute: `2030-04-05 06:07`. */
export function formatInstant(instant: string): string {
  return instant.slice(0, 16).replace('T', ' ');
}

/** Formats how often a violation was reproduced: `3/3` becomes `in 3 of 3 attempts`. */
export function formatConfirmed(confirmed: string): string {
  const [, seen, all] = /^(\d+)\/(\d+)$/.exec(confirmed) ?? [];
  if (all === '1') return 'in the only attempt';
  return seen === undefined ? confirmed : `in ${seen} of ${formatCount(Number(all), 'attempt')}`;
}

/** Formats how many combinations of inputs were judged: `1,890 of 1,890 pairs of inputs`; undefined without any. */
export function formatCoverage(checks: readonly Pick<ReportedCheck, 'coverage'>[]): string | undefined {
  const texts = ([2, 3] as const).flatMap((strength) => {
    const all = sumCoverage(checks, strength);
    const word = strength === 2 ? 'pairs' : 'triples';
    return all === undefined ? [] : [`${formatNumber(all.seen)} of ${formatNumber(all.possible)} ${word}`];
  });
  return texts.length === 0 ? undefined : `${texts.join(' and ')} of inputs`;
}

/** Joins the first items of a list and counts the rest: `a, b, and 1 more`. */
export function shortList(items: readonly string[], most: number): string {
  const more = items.length - most;
  return `${items.slice(0, most).join(', ')}${more > 0 ? `, and ${formatNumber(more)} more` : ''}`;
}

/** Joins the ids of the first eight of some requirements and counts the rest. */
export function shortIds(rows: readonly Pick<ReportedRequirement, 'id'>[]): string {
  const ids = rows.map(({ id }) => id);
  return shortList(ids, 8);
}

/** Formats the size of a group of requirements: `15 requirements (14 must)`. */
export function formatGroupSize(requirements: readonly Pick<ReportedRequirement, 'level'>[]): string {
  const musts = requirements.filter(({ level }) => level === 'must').length;
  const all = formatCount(requirements.length, 'requirement');
  return musts === 0 ? all : `${all} (${formatNumber(musts)} must)`;
}

/** The statuses in the order in which sums list them. */
export const statusOrder = [
  'pass',
  'fail',
  'inconclusive',
  'not-exercised',
  'not-observable',
] as const satisfies readonly Status[];

/** The word for each status. */
export const statusWords: Readonly<Record<Status, string>> = {
  pass: 'passed',
  fail: 'failed',
  inconclusive: 'inconclusive',
  'not-exercised': 'not exercised',
  'not-observable': 'not observable',
};

/** Formats how many requirements have each status: `179 passed, 0 failed, …`. */
export function formatTotals(totals: Readonly<Record<Status, number>>): string {
  return statusOrder.map((status) => `${totals[status]} ${statusWords[status]}`).join(', ');
}
