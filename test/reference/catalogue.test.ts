import { expect, it } from 'vitest';
import { mutants } from '../../reference/mutants.js';
import { variants } from '../../reference/variants.js';
import { areas, ledger } from '../../spec/ledger.js';

const rows = new Map<string, (typeof ledger)[number]>(ledger.map((row) => [row.id, row]));

it('the catalogue has an everyday part of at least 220 mutants and 50 variants', () => {
  expect(mutants.filter(({ everyday }) => everyday).length).toBeGreaterThanOrEqual(220);
  expect(variants.filter(({ everyday }) => everyday).length).toBeGreaterThanOrEqual(50);
});

// What a mutant fails beside that, a proof that stops at it may not come to see.
it('the catalogue has an everyday mutant that declares each must which a client can see', () => {
  const declared = new Set(mutants.flatMap(({ everyday, violates }) => (everyday ? violates : [])));
  const musts = ledger.filter(({ level, unseen }) => level === 'must' && unseen === undefined);
  expect(musts.filter(({ id }) => !declared.has(id))).toEqual([]);
});

it('the catalogue gives no id twice', () => {
  const ids = [...mutants, ...variants].map(({ id }) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

it('the catalogue has mutants whose ids begin with an area and whose requirements can fail', () => {
  const isSound = ({ id, violates }: (typeof mutants)[number]) =>
    areas.some((area) => id.startsWith(`${area}.`)) &&
    violates.every((requirement) => !['silent', undefined].includes(rows.get(requirement)?.level));
  expect(mutants.filter((mutant) => !isSound(mutant))).toEqual([]);
});
