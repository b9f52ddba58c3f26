import { expect, it } from 'vitest';
import type * as workers from '../../../cli/prove/threads.js';

// Threads run the built files.
const built = new URL('../../../dist/cli/prove/threads.js', import.meta.url).href;
const { judgeOnThreads } = (await import(built)) as typeof workers;

it('prove judges the other servers although one cannot be judged', async () => {
  const plan = { seed: 1, depth: 'quick', toTheEnd: false } as const;
  const ids = ['no-such-server', 'vault-delete.missing-key-404', 'nor-this', 'key-info.figures-of-member'];
  const { servers, faults } = await judgeOnThreads(
    ids.map((id) => ({ ids: [id], ...plan })),
    { jobs: 1, signal: new AbortController().signal, onJudged: () => undefined },
  );
  expect(servers.map(({ id }) => id)).toEqual(['vault-delete.missing-key-404', 'key-info.figures-of-member']);
  expect(faults).toEqual([
    expect.stringMatching(/^no-such-server, seed 1: ./),
    expect.stringMatching(/^nor-this, seed 1: ./),
  ]);
});
