import { comparisonOf } from '../reports/comparison/compare-reports.js';
import { comparisonMarkdown } from '../reports/comparison/comparison-markdown.js';
import { comparisonText } from '../reports/comparison/comparison-text.js';
import { inertJson } from '../reports/inert-json.js';
import { readReport, UnreadableReport } from '../reports/read-report.js';
import type { Comparison, Stopper } from '../spec/comparison.js';
import type { Report } from '../spec/report.js';
import { UsageError } from '../spec/thrown.js';
import { writeResult } from './write-result.js';

/** The flags of `plumbline compare`, read and checked. */
export interface CompareFlags {
  /** Report files, or the folders of them. */
  readonly old: string;
  readonly new: string;
  readonly format: 'text' | 'json' | 'markdown';
  /** What ends with 1 beside a new violation. */
  readonly failOn: readonly Stopper[];
  /** The file that the result goes to in place of standard output. */
  readonly output?: string;
  readonly color: boolean;
}

/** Tells what two reports differ in. Returns the exit code: 1 on a new violation. Throws UsageError. */
export async function compare(flags: CompareFlags): Promise<number> {
  const [before, after] = [await readable(flags.old), await readable(flags.new)];
  const comparison = comparisonOf(before, after, flags.failOn);
  await writeResult(rendered(comparison, flags), flags.output);
  return comparison.gate.exit_code;
}

async function readable(path: string): Promise<Report> {
  try {
    return await readReport(path);
  } catch (error) {
    if (error instanceof UnreadableReport) throw new UsageError(error.message);
    throw error;
  }
}

function rendered(comparison: Comparison, { format, output, color }: CompareFlags): string {
  if (format === 'json') return `${inertJson(comparison, 2)}\n`;
  if (format === 'markdown') return comparisonMarkdown(comparison);
  const isTerminal = output === undefined && process.stdout.isTTY === true;
  return comparisonText(comparison, { color: color && isTerminal, width: process.stdout.columns ?? 100 });
}
