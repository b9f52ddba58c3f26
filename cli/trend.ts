import { readHistory } from '../reports/history.js';
import { renderJson, sanitizeLine } from '../reports/sanitize.js';
import { buildTrend } from '../reports/trend.js';
import { renderTrendTerminal } from '../reports/trend-text.js';
import { exitCodes } from '../spec/exit-codes.js';
import type { TrendFlags } from './flags.js';
import { writeResult } from './publish.js';

const brokenLinesShown = 5;

/** Charts the last runs of a history file. Returns the exit code; throws UsageError. */
export async function trend(flags: TrendFlags & { readonly file: string }): Promise<number> {
  const history = await readHistory(flags.file);
  for (const { line, why } of history.invalid.slice(0, brokenLinesShown))
    process.stderr.write(`plumbline: skipped line ${line} of ${flags.file}: ${sanitizeLine(why)}.\n`);
  const more = history.invalid.length - brokenLinesShown;
  if (more > 0) process.stderr.write(`plumbline: skipped ${more} more lines of ${flags.file}.\n`);
  const trend = buildTrend(history, flags.last);
  await writeResult(flags, {
    text: (layout) => renderTrendTerminal(trend, layout),
    json: () => `${renderJson(trend, 2)}\n`,
    html: async () => (await import('../reports/html/trend-page.js')).renderTrendPage(trend),
  });
  return exitCodes.conformant;
}
