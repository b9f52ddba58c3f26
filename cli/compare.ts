import { compareReports } from '../reports/comparison.js';
import { renderComparisonMarkdown, renderComparisonTerminal } from '../reports/comparison-text.js';
import { loadReport } from '../reports/load-report.js';
import { renderJson } from '../reports/sanitize.js';
import type { CompareFlags } from './flags.js';
import { writeResult } from './publish.js';

/** Report files, or their folders. */
interface Compared {
  readonly old: string;
  readonly new: string;
}

/** Compares two reports. Returns the exit code: 1 on a new violation, or on what --fail-on names. Throws UsageError. */
export async function compare(flags: CompareFlags & Compared): Promise<number> {
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
