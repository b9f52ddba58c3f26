import { type Comparison, compareReports } from '../reports/comparison.js';
import { renderComparisonMarkdown, renderComparisonTerminal } from '../reports/comparison-text.js';
import { loadReport } from '../reports/load-report.js';
import { renderJson } from '../reports/sanitize.js';
import type { Stopper } from '../spec/comparison.js';
import { chooseLayout, type OutputFlags, writeOutput } from './publish.js';

/** The flags and arguments of `plumbline compare`, parsed. */
export interface CompareFlags extends OutputFlags {
  /** Report files, or their folders. */
  readonly old: string;
  readonly new: string;
  readonly format: 'text' | 'html' | 'json' | 'markdown';
  readonly failOn: readonly Stopper[];
  readonly output?: string;
}

/** Compares two reports. Returns the exit code: 1 on a new violation, or on what --fail-on names. Throws UsageError. */
export async function compare(flags: CompareFlags): Promise<number> {
  const [before, after] = [await loadReport(flags.old), await loadReport(flags.new)];
  const comparison = compareReports(before, after, flags.failOn);
  await writeOutput(await render(comparison, flags), flags.output);
  return comparison.gate.exit_code;
}

async function render(comparison: Comparison, { format, output, color }: CompareFlags): Promise<string> {
  if (format === 'json') return `${renderJson(comparison, 2)}\n`;
  if (format === 'markdown') return renderComparisonMarkdown(comparison);
  if (format === 'html') {
    const { renderComparisonPage } = await import('../reports/html/comparison-page.js');
    return renderComparisonPage(comparison);
  }
  return renderComparisonTerminal(comparison, chooseLayout({ color: color && output === undefined }));
}
