import { exitCodes } from '../spec/exit-codes.js';
import type { Report } from '../spec/report.js';
import { renderJson } from './sanitize.js';

/** What a gate that is closed says, by its exit code. */
const closed: Readonly<Record<number, string>> = {
  [exitCodes['non-conformant']]: 'non-conformant',
  [exitCodes.usage]: 'invalid waivers or policy',
  [exitCodes.unjudged]: 'not judged',
  [exitCodes.incomplete]: 'incomplete',
  [exitCodes.suiteFault]: 'the suite failed',
  [exitCodes.interrupted]: 'interrupted',
};

/** A report as an endpoint badge of shields.io: green only where the gate lets a release go on. */
export function renderBadge(report: Report): string {
  return `${renderJson({ schemaVersion: 1, label: 'conformance', ...statementOf(report) }, 2)}\n`;
}

function statementOf({ gate, totals }: Report): { readonly message: string; readonly color: string } {
  const { exit_code: exitCode, waived, excused } = gate;
  const reason = closed[exitCode];
  if (reason !== undefined)
    return { message: reason, color: exitCode === exitCodes['non-conformant'] ? 'red' : 'orange' };
  const exceptions = [
    ...(waived.length === 0 ? [] : [`${waived.length} waived`]),
    ...(excused.length === 0 ? [] : [`${excused.length} excused`]),
  ];
  const message = [`${totals.pass} passed`, ...exceptions].join(', ');
  return { message, color: exceptions.length === 0 ? 'brightgreen' : 'green' };
}
