import { readHistory } from '../reports/history.js';
import { renderJson, sanitizeLine } from '../reports/sanitize.js';
import { buildTrend, type Trend } from '../reports/trend.js';
import { renderTrendTerminal } from '../reports/trend-text.js';
import { exitCodes } from '../spec/exit-codes.js';
import { chooseLayout, type OutputFlags, writeOutput } from './publish.js';

/** The flags and the argument of `plumbline trend`, parsed. */
export interface TrendFlags extends OutputFlags {
  readonly file: string;
  readonly last: number;
  readonly format: 'text' | 'html' | 'json';
  readonly output?: string;
}

const brokenLinesShown = 5;

/** Charts the last runs of a history file. Returns the exit code; throws UsageError. */
export async function trend(flags: TrendFlags): Promise<number> {
  const history = await readHistory(flags.file);
  for (const { line, why } of history.invalid.slice(0, brokenLinesShown))
    process.stderr.write(`plumbline: skipped line ${line} of ${flags.file}: ${sanitizeLine(why)}.\n`);
  const more = history.invalid.length - brokenLinesShown;
  if (more > 0) process.stderr.write(`plumbline: skipped ${more} more lines of ${flags.file}.\n`);
  await writeOutput(await render(buildTrend(history, flags.last), flags), flags.output);
  return exitCodes.conformant;
}

async function render(trend: Trend, { format, output, color }: TrendFlags): Promise<string> {
  if (format === 'json') return `${renderJson(trend, 2)}\n`;
  if (format === 'html') {
    const { renderTrendPage } = await import('../reports/html/trend-page.js');
    return renderTrendPage(trend);
  }
  return renderTrendTerminal(trend, chooseLayout({ color: color && output === undefined }));
}
