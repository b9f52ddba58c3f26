import { exitCodes } from '../spec/exit-codes.js';
import type { Report } from '../spec/report.js';
import { findExitMeaning } from './exit-meaning.js';
import { renderJson } from './sanitize.js';

/** Renders a report as an endpoint badge of shields.io: green only where the gate passes. */
export function renderBadge({ gate: { exit_code: exitCode, waived, excused }, totals }: Report): string {
  const [result, type, , words = type] = findExitMeaning(exitCode);
  const exceptions = [
    ...(waived.length === 0 ? [] : [`${waived.length} waived`]),
    ...(excused.length === 0 ? [] : [`${excused.length} excused`]),
  ];
  const passed = [`${totals.pass} passed`, ...exceptions].join(', ');
  const badge =
    result === 'pass'
      ? { message: passed, color: exceptions.length === 0 ? 'brightgreen' : 'green' }
      : { message: words, color: exitCode === exitCodes['non-conformant'] ? 'red' : 'orange' };
  return `${renderJson({ schemaVersion: 1, label: 'conformance', ...badge }, 2)}\n`;
}
