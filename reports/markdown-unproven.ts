import { isLeftOut, type Report, type Status } from '../spec/report.js';
import { counted } from './amount-text.js';
import type { Section } from './fitted-sections.js';
import { inertProse } from './markdown-text.js';
import { isMust, isToldAtTop, type ReasonGroup, reasonGroups } from './unproven.js';

const idsShown = 16;

/** Requirements that were exercised without a result, by what kept them from one. */
export function undecidedSection(report: Report): Section {
  return groupedSection(report, 'inconclusive', (count) => `### Undecided (${count})`);
}

/** Requirements that could not be exercised, by what would unlock them; those not selected only as a number. */
export function notExercisedSection(report: Report): Section {
  const { heading, entries } = groupedSection(
    report,
    'not-exercised',
    (count) => `### Not exercised (${count}), and what would unlock it`,
  );
  const leftOut = report.requirements.filter(isLeftOut).length;
  return {
    heading,
    entries: leftOut === 0 ? entries : [...entries, `${counted(leftOut, 'requirement')} not selected.`],
  };
}

function groupedSection(report: Report, status: Status, headed: (count: number) => string): Section {
  const groups = reasonGroups(report, status);
  const count = groups.reduce((sum, { requirements }) => sum + requirements.length, 0);
  return { heading: headed(count), entries: groups.map(groupEntry) };
}

function groupEntry(group: ReasonGroup): string {
  const { reason, requirements } = group;
  const musts = requirements.filter(isMust).length;
  const size =
    musts === requirements.length
      ? counted(musts, 'must')
      : `${requirements.length}${musts === 0 ? '' : `, ${counted(musts, 'must')} among them`}`;
  if (isToldAtTop(group)) return `- **${size}**: for the reason given at the top`;
  const shown = requirements.slice(0, idsShown).map(({ id }) => `\`${id}\``);
  const more = requirements.length - shown.length;
  const list = `${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
  return `- **${size}**: ${inertProse(reason)}\n  ${list}`;
}
