import type { ReportedCheck } from '../spec/report.js';

const digits = new Intl.NumberFormat('en');

/** A number with its thousands set apart: `12,345`. */
export function numberText(amount: number): string {
  return digits.format(amount);
}

/** A number with its noun, in the plural where there is not exactly one: `1 request`, `2 requests`. */
export function counted(amount: number, noun: string): string {
  return `${numberText(amount)} ${noun}${amount === 1 ? '' : 's'}`;
}

/** How many combinations of inputs were judged: `1,890 of 1,890 pairs of inputs`; undefined where none were to be. */
export function coverageText(checks: readonly Pick<ReportedCheck, 'coverage'>[]): string | undefined {
  const texts = ([2, 3] as const).flatMap((strength) => {
    const all = checks.flatMap(({ coverage }) => (coverage?.strength === strength ? [coverage] : []));
    const sum = (of: 'seen' | 'possible') => numberText(all.reduce((total, one) => total + one[of], 0));
    const word = strength === 2 ? 'pairs' : 'triples';
    return all.length === 0 ? [] : [`${sum('seen')} of ${sum('possible')} ${word}`];
  });
  return texts.length === 0 ? undefined : `${texts.join(' and ')} of inputs`;
}

/** Milliseconds as a reader takes them in: `0.4 s`, `34 s`, `3 min 20 s`. */
export function durationText(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
