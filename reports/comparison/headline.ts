import type { ComparedRun, Comparison, Stopper } from '../../spec/comparison.js';
import { counted, numberText } from '../amount-text.js';

const words: readonly (readonly [keyof Comparison['totals'], string])[] = [
  ['newly-violated', 'newly violated'],
  ['further-violation', 'violated in further situations'],
  ['newly-held', 'newly held'],
  ['lost-coverage', 'lost'],
  ['undecided', 'undecided now'],
  ['gained-coverage', 'gained'],
  ['flaky', 'flaky'],
];

/** What changed, in a line: the verdicts and how many requirements took which way. */
export function headline({ old, new: now, totals }: Comparison): string {
  const counts = words
    .filter(([change]) => totals[change] > 0)
    .map(([change, word]) => `${numberText(totals[change])} ${word}`);
  return `${old.verdict} → ${now.verdict}: ${counts.length === 0 ? 'nothing changed' : counts.join(', ')}`;
}

/** Which run a report is of, in a line. */
export function runLine(run: ComparedRun): string {
  const { started_at, base_url, seed, depth, requests, tool_version, verdict, exit_code } = run;
  const started = `${started_at.slice(0, 16).replace('T', ' ')} UTC`;
  const how = `seed ${seed}, ${depth}, ${counted(requests, 'request')}, version ${tool_version}`;
  return `${verdict} (exit ${exit_code}), ${started}, ${base_url ?? 'address unknown'}, ${how}`;
}

const stopperWords: Readonly<Record<Stopper, string>> = {
  'new-violation': 'new violation',
  'lost-coverage': 'lost coverage',
  flaky: 'flaky requirement',
};

/** What the exit code of the comparison is, and why. */
export function gateLine({ gate }: Comparison): string {
  const worded = (some: readonly Stopper[]) => some.map((stopper) => stopperWords[stopper]);
  return gate.exit_code === 0
    ? `No ${worded(gate.fail_on).join(', no ')} that decides: exit code 0.`
    : `Stopped by ${worded(gate.stopped_by).join(' and ')}: exit code 1.`;
}

/** How many requirements stayed as they were. */
export function unchangedLine({ totals }: Comparison): string {
  return `Unchanged: ${counted(totals.unchanged, 'requirement')}.`;
}
