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
  options: { readonly quiet: boolean; readonly color: boolean; readonly words?: ProgressWords },
): ProgressReporter {
  if (options.quiet) return { update: () => undefined, end: () => undefined };
  const { color, words = wordsOfARun } = options;
  return stream.isTTY ? new LiveBar(stream, color, words) : new PlainLines(stream, words);
}

function figures(
  { done, total, requests, violations }: ProgressFigures,
  { item, trouble }: ProgressWords,
): readonly [items: string, requests: string, violations: string] {
  return [
    `${numberText(done)} of ${counted(total, item)}`,
    counted(requests, 'request'),
    `${numberText(violations)} ${trouble}`,
  ];
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
      `plumbline: ${[...figures(progress, this.#words), durationText(nowMs - this.#startMs)].join(', ')}\n`,
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

class LiveBar implements ProgressReporter {
  readonly #bar: IdleBar;
  readonly #colors: ReturnType<typeof picocolors.createColors>;
  readonly #words: ProgressWords;
  #startMs = 0;
  #progress: ProgressFigures | undefined;
  #ended = false;

  constructor(stream: NodeJS.WriteStream, color: boolean, words: ProgressWords) {
    this.#words = words;
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
    this.#progress = progress;
    if (isFirst) {
      this.#startMs = performance.now();
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
    const [checks, requests, violations] = figures(this.#progress, this.#words);
    const elapsed = durationText(performance.now() - this.#startMs);
    const told = this.#progress.violations > 0 ? this.#colors.red(violations) : violations;
    const text = [checks, requests, told, elapsed].join(', ');
    // The library cuts a line at as many characters as there are columns, those of colour included.
    const room = columns - text.length - 2;
    if (room < 0)
      return [checks, requests, violations, elapsed].join(', ').slice(0, Math.max(0, columns - 1));
    const length = Math.min(barAtMost, room);
    const filled = Math.round(share * length);
    return `${'█'.repeat(filled)}${'░'.repeat(length - filled)} ${text}`;
  }
}
