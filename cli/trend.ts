import { readHistory } from '../reports/history/read-history.js';
import { inertJson } from '../reports/inert-json.js';
import { inertText } from '../reports/inert-text.js';
import { type Trend, trendOf } from '../reports/trend/trend.js';
import { trendText } from '../reports/trend/trend-text.js';
import { exitCodes } from '../spec/exit-codes.js';
import { type OutputFlags, terminalLayout, writeOutput } from './publish.js';

/** The flags and the argument of `plumbline trend`, parsed. */
export interface TrendFlags extends OutputFlags {
  readonly file: string;
  /** The number of runs to chart. */
  readonly last: number;
  readonly format: 'text' | 'html' | 'json';
  readonly output?: string;
}

const brokenLinesShown = 5;

/** Charts the last runs of a history file. Returns the exit code; throws UsageError. */
export async function trend(flags: TrendFlags): Promise<number> {
  const history = await readHistory(flags.file);
  for (const { line, why } of history.broken.slice(0, brokenLinesShown))
    process.stderr.write(`plumbline: skipped line ${line} of ${flags.file}: ${inertText(why)}.\n`);
  const more = history.broken.length - brokenLinesShown;
  if (more > 0) process.stderr.write(`plumbline: skipped ${more} more lines of ${flags.file}.\n`);
  await writeOutput(await render(trendOf(history, flags.last), flags), flags.output);
  return exitCodes.conformant;
}

async function render(trend: Trend, { format, output, color }: TrendFlags): Promise<string> {
  if (format === 'json') return `${inertJson(trend, 2)}\n`;
  if (format === 'html') {
    const { trendPage } = await import('../reports/trend/trend-page.js');
    return trendPage(trend);
  }
  return trendText(trend, terminalLayout({ color: color && output === undefined }));
}
