import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JournalLine } from '../spec/journal.js';
import type { KeptExchange } from '../spec/traffic.js';
import { checkedReport } from './read-report.js';

/** What a journal holds, its exchanges apart. */
export interface Journal {
  /** Every whole line but those of exchanges; a line that a killed process left half written is none. */
  readonly lines: readonly JournalLine[];
  readonly exchanges: readonly KeptExchange[];
}

/** Reads a journal. Undefined where there is none; throws UnreadableReport where a report in it is broken. */
export async function readJournal(path: string): Promise<Journal | undefined> {
  const lines: JournalLine[] = [];
  const exchanges: KeptExchange[] = [];
  try {
    for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
      const line = lineOf(text, path);
      if (line === undefined) continue;
      if ('exchange' in line) exchanges.push(line.exchange);
      else lines.push(line);
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  return { lines, exchanges };
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
    return JSON.parse(text);
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
  compiled = new Ajv2020({ validateSchema: false, strict: false }).addSchema(schema, 'report').compile({
    anyOf: [
      {
        type: 'object',
        required: ['format', 'begun'],
        properties: { format: { const: 'plumbline-journal/1' } },
      },
      { type: 'object', required: ['exchange'], properties: { exchange: kept } },
      {
        type: 'object',
        required: ['judged', 'progress'],
        properties: { judged: { type: 'array', items: part('check') }, progress },
      },
    ],
  });
  return compiled;
}
