import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JournalLine, KeptExchange } from '../spec/journal.js';
import { parseJson } from '../spec/json.js';
import { readTextFile, UnreadableFile } from '../spec/read-file.js';
import { checkedReport, UnreadableReport } from './read-report.js';

/** What a journal holds, its exchanges apart. */
export interface Journal {
  /** Every whole line but those of exchanges; a line that a killed process left half written is none. */
  readonly lines: readonly JournalLine[];
  readonly exchanges: readonly KeptExchange[];
}

// What a run keeps of its traffic is a few of them, however long it is.
const mostBytes = 100_000_000;

/**
 * Reads a journal. Undefined where there is none; throws UnreadableReport where it cannot be read, or a report in it is
 * broken.
 */
export async function readJournal(path: string): Promise<Journal | undefined> {
  const text = await textOf(path);
  if (text === undefined) return undefined;
  const lines: JournalLine[] = [];
  const exchanges: KeptExchange[] = [];
  for (const piece of piecesOf(text)) {
    const line = lineOf(piece, path);
    if (line === undefined) continue;
    if ('exchange' in line) exchanges.push(line.exchange);
    else lines.push(line);
  }
  return { lines, exchanges };
}

async function textOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  try {
    return await readTextFile(path, mostBytes);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new UnreadableReport(`${path} ${error.message}; move it away to have the report alone.`);
  }
}

/** One line at a time: the list of all would be held beside their text. */
function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    yield text.slice(start, end);
    start = end + 1;
  }
}

function lineOf(text: string, path: string): JournalLine | undefined {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) return undefined;
  if ('begun' in value) checkedReport(value.begun, path);
  if ('ended' in value) return { ended: checkedReport(value.ended, path) };
  return validator()(value) ? (value as JournalLine) : undefined;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

let compiled: ValidateFunction | undefined;

/** The lines that are no whole report, put together from the parts of the report's own schema. */
function validator(): ValidateFunction {
  if (compiled !== undefined) return compiled;
  const schema = JSON.parse(
    readFileSync(new URL('../spec/report.schema.json', import.meta.url), 'utf8'),
  ) as object;
  const part = (name: string) => ({ $ref: `report#/$defs/${name}` });
  const progress = {
    type: 'object',
    required: ['requests', 'duration_ms'],
    properties: { requests: part('count'), duration_ms: part('milliseconds') },
  };
  const kept = {
    allOf: [part('exchange')],
    type: 'object',
    required: ['check', 'label'],
    properties: { check: { type: ['string', 'null'] }, label: { type: 'string' } },
  };
  const text = part('text');
  const number = part('count');
  const leftover = {
    anyOf: [
      {
        type: 'object',
        required: ['kind', 'number', 'label', 'state'],
        properties: {
          kind: { const: 'world' },
          ...{ number, label: text, id: text },
          state: { enum: ['opening', 'open', 'closing'] },
        },
      },
      {
        type: 'object',
        required: ['kind', 'scope', 'name'],
        properties: { kind: { const: 'secret' }, scope: text, intern: text, name: text },
      },
    ],
  };
  const gone = {
    anyOf: [
      { type: 'object', required: ['kind', 'number'], properties: { kind: { const: 'world' }, number } },
      {
        type: 'object',
        required: ['kind', 'name'],
        properties: { kind: { const: 'secret' }, intern: text, name: text },
      },
    ],
  };
  compiled = new Ajv2020({ validateSchema: false, strict: false }).addSchema(schema, 'report').compile({
    anyOf: [
      {
        type: 'object',
        required: ['format', 'begun'],
        properties: {
          format: { const: 'plumbline-journal/1' },
          passed_over: { type: 'array', items: { type: 'string' } },
        },
      },
      { type: 'object', required: ['exchange'], properties: { exchange: kept } },
      { type: 'object', required: ['left'], properties: { left: leftover } },
      { type: 'object', required: ['gone'], properties: { gone } },
      {
        type: 'object',
        required: ['judged', 'progress'],
        properties: { judged: { type: 'array', items: part('check') }, progress },
      },
    ],
  });
  return compiled;
}
