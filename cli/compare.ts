import { compareReports } from '../reports/comparison.js';
import { renderComparisonMarkdown, renderComparisonTerminal } from '../reports/comparison-text.js';
import { loadReport } from '../reports/load-report.js';
import { renderJson } from '../reports/sanitize.js';
import type { Stopper } from '../spec/comparison.js';
import { type ResultFlags, writeResult } from './publish.js';

/** The flags and arguments of `plumbline compare`, parsed. */
export interface CompareFlags extends ResultFlags<'text' | 'html' | 'json' | 'markdown'> {
  /** Report files, or their folders. */
  readonly old: string;
  readonly new: string;
  readonly failOn: readonly Stopper[];
}

/** Compares two reports. Returns the exit code: 1 on a new violation, or on what --fail-on names. Throws UsageError. */
export async function compare(flags: CompareFlags): Promise<number> {
  const [before, after] = [await loadReport(flags.old), await loadReport(flags.new)];
  const comparison = compareReports(before, after, flags.failOn);
  await writeResult(flags, {
    text: (layout) => renderComparisonTerminal(comparison, layout),
    markdown: () => renderComparisonMarkdown(comparison),
    json: () => `${renderJson(comparison, 2)}\n`,
    html: async () => (await import('../reports/html/comparison-page.js')).renderComparisonPage(comparison),
  });
  return comparison.gate.exit_code;
}
