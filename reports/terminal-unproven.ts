import { isLeftOut, type Report, type ReportedRequirement } from '../spec/report.js';
import { counted } from './amount-text.js';
import { type CoverageHint, countMusts, findCoverageHints } from './coverage-hints.js';
import type { Sheet } from './sheet.js';
import { isMust, isToldAtTop, type ReasonGroup, reasonGroups } from './unproven.js';
import { wrapped } from './wrapped-text.js';

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

const hintsShown = 5;

/** Requirements that could not be exercised, by what would unlock them; those not selected only as a number. */
export function notExercisedLines(report: Report, sheet: Sheet): readonly string[] {
  const hints = findCoverageHints(report);
  const leftOut = report.requirements.filter(isLeftOut).length;
  const shown = hints.length > hintsShown ? hints.slice(0, hintsShown - 1) : hints;
  const others = hints.slice(shown.length).flatMap(({ requirements }) => requirements);
  const lines = [
    ...shown.map(
      (hint) => `${sizeText(hint.requirements)}${isToldAtTop(hint) ? toldAtTop : reasonText(hint)}`,
    ),
    ...(others.length > 0 ? [`${sizeText(others)} need other things; the reports list them`] : []),
  ];
  return [
    ...(hints.length > 0
      ? sheet.prose(`Not exercised (${sizeOf(hints)}), the most valuable first`, 0, sheet.paint.bold)
      : []),
    ...lines.map((line) => `  ${cutLine(line, sheet.width - 2)}`),
    ...(leftOut > 0
      ? sheet.prose(`${counted(leftOut, 'requirement')} not selected.`, 0, sheet.paint.dim)
      : []),
  ];
}

const toldAtTop = ': for the reason given at the top';

function reasonText({ need, reason }: CoverageHint): string {
  return need === undefined ? `: ${reason}` : ` need ${need}`;
}

function sizeText(requirements: readonly ReportedRequirement[]): string {
  return `${counted(requirements.length, 'requirement')} (${countMusts(requirements)} must)`;
}

/** Cuts a text to one line. */
function cutLine(text: string, width: number): string {
  const [line = ''] = wrapped(text, width - 1);
  return line === text ? text : `${line}…`;
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

function sizeOf(groups: readonly Pick<ReasonGroup, 'requirements'>[]): number {
  return groups.reduce((sum, { requirements }) => sum + requirements.length, 0);
}
