import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mutants } from '../../reference/mutants.js';
import { variants } from '../../reference/variants.js';

const page = existsSync('docs/proof.md') ? readFileSync('docs/proof.md', 'utf8') : '';

/** The ids in the first column of the table under a heading. */
function listed(heading: string): readonly string[] {
  const section = page.split(`\n### ${heading}\n`)[1]?.split('\n### ')[0] ?? '';
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, id = '']) => id).sort();
}

function figure(name: string): string | undefined {
  return new RegExp(`^\\| ${name} \\| ([^|]+) \\|$`, 'm').exec(page)?.[1]?.trim();
}

/** A stale page is renewed by `npm run proof`. */
describe('docs/proof.md', () => {
  it('lists the servers of the everyday proof as they are now', () => {
    const ids = (rows: readonly { readonly id: string; readonly everyday: boolean }[]) =>
      rows
        .filter(({ everyday }) => everyday)
        .map(({ id }) => id)
        .sort();
    expect(listed('Mutants')).toEqual(ids(mutants));
    expect(listed('Variants')).toEqual(ids(variants));
  });

  it('shows every mutant caught and no variant failed', () => {
    const count = mutants.filter(({ everyday }) => everyday).length;
    expect(figure('mutants')).toBe(String(count));
    expect(figure('caught')).toBe(String(count));
    expect([figure('survived'), figure('caught under another name')]).toEqual(['0', '0']);
    expect([figure('wrongly failed'), figure('left inconclusive')]).toEqual(['0', '0']);
    expect(Number(figure('failed requirements of a mutant, median'))).toBeLessThanOrEqual(2);
  });
});
