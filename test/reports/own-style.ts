import { createHash } from 'node:crypto';
import { expect } from 'vitest';

/** Expects that a page may load what stands in these elements of its own, by their hashes, and nothing else. */
export function expectOwnOnly(page: string, elements: readonly ('style' | 'script')[]): void {
  const sources = elements.map((element) => {
    const [text = '', ...others] =
      page.match(new RegExp(`(?<=<${element}>).*?(?=</${element}>)`, 'gs')) ?? [];
    expect(others).toEqual([]);
    return `${element}-src 'sha256-${createHash('sha256').update(text).digest('base64')}'; `;
  });
  expect(page).toContain(
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; ${sources.join('')}base-uri 'none'; form-action 'none'"/>`,
  );
  expect(page).not.toMatch(/<[^>]* (?:style|on[a-z]+)=/);
}
