import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createProgress } from '../../reports/progress.js';

const esc = String.fromCharCode(27);

/** A progress display on a stream that keeps what is written to it: a terminal, where it has columns. */
function startProgress(
  columns: number | undefined,
  options: Partial<Parameters<typeof createProgress>[1]> = {},
) {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  const stream = { isTTY: columns !== undefined, columns, write } as unknown as NodeJS.WriteStream;
  const progress = createProgress(stream, { quiet: false, ...options });
  /** What a terminal shows after a line was drawn, which begins at its first column and erases the rest. */
  const show = () => {
    const drawn = written.at(-1) ?? '';
    const [, shown] = new RegExp(`^${esc}\\[1G([^${esc}\\n]*)${esc}\\[0K$`).exec(drawn) ?? [];
    expect(shown, JSON.stringify(drawn)).toBeDefined();
    return shown ?? '';
  };
  return { progress, written, show };
}

const quarter = { done: 1, total: 4, requests: 1234, violations: 0 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('one bar shows the count, the requests, their rate, the violations, the time and what is left', () => {
  const { progress, show } = startProgress(120);
  progress.update(quarter);
  vi.advanceTimersByTime(2_000);
  progress.update({ done: 2, total: 4, requests: 2345, violations: 3 });
  vi.advanceTimersByTime(500);
  const text = '2 of 4 checks, 3 failed, 2.5 s left, 2,345 requests, 938/s, 2.5 s';
  expect(show()).toBe(`${'█'.repeat(15)}${'░'.repeat(15)} ${text}`);
  progress.end();
});

test('news stays above the bar, and stands on a line of its own in a log', () => {
  const bar = startProgress(120);
  bar.progress.update(quarter);
  bar.progress.announce('auth.bearer failed');
  expect(bar.written.at(-2)).toBe(`${esc}[1G${esc}[0Kauth.bearer failed\n`);
  expect(bar.show()).toContain('1 of 4 checks');
  bar.progress.end();
  const log = startProgress(undefined);
  log.progress.announce('auth.bearer failed');
  expect(log.written).toEqual(['auth.bearer failed\n']);
});

test('the requests move on between updates where somebody can be asked', () => {
  let requests = 1_000;
  const { progress, show } = startProgress(120, { sent: () => requests });
  progress.update({ ...quarter, requests: 1_000 });
  requests = 4_000;
  vi.advanceTimersByTime(2_000);
  expect(show()).toContain('4,000 requests, 2,000/s');
  progress.end();
});

test('the remaining time is not shown before it can be estimated, nor at the end', () => {
  const { progress, show } = startProgress(120);
  progress.update(quarter);
  vi.advanceTimersByTime(900);
  expect(show()).not.toContain('left');
  vi.advanceTimersByTime(600);
  expect(show()).toContain('left');
  progress.update({ ...quarter, done: 4 });
  vi.advanceTimersByTime(1_000);
  expect(show()).not.toContain('left');
  progress.end();
});

test('the remaining time of a run follows from its requests, and is not shown where it sends more than expected', () => {
  const { progress, show } = startProgress(120);
  const figures = { done: 3, total: 4, requests: 100, expectedRequests: () => 1_000, violations: 0 };
  progress.update(figures);
  vi.advanceTimersByTime(2_000);
  expect(show()).toContain('18 s left');
  progress.update({ ...figures, requests: 1_000 });
  vi.advanceTimersByTime(100);
  expect(show()).not.toContain('left');
  progress.end();
});

test.each([
  [15, ' 123 of 212 ch'],
  [20, '123 of 212 checks'],
  [60, '123 of 212 checks, 17 failed, 3 min 37 s left'],
  [80, '123 of 212 checks, 17 failed, 3 min 37 s left, 123,456 requests, 412/s'],
  [100, '123 of 212 checks, 17 failed, 3 min 37 s left, 123,456 requests, 412/s, 5 min'],
])('at %d columns the bar stays on its line, and what matters least is left out', (columns, text) => {
  const { progress, show } = startProgress(columns);
  progress.update({ done: 123, total: 212, requests: 123_456, violations: 17 });
  vi.advanceTimersByTime(300_000);
  const shown = show();
  progress.end();
  expect(shown.replace(/^[█░]+ /, '')).toBe(text);
  expect(shown.length).toBeLessThan(columns);
  if (columns >= 60) expect(shown).toMatch(/^█+░+ /);
});

test('the bar is gone at the end, nothing comes after it, and the cursor and wrapping are left alone', () => {
  const idle = startProgress(120);
  idle.progress.end();
  expect(idle.written).toEqual([]);
  const { progress, written, show } = startProgress(120);
  progress.update(quarter);
  vi.advanceTimersByTime(1_000);
  expect(show()).not.toBe('');
  progress.end();
  expect(show()).toBe('');
  expect(written.join('')).not.toContain('\n');
  // In case the process dies.
  expect(written.join('')).not.toContain(`${esc}[?`);
  const { length } = written;
  progress.update({ ...quarter, done: 3 });
  progress.end();
  vi.advanceTimersByTime(5_000);
  expect(written).toHaveLength(length);
});

test('the bar keeps no process alive', () => {
  vi.useRealTimers();
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const { progress } = startProgress(120);
  progress.update(quarter);
  progress.update({ ...quarter, done: 2 });
  expect(timers()).toBe(before);
  progress.end();
});

describe('elsewhere', () => {
  /** A run of so many seconds with one update each second. */
  function linesOf(seconds: number): readonly string[] {
    const { progress, written } = startProgress(undefined);
    for (let done = 1; done <= seconds; done++) {
      vi.advanceTimersByTime(1_000);
      progress.update({ done, total: seconds, requests: done * 10, violations: 0 });
    }
    progress.end();
    return written;
  }

  test('a long run writes a line each quarter', () => {
    expect(linesOf(200)).toEqual([
      'plumbline: 50 of 200 checks, 0 failed, 2 min 30 s left, 500 requests, 10/s, 50 s\n',
      'plumbline: 100 of 200 checks, 0 failed, 1 min 40 s left, 1,000 requests, 10/s, 1 min 40 s\n',
      'plumbline: 150 of 200 checks, 0 failed, 50 s left, 1,500 requests, 10/s, 2 min 30 s\n',
      'plumbline: 200 of 200 checks, 0 failed, 2,000 requests, 10/s, 3 min 20 s\n',
    ]);
  });

  test('lines are at least 10 s apart, so that a short run writes nothing', () => {
    expect([linesOf(9).length, linesOf(20).length]).toEqual([0, 2]);
  });
});

test.each([undefined, 80])('quiet writes nothing, on %s columns', (columns) => {
  const { progress, written } = startProgress(columns, { quiet: true });
  progress.update(quarter);
  vi.advanceTimersByTime(60_000);
  progress.update({ ...quarter, done: 4 });
  progress.end();
  expect(written).toEqual([]);
});
