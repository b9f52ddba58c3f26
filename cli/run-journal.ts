import type { Judgement } from '../judge/check.js';
import { killed } from '../judge/interrupted-report.js';
import { PassiveJudge } from '../judge/passive.js';
import { TrafficKeeper } from '../judge/recorder.js';
import { type RunFacts, reportedCheck, reportedPassiveCheck, reportOf } from '../judge/report.js';
import type { RunRecord } from '../judge/run-record.js';
import { JournalWriter } from '../reports/journal-writer.js';
import { readJournal } from '../reports/read-journal.js';
import type { JournalledProgress } from '../spec/journal.js';
import { newerThan } from '../spec/ledger-version.js';
import type { Report } from '../spec/report.js';
import type { KeptExchange, Traffic } from '../spec/traffic.js';
import type { Target } from '../targets/target.js';

const lookedEveryMs = 500;

type SeenByJournal = Pick<RunRecord, 'passive' | 'controlViolations' | 'controlUnsettled'>;

/** The evidence of a run, written while it goes on: a process that is killed leaves what was known. */
export class RunJournal {
  readonly keeper: TrafficKeeper;
  readonly #writer: JournalWriter;
  readonly #target: Target;
  readonly #facts: RunFacts;
  readonly #start = performance.now();
  readonly #judgements: Judgement[] = [];
  /** What the keeper wrote, each as JSON: as much as it keeps of any run. */
  readonly #exchanges: string[] = [];
  #looked = 0;

  /** Begins a journal in a folder that is ready. Throws an error of one line that says what to do. */
  constructor(directory: string, target: Target, facts: RunFacts) {
    this.#writer = new JournalWriter(directory, (line) => target.redactor.redactTexts(line));
    this.#target = target;
    this.#facts = facts;
    target.onLeftover = (news) => this.#writer.leftover(news);
    this.keeper = new TrafficKeeper(target.redactor, (exchange) => {
      this.#exchanges.push(exchange);
      this.#writer.exchange(exchange);
    });
  }

  /** Notes what would be told if nothing more could be written. */
  begin(outlook: readonly Judgement[]): void {
    const record = { ...this.#record(new PassiveJudge(this.#target)), judgements: outlook };
    const begun = reportOf(record, this.#target, { ...this.#facts, complete: false, interrupted: true });
    const { waivers = [], ledger } = this.#facts;
    const newer = ledger === undefined ? [] : newerThan(ledger);
    const passedOver = [...new Set([...waivers.map(({ id }) => id), ...newer])];
    this.#writer.line({ format: 'plumbline-journal/1', begun, passed_over: passedOver });
    this.#writer.flush();
  }

  get path(): string {
    return this.#writer.path;
  }

  /** Why the journal ends before the run did. */
  get trouble(): string | undefined {
    return this.#writer.trouble;
  }

  /** A check was judged; `seen` is what the rules for every response have seen so far. */
  judged(judgement: Judgement, seen: SeenByJournal): void {
    this.#judgements.push(judgement);
    this.#writer.line({ judged: [reportedCheck(judgement, this.#facts)], progress: this.#progress });
    const isNews = judgement.passiveFailures.length > 0;
    if (isNews || performance.now() - this.#looked > lookedEveryMs) this.#look(seen);
  }

  /** Writes the rest down; the last line follows once the file was looked through. */
  close(): void {
    this.#writer.close();
  }

  /** What was kept of the traffic; read from the file where a secret had to be taken out of it. */
  async traffic(sent: number, { isCleaned }: { readonly isCleaned: boolean }): Promise<Traffic> {
    const exchanges = isCleaned
      ? ((await readJournal(this.path))?.exchanges ?? [])
      : this.#exchanges.map((json) => JSON.parse(json) as KeptExchange);
    return { exchanges, sent };
  }

  /** The run came to its end. */
  ended(report: Report): void {
    this.#writer.end(report);
  }

  get #progress(): JournalledProgress {
    return {
      requests: this.#target.client.sent,
      duration_ms: Math.round(performance.now() - this.#start),
    };
  }

  #look(seen: SeenByJournal): void {
    this.#looked = performance.now();
    const record = { ...this.#record(seen.passive), judgements: this.#judgements, ...seen };
    const judged = PassiveJudge.requirements.map((id) => reportedPassiveCheck(id, record, this.#facts));
    this.#writer.line({ judged, progress: this.#progress });
  }

  #record(passive: PassiveJudge): RunRecord {
    return {
      judgements: [],
      passive,
      unjudged: undefined,
      stopped: killed,
      controlViolations: [],
      faults: [],
    };
  }
}
