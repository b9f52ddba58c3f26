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
import { join } from 'node:path';
import type { JournalLine, LeftoverNews } from '../spec/journal.js';
import type { Report } from '../spec/report.js';
import { escapeLive, inertJsonLine } from './inert-json.js';
import { journalFile } from './report-folder.js';
import { explainedWrite, UnwritableFile } from './write-whole.js';

// What a killed process may lose: less than this, or what came in the last moments.
const bufferedAtMost = 64_000;
const flushedEveryMs = 200;

/** Writes a run's evidence down as it comes. A disk that gives out ends the journal, never the run. */
export class JournalWriter {
  readonly path: string;
  /** Where it is until its first line is whole: a journal without one would be of no run. */
  readonly #temporary: string;
  readonly #file: number;
  readonly #timer: NodeJS.Timeout;
  readonly #redact: (line: JournalLine) => JournalLine;
  #buffered = '';
  #hasAppeared = false;
  #trouble: string | undefined;

  /**
   * Begins a new journal in a folder that is ready. Throws UnwritableFile.
   * @param redact replaces the secrets in a line
   */
  constructor(directory: string, redact: (line: JournalLine) => JournalLine) {
    this.#redact = redact;
    this.path = join(directory, journalFile);
    this.#temporary = `${this.path}.${randomUUID()}.tmp`;
    try {
      this.#file = openSync(this.#temporary, 'wx');
    } catch (error) {
      throw new UnwritableFile(`${this.path} was not written: ${explainedWrite(error, journalFile)}`);
    }
    this.#timer = setInterval(() => this.flush(), flushedEveryMs).unref();
  }

  /** Why the journal ends before the run did. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Adds a line. */
  line(line: JournalLine): void {
    this.#add(inertJsonLine(this.#redact(line)));
  }

  /** Adds what is known of a leftover; before something is made that is on disk. */
  leftover(news: LeftoverNews): void {
    this.line(news);
    if ('left' in news) this.flush();
  }

  /** Adds an exchange that is JSON already, and redacted. */
  exchange(json: string): void {
    this.#add(`{"exchange":${escapeLive(json)}}`);
  }

  /** Hands what is buffered to the disk. */
  flush(): void {
    const text = this.#buffered;
    this.#buffered = '';
    if (text === '') return;
    this.#tried(() => {
      writeFileSync(this.#file, text);
      if (!this.#hasAppeared) renameSync(this.#temporary, this.path);
      this.#hasAppeared = true;
    });
  }

  /** Writes the rest and lets go of the file. */
  close(): void {
    clearInterval(this.#timer);
    this.flush();
    closeSync(this.#file);
    if (!this.#hasAppeared) rmSync(this.#temporary, { force: true });
  }

  /** Adds the last line to a journal that is closed and was looked through. */
  end(report: Report): void {
    this.#tried(() => appendFileSync(this.path, lastLine(report)));
  }

  #add(json: string): void {
    this.#buffered += `${json}\n`;
    if (this.#buffered.length > bufferedAtMost) this.flush();
  }

  #tried(write: () => void): void {
    if (this.#trouble !== undefined) return;
    try {
      write();
    } catch (error) {
      this.#trouble = `${this.path} ends early: ${explainedWrite(error, journalFile)}`;
    }
  }
}

/** Adds a report to a journal that is closed; it takes the place of all that the journal says. Throws what the disk says. */
export function appendReport(path: string, report: Report): void {
  // The last line of a run that was killed may be half written.
  const isWhole = readFileSync(path).at(-1) === '\n'.charCodeAt(0);
  appendFileSync(path, `${isWhole ? '' : '\n'}${lastLine(report)}`);
}

function lastLine(report: Report): string {
  return `${inertJsonLine({ ended: report } satisfies JournalLine)}\n`;
}
