import { areaOf, areas } from '../spec/ledger.js';
import type { ReportedRequirement, Status } from '../spec/report.js';

/** A cell of the table, padded to its column, and what it is about. */
export interface AreaCell {
  readonly text: string;
  readonly about: Status | 'area' | 'heading';
}

/** What each status is called where a person reads it. */
const columns: readonly { readonly status: Status; readonly heading: readonly [string, string] }[] = [
  { status: 'pass', heading: ['', 'held'] },
  { status: 'fail', heading: ['', 'violated'] },
  { status: 'inconclusive', heading: ['', 'undecided'] },
  { status: 'not-exercised', heading: ['not', 'exercised'] },
  { status: 'not-observable', heading: ['not', 'observable'] },
];

const nameWidth = Math.max(...areas.map((area) => area.length));

/** How many requirements of each area ended with each status: two lines of headings, a line per area, the sums. */
export function areaTable(requirements: readonly ReportedRequirement[]): readonly (readonly AreaCell[])[] {
  const headings = [0, 1].map((line) => headingLine(line === 0 ? '' : 'area', line as 0 | 1));
  const rows = areas.map((area) => {
    const own = requirements.filter(({ id }) => areaOf(id) === area);
    return countLine(area, own, (count) => (count === 0 ? '' : String(count)));
  });
  return [...headings, ...rows, countLine('all', requirements, String)];
}

function headingLine(name: string, line: 0 | 1): readonly AreaCell[] {
  const cells = columns.map(({ heading }) => ({
    text: padded(heading, heading[line]),
    about: 'heading' as const,
  }));
  return [{ text: name.padEnd(nameWidth), about: 'heading' }, ...cells];
}

function countLine(
  name: string,
  requirements: readonly ReportedRequirement[],
  show: (count: number) => string,
): readonly AreaCell[] {
  const cells = columns.map(({ status, heading }) => {
    const count = requirements.filter((requirement) => requirement.status === status).length;
    return { text: padded(heading, show(count)), about: status };
  });
  return [{ text: name.padEnd(nameWidth), about: 'area' }, ...cells];
}

function padded(heading: readonly [string, string], text: string): string {
  return text.padStart(Math.max(...heading.map(({ length }) => length)));
}
