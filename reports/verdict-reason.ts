import type { Report, Verdict } from '../spec/report.js';
import { counted, numberText } from './amount-text.js';
import { judgedServer, onEmbedded } from './judged-server.js';
import { unprovenMusts } from './unproven.js';
import { violationsOf } from './violations.js';

const reasons: Readonly<Record<Verdict, (report: Report) => string>> = {
  conformant: ({ totals, target }) => {
    const server = judgedServer(target);
    return `${counted(totals.pass, 'requirement')} held${server === undefined ? '' : ` on ${server}`}`;
  },
  'non-conformant': (report) => `${violatedByLevel(report)} violated${onEmbedded(report.target)}`,
  incomplete: (report) =>
    `${counted(unprovenMusts(report).length, 'must')} unproven${onEmbedded(report.target)}`,
  unjudged: ({ run }) => run.notes[0] ?? 'nothing was proven',
};

/** Why a report has the verdict that it has, in one clause. */
export function verdictReason(report: Report): string {
  return reasons[report.verdict](report);
}

function violatedByLevel(report: Report): string {
  const levels = violationsOf(report).map(({ requirement }) => requirement.level);
  const musts = levels.filter((level) => level === 'must').length;
  const derived = levels.filter((level) => level === 'derived').length;
  const told = [
    ...(musts > 0 ? [counted(musts, 'must')] : []),
    ...(derived > 0 ? [`${numberText(derived)} derived`] : []),
  ];
  return told.join(' and ');
}
