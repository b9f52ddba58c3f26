import { afterAll, describe, expect, it } from 'vitest';
import { throughControl, throughProfile } from './echo-cases.js';
import { removeFolders } from './plumbline-process.js';

afterAll(removeFolders);

const flags = ['--depth', 'standard', '--seed', '4711'];

describe.each([
  ['the control protocol', throughControl],
  ['a profile', throughProfile],
])('a server that repeats secrets, judged at depth standard through %s', (_way, judge) => {
  it('is judged as without that, and nothing of them is told', { timeout: 420_000 }, async () => {
    expect(await judge('keys', flags)).toEqual(await judge('nothing', flags));
  });

  it('fails secrecy alone where it repeats stored values too', { timeout: 420_000 }, async () => {
    const { code, failed } = await judge('stored values', flags);
    expect([code, failed.filter((id) => !id.startsWith('secrecy.'))]).toEqual([1, []]);
  });
});
