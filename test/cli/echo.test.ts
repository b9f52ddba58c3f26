import { afterAll, describe, expect, it } from 'vitest';
import { throughControl, throughProfile } from './echo-cases.js';
import { removeFolders } from './plumbline-process.js';

afterAll(removeFolders);

const flags = ['--depth', 'quick', '--seed', '4711', '--max-requests', '5000'];

describe.each([
  ['the control protocol', throughControl, { code: 0, verdict: 'conformant', failed: [] }],
  ['a profile', throughProfile, { code: 4, verdict: 'incomplete', failed: [] }],
])('a server that repeats secrets in thirteen writings, judged through %s', (_way, judge, plain) => {
  it('is judged as without that, and nothing of them is told', { timeout: 90_000 }, async () => {
    expect(await judge('keys', flags)).toEqual(plain);
  });
});

it('stored values that are repeated are violations of secrecy alone', { timeout: 90_000 }, async () => {
  const only = ['--only', '{vault-delete,secret-name,guardrail-read,secrecy}.*'];
  const { code, failed } = await throughControl('stored values', [...flags, ...only]);
  expect(code).toBe(1);
  expect(failed.filter((id) => !id.startsWith('secrecy.'))).toEqual([]);
  expect(failed).toContain('secrecy.header');
});
