import { afterAll, it } from 'vitest';
import { folder, removeFolders, start } from '../plumbline-process.js';

afterAll(removeFolders);

// A run may wait for as long as it may take at most, and cleans up after that.
const atMostMs = 280_000;
const prove = (...flags: readonly string[]) =>
  start(['prove', ...flags, '--report', folder()], { atMostMs }).ended;

it.concurrent(
  'variants behind a rate limit fail no requirement',
  async ({ expect }) => {
    // On a busy machine depth quick may have no request left to repeat what the limit refused.
    const { stdout } = await prove('--only', 'limited-*', '--depth', 'quick');
    expect(stdout).toContain('0 of 3 variants wrongly failed');
  },
  atMostMs,
);

it.concurrent(
  'a vault with a rate limit for each workspace is judged to the end',
  async ({ expect }) => {
    const { code, stdout } = await prove('--only', 'limited-vault-*');
    expect(code, stdout).toBe(0);
  },
  atMostMs,
);
