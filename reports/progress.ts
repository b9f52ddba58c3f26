import cliProgress from 'cli-progress';
import picocolors from 'picocolors';
import { counted, durationText, numberText } from './amount-text.js';

/** How far a run has come. */
interface ProgressFigures {
  /** Checks, or servers of a proof, that are finished. */
  readonly done: number;
  /** All of them. */
  readonly total: number;
  /** Requests sent. */
  readonly requests: number;
  /** Violations, or servers not judged as they should be, so far. */
  readonly violations: number;
}

/** What is counted, and what is bad news. */
export interface ProgressWords {
  readonly item: string;
  readonly trouble: string;
}

const wordsOfARun: ProgressWords = { item: 'check', trouble: 'violated' };

/** Tells a person how far a run has come. */
export interface ProgressReporter {
  update(progress: ProgressFigures): void;
  /** Takes the bar off the terminal. Nothing is written after it. */
  end(): void;
}

/**
 * Progress for a stream: one live bar on a terminal, a handful of plain lines elsewhere, nothing where `quiet`.
 * It keeps no process alive. Until `end`, nothing else is to be written to the same terminal.
 */
export function progressReporter(
  stream: NodeJS.WriteStream,
  options: {
    readonly quiet: boolean;
    readonly color: boolean;
    readonly words?: ProgressWords;
    /** Requests sent by now, for a bar that moves between updates too. */
    readonly sent?: () => number;
  },
): ProgressReporter {
  if (options.quiet) return { update: () => undefined, end: () => undefined };
  const { color, words = wordsOfARun, sent } = options;
  return stream.isTTY ? new LiveBar(stream, color, words, sent) : new PlainLines(stream, words);
}

type Part = 'items' | 'requests' | 'rate' | 'trouble' | 'elapsed' | 'left';

/** What is said of a run that has taken so long, part by part; no time left before it can be told. */
function parts(
  { done, total, requests, violations }: ProgressFigures,
  { item, trouble }: ProgressWords,
  elapsedMs: number,
  sinceDoneMs: number,
): ReadonlyMap<Part, string> {
  const rate = Math.round(requests / Math.max(elapsedMs / 1000, 0.1));
  // What takes longest ends last, so that a check that keeps one waiting tells more than the mean of those before it.
  const leftMs = Math.max((elapsedMs / done) * (total - done), sinceDoneMs);
  const isTold = done > 0 && done < total && elapsedMs >= leastToEstimateMs;
  return new Map<Part, string>([
    ['items', `${numberText(done)} of ${counted(total, item)}`],
    ['requests', counted(requests, 'request')],
    ['rate', `${numberText(rate)}/s`],
    ['trouble', `${numberText(violations)} ${trouble}`],
    ['elapsed', durationText(elapsedMs)],
    ...(isTold ? [['left', `${leftText(leftMs)} left`] as const] : []),
  ]);
}

const leastToEstimateMs = 1_000;

/** An estimate, so no fractions of a second. */
function leftText(ms: number): string {
  return ms < 9_000 ? `${Math.ceil(ms / 1000)} s` : durationText(Math.max(ms, 9_950));
}

const linePauseMs = 10_000;
const lineShare = 0.25;

/** A line only after 10 s and a quarter of the run, so that a log gets four at most. */
class PlainLines implements ProgressReporter {
  readonly #stream: NodeJS.WriteStream;
  readonly #words: ProgressWords;
  readonly #startMs = performance.now();
  #toldMs = this.#startMs;
  #toldShare = 0;
  #ended = false;

  constructor(stream: NodeJS.WriteStream, words: ProgressWords) {
    this.#stream = stream;
    this.#words = words;
  }

  update(progress: ProgressFigures): void {
    const nowMs = performance.now();
    const share = progress.total === 0 ? 1 : progress.done / progress.total;
    if (this.#ended || nowMs - this.#toldMs < linePauseMs || share - this.#toldShare < lineShare) return;
    this.#toldMs = nowMs;
    this.#toldShare = share;
    this.#stream.write(
      `plumbline: ${[...parts(progress, this.#words, nowMs - this.#startMs, 0).values()].join(', ')}\n`,
    );
  }

  end(): void {
    this.#ended = true;
  }
}

/** A bar whose redrawing does not keep the process alive, as that of cli-progress would. */
class IdleBar extends cliProgress.SingleBar {
  // The library's own member, which its types leave out.
  declare protected timer: NodeJS.Timeout | null;

  override render(): void {
    super.render();
    this.timer?.unref();
  }
}

const barAtMost = 30;
const barAtLeast = 4;
/** What a narrow terminal goes without, first to last. */
const dispensable: readonly Part[] = ['elapsed', 'requests', 'rate', 'left', 'trouble'];

class LiveBar implements ProgressReporter {
  readonly #bar: IdleBar;
  readonly #colors: ReturnType<typeof picocolors.createColors>;
  readonly #words: ProgressWords;
  readonly #sent: (() => number) | undefined;
  readonly #startMs = performance.now();
  #doneMs = this.#startMs;
  #progress: ProgressFigures | undefined;
  #ended = false;

  constructor(
    stream: NodeJS.WriteStream,
    color: boolean,
    words: ProgressWords,
    sent: (() => number) | undefined,
  ) {
    this.#words = words;
    this.#sent = sent;
    this.#colors = picocolors.createColors(color);
    this.#bar = new IdleBar({
      stream,
      clearOnComplete: true,
      // A process that dies must not leave the terminal without wrapping; the line fits by itself.
      linewrap: true,
      format: (_options, { progress, maxWidth }) => this.#line(progress, maxWidth),
    });
  }

  update(progress: ProgressFigures): void {
    if (this.#ended) return;
    const isFirst = this.#progress === undefined;
    if (progress.done !== this.#progress?.done) this.#doneMs = performance.now();
    this.#progress = progress;
    if (isFirst) {
      this.#bar.start(progress.total, progress.done);
      return;
    }
    this.#bar.setTotal(progress.total);
    this.#bar.update(progress.done);
  }

  end(): void {
    this.#ended = true;
    this.#bar.stop();
  }

  /** The line of the bar, narrower than the terminal in every case; colour only where nothing has to be cut. */
  #line(share: number, columns: number): string {
    if (this.#progress === undefined) return '';
    const figures = { ...this.#progress, requests: this.#sent?.() ?? this.#progress.requests };
    const nowMs = performance.now();
    const all = parts(figures, this.#words, nowMs - this.#startMs, nowMs - this.#doneMs);
    const told = fitted(all, columns);
    const plain = textOf(told);
    const trouble = told.get('trouble');
    if (figures.violations > 0 && trouble !== undefined) told.set('trouble', this.#colors.red(trouble));
    const text = textOf(told);
    // The library cuts a line at as many characters as there are columns, those of colour included.
    const room = columns - text.length - 2;
    if (room < 0) return plain.slice(0, Math.max(0, columns - 1));
    const length = Math.min(barAtMost, room);
    const filled = Math.round(share * length);
    return `${'█'.repeat(filled)}${'░'.repeat(length - filled)} ${text}`;
  }
}

/** The parts that leave some columns for the bar. */
function fitted(all: ReadonlyMap<Part, string>, columns: number): Map<Part, string> {
  const told = new Map(all);
  for (const part of dispensable) {
    if (textOf(told).length + barAtLeast + 2 <= columns) break;
    told.delete(part);
  }
  return told;
}

function textOf(told: ReadonlyMap<Part, string>): string {
  return [...told.values()].join(', ');
}
