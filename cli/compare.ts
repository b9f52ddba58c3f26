import { comparisonOf } from '../reports/comparison/compare-reports.js';
import { comparisonMarkdown } from '../reports/comparison/comparison-markdown.js';
import { comparisonText } from '../reports/comparison/comparison-text.js';
import { inertJson } from '../reports/inert-json.js';
import { readReport } from '../reports/read-report.js';
import type { Comparison, Stopper } from '../spec/comparison.js';
import { type OutputFlags, terminalLayout, writeOutput } from './publish.js';

/** The flags and arguments of `plumbline compare`, parsed. */
export interface CompareFlags extends OutputFlags {
  /** Report files, or their folders. */
  readonly old: string;
  readonly new: string;
  readonly format: 'text' | 'json' | 'markdown';
  readonly failOn: readonly Stopper[];
  readonly output?: string;
}

/** Compares two reports. Returns the exit code: 1 on a new violation, or on what --fail-on names. Throws UsageError. */
export async function compare(flags: CompareFlags): Promise<number> {
  const [before, after] = [await readReport(flags.old), await readReport(flags.new)];
  const comparison = comparisonOf(before, after, flags.failOn);
  await writeOutput(render(comparison, flags), flags.output);
  return comparison.gate.exit_code;
}

function render(comparison: Comparison, { format, output, color }: CompareFlags): string {
  if (format === 'json') return `${inertJson(comparison, 2)}\n`;
  if (format === 'markdown') return comparisonMarkdown(comparison);
  return comparisonText(comparison, terminalLayout({ color: color && output === undefined }));
}
