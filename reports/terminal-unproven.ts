import { isLeftOut, type Report, type ReportedRequirement } from '../spec/report.js';
import { counted } from './amount-text.js';
import type { Sheet } from './sheet.js';
import { isMust, isToldAtTop, type ReasonGroup, reasonGroups } from './unproven.js';

const idsShown = 8;

/** Requirements that were exercised without a result, by what kept them from one. */
export function undecidedLines(report: Report, sheet: Sheet): readonly string[] {
  const groups = reasonGroups(report, 'inconclusive');
  if (groups.length === 0) return [];
  return [
    sheet.paint.bold(`Undecided (${sizeOf(groups)})`),
    ...groups.flatMap((group) => groupLines(group, sheet)),
  ];
}

/** Requirements that could not be exercised, by what would unlock them; those not selected only as a number. */
export function notExercisedLines(report: Report, sheet: Sheet): readonly string[] {
  const groups = reasonGroups(report, 'not-exercised');
  const leftOut = report.requirements.filter(isLeftOut).length;
  const heading = sheet.prose(
    `Not exercised (${sizeOf(groups)}), and what would unlock it`,
    0,
    sheet.paint.bold,
  );
  return [
    ...(groups.length > 0 ? heading : []),
    ...groups.flatMap((group) => (isToldAtTop(group) ? countLines(group, sheet) : groupLines(group, sheet))),
    ...(leftOut > 0
      ? sheet.prose(`${counted(leftOut, 'requirement')} not selected.`, 0, sheet.paint.dim)
      : []),
  ];
}

function countLines({ requirements }: ReasonGroup, sheet: Sheet): readonly string[] {
  return sheet.prose(`${sizes(requirements)}: for the reason given at the top`, 2);
}

function groupLines({ reason, requirements }: ReasonGroup, sheet: Sheet): readonly string[] {
  const ids = requirements.slice(0, idsShown).map(({ id }) => id);
  const more = requirements.length - ids.length;
  const list = `${ids.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
  return [...sheet.prose(`${sizes(requirements)}: ${reason}`, 2), ...sheet.prose(list, 4, sheet.paint.dim)];
}

function sizes(requirements: readonly ReportedRequirement[]): string {
  const musts = requirements.filter(isMust).length;
  if (musts === requirements.length) return counted(musts, 'must');
  return musts === 0
    ? String(requirements.length)
    : `${requirements.length}, ${counted(musts, 'must')} among them`;
}

function sizeOf(groups: readonly ReasonGroup[]): number {
  return groups.reduce((sum, { requirements }) => sum + requirements.length, 0);
}
