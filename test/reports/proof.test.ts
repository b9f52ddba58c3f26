import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mutants } from '../../reference/mutants.js';
import { variants } from '../../reference/variants.js';

const page = existsSync('docs/proof.md') ? readFileSync('docs/proof.md', 'utf8') : '';

function listed(heading: string): readonly string[] {
  const section = page.split(`\n### ${heading}\n`)[1]?.split('\n### ')[0] ?? '';
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, id = '']) => id).sort();
}

/** A stale page is renewed by `npm run proof`. */
it('docs/proof.md lists the servers of the everyday proof as they are now', () => {
  const ids = (rows: readonly { readonly id: string; readonly everyday: boolean }[]) =>
    rows
      .filter(({ everyday }) => everyday)
      .map(({ id }) => id)
      .sort();
  expect(listed('Mutants')).toEqual(ids(mutants));
  expect(listed('Variants')).toEqual(ids(variants));
});

it('docs/proof.md shows every mutant caught and no variant failed', () => {
  const [caught, judged] = [mutants, variants].map((rows) => rows.filter(({ everyday }) => everyday).length);
  expect(page.replaceAll('\n', ' ')).toContain(
    `**${caught} of ${caught} mutants caught, 0 of ${judged} variants wrongly failed or left inconclusive**`,
  );
  expect(page).not.toMatch(/^## (?!Appendix)/m);
  expect(Number(/the median of the requirements that fail is (\d+)/.exec(page)?.[1])).toBeLessThanOrEqual(2);
  expect(page).toMatch(/^- \d+ were caught within the first 500 requests/m);
  const [, possible, judgedPairs] = /^Of ([\d,]+) pairs of inputs ([\d,]+) were judged\.$/m.exec(page) ?? [];
  expect(judgedPairs).toBe(possible ?? 'a number of pairs');
});
