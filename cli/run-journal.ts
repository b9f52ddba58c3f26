import { readFile, rm } from 'node:fs/promises';
import type { Judgement } from '../judge/check.js';
import { redactReport } from '../judge/evidence.js';
import { PassiveJudge } from '../judge/passive.js';
import {
  makeFailureReporter,
  makeReport,
  type RunFacts,
  reportCheck,
  reportPassiveCheck,
} from '../judge/report.js';
import type { RunRecord } from '../judge/run-record.js';
import { type OnExchange, TrafficLog } from '../judge/traffic-log.js';
import { writeAtomically } from '../reports/atomic-write.js';
import type { RunEvidence } from '../reports/formats.js';
import { JournalWriter, readJournal } from '../reports/journal.js';
import { renderJson } from '../reports/sanitize.js';
import type { JournalledProgress, KeptExchange } from '../spec/journal.js';
import { findNewerIds } from '../spec/ledger.js';
import { makeReason } from '../spec/reasons.js';
import type { Report } from '../spec/report.js';
import { codeOf } from '../spec/thrown.js';
import type { Redactor } from '../targets/redaction.js';
import type { Target } from '../targets/target.js';

const reviewEveryMs = 500;

type SeenByJournal = Pick<RunRecord, 'passive' | 'controlViolations' | 'controlInconclusive'>;

/** The evidence of a run, written while it goes on, so that a killed process leaves what was known. */
export class RunJournal extends JournalWriter {
  readonly trafficLog: TrafficLog;
  readonly #target: Target;
  readonly #facts: RunFacts;
  readonly #reporter: ReturnType<typeof makeFailureReporter>;
  readonly #start = performance.now();
  readonly #judgements: Judgement[] = [];
  /** The exchanges that it wrote, as JSON. */
  readonly #exchanges: string[] = [];
  #reviewedAt = 0;

  /** Begins a journal in a folder that is ready. Throws UnwritableFile. */
  constructor(directory: string, target: Target, facts: RunFacts, onExchange?: OnExchange) {
    super(directory, (line) => target.redactor.redactTexts(line));
    this.#target = target;
    this.#facts = facts;
    this.#reporter = makeFailureReporter(facts);
    target.onLeftover = (news) => this.leftover(news);
    this.trafficLog = new TrafficLog(
      target.redactor,
      (exchange) => {
        this.#exchanges.push(exchange);
        this.exchange(exchange);
      },
      onExchange,
    );
  }

  /** Writes what to report if the process is killed at once. */
  begin(forecast: readonly Judgement[]): void {
    const record = { ...this.#record(new PassiveJudge(this.#target)), judgements: forecast };
    const begun = makeReport(record, this.#target, { ...this.#facts, complete: false, interrupted: true });
    const { waivers = [], ledger } = this.#facts;
    const newer = ledger === undefined ? [] : findNewerIds(ledger);
    const ignored = [...new Set([...waivers.map(({ id }) => id), ...newer])];
    this.line({ format: 'plumbline-journal/1', begun, passed_over: ignored });
    this.flush();
  }

  /** Writes a judged check. @param seen what the rules for every response have seen so far */
  noteJudgement(judgement: Judgement, seen: SeenByJournal): void {
    this.#judgements.push(judgement);
    this.line({ judged: [reportCheck(judgement, this.#reporter)], progress: this.#progress });
    const hasViolation = judgement.passiveFailures.length > 0;
    if (hasViolation || performance.now() - this.#reviewedAt > reviewEveryMs) this.#review(seen);
  }

  /** Closes the journal, redacts it and the report once more, and adds the report as the last line. */
  async finish(report: Report): Promise<RunEvidence> {
    this.close();
    const { redactor } = this.#target;
    const isLeaky = await redactFile(this.path, redactor);
    const clean = redactReport(report, redactor, isLeaky ? [this.path] : []);
    this.end(clean);
    if (this.writeError !== undefined) process.stderr.write(`plumbline: ${this.writeError}\n`);
    const exchanges = isLeaky
      ? ((await readJournal(this.path))?.exchanges ?? [])
      : this.#exchanges.map((json) => JSON.parse(json) as KeptExchange);
    return { report: clean, traffic: { exchanges, sent: report.run.requests } };
  }

  get #progress(): JournalledProgress {
    return { requests: this.#target.client.sent, duration_ms: Math.round(performance.now() - this.#start) };
  }

  #review(seen: SeenByJournal): void {
    this.#reviewedAt = performance.now();
    const record = { ...this.#record(seen.passive), judgements: this.#judgements, ...seen };
    const judged = PassiveJudge.requirements.map((id) => reportPassiveCheck(id, record, this.#reporter));
    this.line({ judged, progress: this.#progress });
  }

  #record(passive: PassiveJudge): RunRecord {
    return {
      judgements: [],
      passive,
      unjudged: undefined,
      stopped: makeReason('killed'),
      controlViolations: [],
      faults: [],
    };
  }
}

/** Redacts a file of JSON lines, or deletes it if it cannot be rewritten; returns whether it held a secret. */
export async function redactFile(file: string, redactor: Redactor): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split('\n');
  const clean = lines.map((line) => redactLine(line, redactor)).join('\n');
  if (clean === text) return false;
  await writeAtomically(file, clean).catch(() => rm(file, { force: true }));
  return true;
}

function redactLine(line: string, redactor: Redactor): string {
  const clean = redactor.redact(line);
  if (clean === line) return line;
  try {
    // Redacting each text by itself keeps the JSON around it valid.
    return renderJson(redactor.redactTexts(JSON.parse(line) as unknown), 0);
  } catch {
    return clean;
  }
}
