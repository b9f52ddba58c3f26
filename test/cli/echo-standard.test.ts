import { afterAll, describe, expect, it } from 'vitest';
import { throughControl, throughProfile } from './echo-cases.js';
import { removeFolders } from './plumbline-process.js';

afterAll(removeFolders);

const flags = ['--depth', 'standard', '--seed', '4711'];

// The test at depth quick has both through both ways.
describe('a server that repeats secrets, judged at depth standard', () => {
  it('through the control protocol is judged as without that', { timeout: 420_000 }, async () => {
    const came = await throughControl('keys', flags);
    expect(came).toEqual({ code: 0, verdict: 'conformant', failed: [] });
  });

  it('through a profile fails secrecy alone where it repeats stored values too', {
    timeout: 420_000,
  }, async () => {
    const { code, failed } = await throughProfile('stored values', flags);
    expect([code, failed.filter((id) => !id.startsWith('secrecy.'))]).toEqual([1, []]);
  });
});
