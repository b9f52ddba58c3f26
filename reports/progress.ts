import cliProgress from 'cli-progress';
import picocolors from 'picocolors';
import { formatCount, formatDuration, formatNumber } from './wording.js';

/** The progress of a run. */
interface ProgressFigures {
  /** Checks, or servers of a proof, that are finished. */
  readonly done: number;
  /** All of them. */
  readonly total: number;
  /** Requests sent. */
  readonly requests: number;
  /** Confirmed violations, or servers not judged as expected, so far. */
  readonly violations: number;
}

/** What is formatCount, and what is bad news. */
export interface ProgressWords {
  readonly item: string;
  readonly trouble: string;
}

const wordsOfRun: ProgressWords = { item: 'check', trouble: 'failed' };

/** Shows a person the progress of a run. */
export interface ProgressReporter {
  update(progress: ProgressFigures): void;
  /** Removes the bar from the terminal. Nothing is written after it. */
  end(): void;
}

/**
 * Creates the progress display of a stream: one live bar on a terminal, a few plain lines elsewhere, nothing where
 * `quiet`. It keeps no process alive. Until `end`, nothing else may be written to the same terminal.
 */
export function createProgress(
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
  const { color, words = wordsOfRun, sent } = options;
  return stream.isTTY ? new LiveBar(stream, color, words, sent) : new PlainLines(stream, words);
}

type Part = 'items' | 'requests' | 'rate' | 'trouble' | 'elapsed' | 'left';

/** Lists what the display says, part by part; the remaining time only once it can be estimated. */
function listParts(
  { done, total, requests, violations }: ProgressFigures,
  { item, trouble }: ProgressWords,
  elapsedMs: number,
  sinceDoneMs: number,
): ReadonlyMap<Part, string> {
  const rate = Math.round(requests / Math.max(elapsedMs / 1000, 0.1));
  // What takes longest ends last: the time since the last check ended is a better estimate than the mean.
  const leftMs = Math.max((elapsedMs / done) * (total - done), sinceDoneMs);
  const canEstimate = done > 0 && done < total && elapsedMs >= leastToEstimateMs;
  return new Map<Part, string>([
    ['items', `${formatNumber(done)} of ${formatCount(total, item)}`],
    ['requests', formatCount(requests, 'request')],
    ['rate', `${formatNumber(rate)}/s`],
    ['trouble', `${formatNumber(violations)} ${trouble}`],
    ['elapsed', formatDuration(elapsedMs)],
    ...(canEstimate ? [['left', `${formatRemaining(leftMs)} left`] as const] : []),
  ]);
}

const leastToEstimateMs = 1_000;

/** Formats an estimate, so without fractions of a second. */
function formatRemaining(ms: number): string {
  return ms < 9_000 ? `${Math.ceil(ms / 1000)} s` : formatDuration(Math.max(ms, 9_950));
}

const linePauseMs = 10_000;
const lineShare = 0.25;

/** Writes a line only after 10 s and a quarter of the run, so that a log gets four at most. */
class PlainLines implements ProgressReporter {
  readonly #stream: NodeJS.WriteStream;
  readonly #words: ProgressWords;
  readonly #startMs = performance.now();
  #lineMs = this.#startMs;
  #lineShown = 0;
  #ended = false;

  constructor(stream: NodeJS.WriteStream, words: ProgressWords) {
    this.#stream = stream;
    this.#words = words;
  }

  update(progress: ProgressFigures): void {
    const nowMs = performance.now();
    const share = progress.total === 0 ? 1 : progress.done / progress.total;
    if (this.#ended || nowMs - this.#lineMs < linePauseMs || share - this.#lineShown < lineShare) return;
    this.#lineMs = nowMs;
    this.#lineShown = share;
    this.#stream.write(
      `plumbline: ${[...listParts(progress, this.#words, nowMs - this.#startMs, 0).values()].join(', ')}\n`,
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
/** The parts that a narrow terminal does without, in this order. */
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

  /** Renders the line of the bar, always narrower than the terminal; in colour only where nothing has to be cut. */
  #line(share: number, columns: number): string {
    if (this.#progress === undefined) return '';
    const figures = { ...this.#progress, requests: this.#sent?.() ?? this.#progress.requests };
    const nowMs = performance.now();
    const all = listParts(figures, this.#words, nowMs - this.#startMs, nowMs - this.#doneMs);
    const shown = fitParts(all, columns);
    const plain = joinText(shown);
    const trouble = shown.get('trouble');
    if (figures.violations > 0 && trouble !== undefined) shown.set('trouble', this.#colors.red(trouble));
    const text = joinText(shown);
    // The library cuts a line at as many characters as there are columns, those of colour included.
    const room = columns - text.length - 2;
    if (room < 0) return plain.slice(0, Math.max(0, columns - 1));
    const length = Math.min(barAtMost, room);
    const filled = Math.round(share * length);
    return `${'█'.repeat(filled)}${'░'.repeat(length - filled)} ${text}`;
  }
}

/** The listParts that leave some columns for the bar. */
function fitParts(all: ReadonlyMap<Part, string>, columns: number): Map<Part, string> {
  const shown = new Map(all);
  for (const part of dispensable) {
    if (joinText(shown).length + barAtLeast + 2 <= columns) break;
    shown.delete(part);
  }
  return shown;
}

function joinText(parts: ReadonlyMap<Part, string>): string {
  return [...parts.values()].join(', ');
}
