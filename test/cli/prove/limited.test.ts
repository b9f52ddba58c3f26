import { afterAll, it } from 'vitest';
import { folder, removeFolders, start } from '../plumbline-process.js';

afterAll(removeFolders);

const atMostMs = 240_000;
const prove = (...flags: readonly string[]) =>
  start(['prove', ...flags, '--report', folder()], { atMostMs }).ended;

it(
  'variants behind a rate limit fail no requirement',
  async ({ expect }) => {
    // On a busy machine depth quick may have no request left to repeat what the limit refused.
    const { stdout } = await prove('--only', 'limited-*', '--depth', 'quick');
    expect(stdout).toContain('0 of 3 variants wrongly failed');
  },
  atMostMs,
);
