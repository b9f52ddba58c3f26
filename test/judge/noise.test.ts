import { expect, it } from 'vitest';
import type { Progress } from '../../judge/run.js';
import type { Behaviour } from '../../reference/behaviour.js';
import { ids, type Judging, judged } from './judged.js';
import { envelope, inPlace, onTheWire, page, times } from './wrong-answers.js';

// A noisy server keeps the suite busy with waiting; what is not settled when this much is has no say in these tests.
const enough = 0.65;

const disturbances = [
  envelope(503),
  envelope(502),
  envelope(429, { 'Retry-After': '0' }),
  page(502),
  envelope(429, { 'Retry-After': '1' }),
];

function noisy(every: number): Partial<Behaviour> {
  return inPlace(
    (_answer, call) => times(call) % every === 0,
    (call) => disturbances[times(call, 'disturbances') % disturbances.length] ?? page(502),
  );
}

function resetting(every: number): Partial<Behaviour> {
  return onTheWire(
    (_answer, call) => times(call) % every === 0,
    (response) => response.socket?.destroy(),
  );
}

async function threeRuns(judging: () => Judging) {
  const runs = Array.from({ length: 3 }, () => {
    const over = new AbortController();
    const onProgress = ({ done, total }: Progress): void => {
      if (done > total * enough) over.abort();
    };
    return judged({ ...judging(), concurrency: 5, signal: over.signal, onProgress });
  });
  return await Promise.all(runs);
}

it.concurrent.each([
  ['answers one of sixty requests with 502, 503 or 429', () => ({ behaviour: noisy(60) })],
  ['resets one of eighty connections', () => ({ behaviour: resetting(80) })],
])('a server that %s is accused of nothing', async (_name, judging) => {
  for (const { report, worldsLeft } of await threeRuns(judging)) {
    expect(ids(report, 'fail')).toEqual([]);
    expect(report.totals.pass).toBeGreaterThan(100);
    expect(report.run.notes).toEqual([]);
    expect(worldsLeft).toBe(0);
  }
});
