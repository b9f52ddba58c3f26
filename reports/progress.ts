import { formatCount, formatDuration, formatNumber } from './wording.js';

interface ProgressFigures {
  /** Checks, or servers of a proof, that are finished. */
  readonly done: number;
  readonly total: number;
  readonly requests: number;
  /** Estimates how many requests the run will send in all. The remaining time follows from it, or else from what is done. */
  readonly expectedRequests?: () => number;
  /** Confirmed violations, or servers not judged as expected, so far. */
  readonly violations: number;
}

interface ProgressReporter {
  readonly update: (progress: ProgressFigures) => void;
  /** Writes a line of news, which stays. */
  readonly announce: (line: string) => void;
  /** Removes the bar from the terminal. Nothing is written after it. */
  readonly end: () => void;
}

interface ProgressOptions {
  readonly quiet: boolean;
  /** What is counted, and what is bad news. */
  readonly words?: { readonly item: string; readonly outcome: string };
  /** The number of requests sent so far, for a bar that also moves between updates. */
  readonly sent?: () => number;
}

/** Creates a progress display: a bar on a terminal, where nothing else may write, and a few lines elsewhere. */
export function createProgress(stream: NodeJS.WriteStream, options: ProgressOptions): ProgressReporter {
  const ignore = () => undefined;
  if (options.quiet) return { update: ignore, announce: ignore, end: ignore };
  return stream.isTTY ? showBar(stream, options) : writeLines(stream, options);
}

const leastToEstimateMs = 1_000;

/** Estimates the remaining time, in milliseconds; undefined where it cannot be estimated. */
function estimateLeft(
  { done, total, requests, expectedRequests }: ProgressFigures,
  elapsedMs: number,
): number | undefined {
  if (done >= total || elapsedMs < leastToEstimateMs) return undefined;
  const share = expectedRequests === undefined ? done / total : requests / expectedRequests();
  return share > 0 && share < 1 ? elapsedMs / share - elapsedMs : undefined;
}

/** Lists the parts of the progress line, the most important first. */
function listParts(
  figures: ProgressFigures,
  { words: { item, outcome } = { item: 'check', outcome: 'failed' } }: ProgressOptions,
  elapsedMs: number,
): readonly string[] {
  const { done, total, requests, violations } = figures;
  const leftMs = estimateLeft(figures, elapsedMs);
  return [
    `${formatNumber(done)} of ${formatCount(total, item)}`,
    `${formatNumber(violations)} ${outcome}`,
    ...(leftMs === undefined ? [] : [`${formatDuration(Math.max(leftMs, leastToEstimateMs))} left`]),
    formatCount(requests, 'request'),
    `${formatNumber(Math.round(requests / Math.max(elapsedMs / 1_000, 0.1)))}/s`,
    formatDuration(elapsedMs),
  ];
}

const linePauseMs = 10_000;
const lineShare = 0.25;

/** Writes a line only after 10 s and a quarter of the run, so that a log gets four at most. */
function writeLines(stream: NodeJS.WriteStream, options: ProgressOptions): ProgressReporter {
  const startMs = performance.now();
  let [lineMs, lineShown, isOver] = [startMs, 0, false];
  return {
    update: (progress) => {
      const nowMs = performance.now();
      const share = progress.total === 0 ? 1 : progress.done / progress.total;
      if (isOver || nowMs - lineMs < linePauseMs || share - lineShown < lineShare) return;
      [lineMs, lineShown] = [nowMs, share];
      stream.write(`plumbline: ${listParts(progress, options, nowMs - startMs).join(', ')}\n`);
    },
    announce: (line) => {
      stream.write(`${line}\n`);
    },
    end: () => {
      isOver = true;
    },
  };
}

const barAtMost = 30;
const barAtLeast = 4;

const redrawnEveryMs = 100;
const toLineStart = '\u001b[1G';
const eraseRest = '\u001b[0K';

/** Changes no settings of the terminal, so that a killed process leaves nothing to restore. */
function showBar(stream: NodeJS.WriteStream, options: ProgressOptions): ProgressReporter {
  const startMs = performance.now();
  let figures: ProgressFigures | undefined;
  const renderLine = (progress: ProgressFigures, columns: number): string => {
    const { done, total } = progress;
    const nowMs = performance.now();
    const latest = { ...progress, requests: options.sent?.() ?? progress.requests };
    const parts = [...listParts(latest, options, nowMs - startMs)];
    // A narrow terminal does without the last ones.
    while (parts.length > 1 && parts.join(', ').length + barAtLeast + 2 > columns) parts.pop();
    const text = parts.join(', ');
    const room = Math.max(0, Math.min(barAtMost, columns - text.length - 2));
    const filled = total === 0 ? 0 : Math.round((done / total) * room);
    return `${'█'.repeat(filled)}${'░'.repeat(room - filled)} ${text}`.slice(0, columns - 1);
  };
  const draw = () => {
    const line = figures === undefined ? '' : renderLine(figures, stream.columns ?? 80);
    stream.write(`${toLineStart}${line}${eraseRest}`);
  };
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  return {
    update: (progress) => {
      if (isOver) return;
      figures = progress;
      if (timer !== undefined) return;
      timer = setInterval(draw, redrawnEveryMs).unref();
      draw();
    },
    announce: (line) => {
      stream.write(`${toLineStart}${eraseRest}${line}\n`);
      if (timer !== undefined) draw();
    },
    end: () => {
      isOver = true;
      if (timer === undefined) return;
      clearInterval(timer);
      timer = figures = undefined;
      draw();
    },
  };
}
