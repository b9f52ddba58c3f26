import type { HistoryEntry } from '../../spec/history.js';
import { parseJson } from '../../spec/json.js';
import { schemaValidator } from '../../spec/json-schema.js';
import { readFileBytes, UnreadableFile } from '../../spec/read-file.js';
import { UsageError } from '../../spec/thrown.js';
import { schemaFaultText } from '../schema-fault-text.js';

/** A history file that cannot be read at all, told in a line with its path and what to do. */
export class UnreadableHistory extends UsageError {}

/** A line that is none of ours. */
export interface BrokenLine {
  /** Counted from 1. */
  readonly line: number;
  readonly why: string;
}

/** The runs of a history file, in the order in which they started, and the lines that were skipped. */
export interface History {
  readonly entries: readonly HistoryEntry[];
  readonly broken: readonly BrokenLine[];
}

// A line is a few kilobytes long: these are the runs of many years.
const mostBytes = 100_000_000;

/** Reads a history file. A broken line is skipped and told; throws UnreadableHistory where there is none to read. */
export async function readHistory(file: string): Promise<History> {
  const bytes = await readFileBytes(file, mostBytes).catch((error: unknown) => {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new UnreadableHistory(`${file} ${error.message}; give the file that run --history appends to.`);
  });
  // A line that is no UTF-8 is one that is skipped.
  const history = parsedHistory(bytes.toString('utf8'));
  const [first] = history.broken;
  if (history.entries.length > 0 || first === undefined) return history;
  throw new UnreadableHistory(
    `${file}:${first.line} is no run, and no other line is: ${first.why}; give the file that run --history appends to.`,
  );
}

function parsedHistory(text: string): History {
  const entries: HistoryEntry[] = [];
  const broken: BrokenLine[] = [];
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const read = entryOf(line);
    if ('why' in read) broken.push({ line: at + 1, why: read.why });
    else entries.push(read.entry);
  }
  entries.sort((one, other) => Date.parse(one.started_at) - Date.parse(other.started_at));
  return { entries, broken };
}

function entryOf(line: string): { readonly entry: HistoryEntry } | { readonly why: string } {
  const value = parsed(line);
  if (value === undefined) return { why: 'it is no JSON, so its writer may have been stopped half way' };
  const validate = schemaValidator('history');
  if (validate(value)) return { entry: value as HistoryEntry };
  return { why: `it is no run of plumbline (${schemaFaultText(validate.errors)})` };
}

function parsed(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    return undefined;
  }
}
