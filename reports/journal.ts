import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JournalLine, KeptExchange, LeftoverNews } from '../spec/journal.js';
import { isObject, readJson } from '../spec/json.js';
import { readTextFile } from '../spec/read-file.js';
import type { Report } from '../spec/report.js';
import { explainWriteError, UnwritableFile } from './atomic-write.js';
import { checkReport, UnreadableReport } from './load-report.js';
import { journalFile } from './report-folder.js';
import { escapeJson, renderJson } from './sanitize.js';

// A killed process loses what is not flushed yet: fewer characters than this, or the last milliseconds.
const bufferedAtMost = 64_000;
const flushedEveryMs = 200;

/** Writes the evidence of a run to disk as it is collected. A failing disk ends the journal, never the run. */
export class JournalWriter {
  readonly path: string;
  /** Where the journal is until its first line is complete: without that line it belongs to no run. */
  readonly #temporary: string;
  readonly #file: number;
  readonly #timer: NodeJS.Timeout;
  readonly #redact: (line: JournalLine) => JournalLine;
  #buffered = '';
  #hasAppeared = false;
  #writeError: string | undefined;

  /** Begins a journal in a prepared folder; `redact` replaces the secrets in a line. Throws UnwritableFile. */
  constructor(directory: string, redact: (line: JournalLine) => JournalLine) {
    this.#redact = redact;
    this.path = join(directory, journalFile);
    this.#temporary = `${this.path}.${randomUUID()}.tmp`;
    try {
      this.#file = openSync(this.#temporary, 'wx');
    } catch (error) {
      throw new UnwritableFile(`${this.path} was not written: ${explainWriteError(error, journalFile)}`);
    }
    this.#timer = setInterval(() => this.flush(), flushedEveryMs).unref();
  }

  /** Why the journal stops before the run did. */
  get writeError(): string | undefined {
    return this.#writeError;
  }

  line(line: JournalLine): void {
    this.#add(renderJson(this.#redact(line), 0));
  }

  /** Adds what is known about a leftover; the line is on disk before anything is created on the server. */
  leftover(news: LeftoverNews): void {
    this.line(news);
    if ('left' in news) this.flush();
  }

  /** Adds an exchange that is JSON already, and redacted. */
  exchange(json: string): void {
    this.#add(`{"exchange":${escapeJson(json)}}`);
  }

  flush(): void {
    const text = this.#buffered;
    this.#buffered = '';
    if (text === '') return;
    this.#attempt(() => {
      writeFileSync(this.#file, text);
      if (!this.#hasAppeared) renameSync(this.#temporary, this.path);
      this.#hasAppeared = true;
    });
  }

  close(): void {
    clearInterval(this.#timer);
    this.flush();
    closeSync(this.#file);
    if (!this.#hasAppeared) rmSync(this.#temporary, { force: true });
  }

  /** Adds the last line to a journal that is closed and redacted. */
  end(report: Report): void {
    this.#attempt(() => appendFileSync(this.path, renderLastLine(report)));
  }

  #add(json: string): void {
    this.#buffered += `${json}\n`;
    if (this.#buffered.length > bufferedAtMost) this.flush();
  }

  #attempt(write: () => void): void {
    if (this.#writeError !== undefined) return;
    try {
      write();
    } catch (error) {
      this.#writeError = `${this.path} stops early: ${explainWriteError(error, journalFile)}`;
    }
  }
}

/** Appends a report to a closed journal; it replaces all that the journal says. Throws what the system says. */
export function appendReport(path: string, report: Report): void {
  // The last line of a killed run may be incomplete.
  const isComplete = readFileSync(path).at(-1) === '\n'.charCodeAt(0);
  appendFileSync(path, `${isComplete ? '' : '\n'}${renderLastLine(report)}`);
}

function renderLastLine(report: Report): string {
  return `${renderJson({ ended: report } satisfies JournalLine, 0)}\n`;
}

const mostBytes = 100_000_000;

/**
 * Reads a journal, if there is one: its complete lines, those of exchanges apart. Throws UnreadableReport if it, or a
 * report in it, cannot be read.
 */
export async function readJournal(path: string) {
  if ((await stat(path).catch(() => undefined)) === undefined) return undefined;
  const refuse = (why: string) =>
    new UnreadableReport(`${path} ${why}. Move it away to read only the report.`);
  const text = await readTextFile(path, mostBytes, refuse);
  const lines: JournalLine[] = [];
  const exchanges: KeptExchange[] = [];
  for (const lineText of text.split('\n')) {
    const line = parseLine(lineText, path);
    if (line === undefined) continue;
    if ('exchange' in line) exchanges.push(line.exchange);
    else lines.push(line);
  }
  return { lines, exchanges };
}

/** Returns undefined for a line that a killed process left incomplete. */
function parseLine(text: string, path: string): JournalLine | undefined {
  const { value } = readJson(text);
  if (!isObject(value)) return undefined;
  if ('begun' in value) checkReport(value.begun, path);
  if ('ended' in value) return { ended: checkReport(value.ended, path) };
  return compileSchema()(value) ? (value as JournalLine) : undefined;
}

let compiled: ValidateFunction | undefined;

/** Compiles the schema of the lines that are not a whole report, from the parts of the report's own schema. */
function compileSchema(): ValidateFunction {
  if (compiled !== undefined) return compiled;
  const schema = JSON.parse(
    readFileSync(new URL('../spec/report.schema.json', import.meta.url), 'utf8'),
  ) as object;
  const part = (name: string) => ({ $ref: `report#/$defs/${name}` });
  const object = (properties: object, optional: readonly string[] = []) => ({
    type: 'object',
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    properties,
  });
  const text = part('text');
  const number = part('count');
  const world = { kind: { const: 'world' }, number };
  const secret = { kind: { const: 'secret' }, intern: text, name: text };
  const kept = object({ check: { type: ['string', 'null'] }, label: { type: 'string' } });
  const leftover = {
    anyOf: [
      object({ ...world, label: text, id: text, state: { enum: ['opening', 'open', 'closing'] } }, ['id']),
      object({ ...secret, scope: text }, ['intern']),
    ],
  };
  const gone = { anyOf: [object(world), object(secret, ['intern'])] };
  const progress = object({ requests: number, duration_ms: part('milliseconds') });
  const begun = {
    format: { const: 'plumbline-journal/1' },
    begun: {},
    passed_over: { type: 'array', items: { type: 'string' } },
  };
  compiled = new Ajv2020({ validateSchema: false, strict: false }).addSchema(schema, 'report').compile({
    anyOf: [
      object(begun, ['passed_over']),
      object({ exchange: { allOf: [part('exchange'), kept] } }),
      object({ left: leftover }),
      object({ gone }),
      object({ judged: { type: 'array', items: part('check') }, progress }),
    ],
  });
  return compiled;
}
