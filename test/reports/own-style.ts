import { createHash } from 'node:crypto';
import { expect } from 'vitest';

/** Expects that a page may load its own stylesheet, by its hash, and nothing else. */
export function expectOwnStyleOnly(page: string): void {
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(page).toContain(
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"/>`,
  );
  expect(page).not.toMatch(/<[^>]* (?:style|on[a-z]+)=/);
}
