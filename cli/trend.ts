import {
  type BrokenLine,
  type History,
  readHistory,
  UnreadableHistory,
} from '../reports/history/read-history.js';
import { inertJson } from '../reports/inert-json.js';
import { inertText } from '../reports/inert-text.js';
import { type Trend, trendOf } from '../reports/trend/trend.js';
import { trendText } from '../reports/trend/trend-text.js';
import { exitCodes } from '../spec/exit-codes.js';
import { UsageError } from '../spec/thrown.js';
import { writeResult } from './write-result.js';

/** The flags of `plumbline trend`, read and checked. */
export interface TrendFlags {
  readonly file: string;
  /** How many runs. */
  readonly last: number;
  readonly format: 'text' | 'html' | 'json';
  /** The file that the result goes to in place of standard output. */
  readonly output?: string;
  readonly color: boolean;
}

/** Draws the last runs of a history file. Returns the exit code; throws UsageError. */
export async function trend(flags: TrendFlags): Promise<number> {
  const history = await readable(flags.file);
  tellBroken(history.broken, flags.file);
  await writeResult(await rendered(trendOf(history, flags.last), flags), flags.output);
  return exitCodes.conformant;
}

async function readable(file: string): Promise<History> {
  return readHistory(file).catch((error: unknown) => {
    if (error instanceof UnreadableHistory) throw new UsageError(error.message);
    throw error;
  });
}

const toldAtMost = 5;

function tellBroken(broken: readonly BrokenLine[], file: string): void {
  for (const { line, why } of broken.slice(0, toldAtMost))
    process.stderr.write(`plumbline: line ${line} of ${file} is skipped: ${inertText(why)}.\n`);
  const more = broken.length - toldAtMost;
  if (more > 0) process.stderr.write(`plumbline: ${more} more lines of ${file} are skipped.\n`);
}

async function rendered(drawn: Trend, { format, output, color }: TrendFlags): Promise<string> {
  if (format === 'json') return `${inertJson(drawn, 2)}\n`;
  if (format === 'html') {
    const { trendPage } = await import('../reports/trend/trend-page.js');
    return trendPage(drawn);
  }
  const isTerminal = output === undefined && process.stdout.isTTY === true;
  return trendText(drawn, { color: color && isTerminal, width: process.stdout.columns ?? 100 });
}
