import { exitCodes } from '../spec/exit-codes.js';
import type { Report } from '../spec/report.js';
import { renderJson } from './sanitize.js';

/** The message of a badge by the exit code of a gate that does not pass. */
const messages: Readonly<Record<number, string>> = {
  [exitCodes['non-conformant']]: 'non-conformant',
  [exitCodes.usage]: 'invalid waivers or policy',
  [exitCodes.unjudged]: 'not judged',
  [exitCodes.incomplete]: 'incomplete',
  [exitCodes.suiteFault]: 'the suite failed',
  [exitCodes.interrupted]: 'interrupted',
};

/** Renders a report as an endpoint badge of shields.io: green only where the gate passes. */
export function renderBadge(report: Report): string {
  return `${renderJson({ schemaVersion: 1, label: 'conformance', ...describeGate(report) }, 2)}\n`;
}

function describeGate({ gate, totals }: Report): { readonly message: string; readonly color: string } {
  const { exit_code: exitCode, waived, excused } = gate;
  const reason = messages[exitCode];
  if (reason !== undefined)
    return { message: reason, color: exitCode === exitCodes['non-conformant'] ? 'red' : 'orange' };
  const exceptions = [
    ...(waived.length === 0 ? [] : [`${waived.length} waived`]),
    ...(excused.length === 0 ? [] : [`${excused.length} excused`]),
  ];
  const message = [`${totals.pass} passed`, ...exceptions].join(', ');
  return { message, color: exceptions.length === 0 ? 'brightgreen' : 'green' };
}
