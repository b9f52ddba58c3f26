import { describe, expect, it } from 'vitest';
import { type CatalogueRow, catalogue, catalogued, drawFifth, named } from '../../../cli/prove/catalogue.js';
import { judgedServer } from '../../../cli/prove/judged-server.js';

const plan = { seed: 7, depth: 'quick' } as const;
const mutant = 'vault-delete.missing-key-404';

describe('a mutant that is not judged to the end', () => {
  it('is stopped once every row that it declares is confirmed', async () => {
    const stopped = await judgedServer(catalogued(mutant), { ...plan, toTheEnd: false });
    expect(stopped).toMatchObject({ outcome: 'caught', exit_code: 1, to_the_end: false, inconclusive: [] });
    expect(stopped.red.map(({ id }) => id)).toEqual(stopped.turns_red);
    const whole = await judgedServer(catalogued(mutant), { ...plan, toTheEnd: true });
    expect(whole).toMatchObject({ outcome: 'caught', to_the_end: true });
    expect(stopped.requests).toBeLessThan(whole.requests / 2);
  });

  it('is judged to the end where a row fails that it does not declare', async () => {
    const row = { ...catalogued(mutant), turnsRed: ['vault-delete.204.deleted'] } as CatalogueRow;
    const judged = await judgedServer(row, { ...plan, toTheEnd: false });
    expect(judged).toMatchObject({ outcome: 'misnamed', to_the_end: true });
  });

  // It tells of another world, and the checks that it declares have none beside them.
});

describe('the fifth that is judged to the end', () => {
  const everyday = named([], false);
  const areaOf = (id: string) => id.split('.')[0];

  it('holds a fifth of the mutants of each area, rounded up, and no variant', () => {
    const drawn = drawFifth(everyday, 7);
    const mutants = everyday.filter(({ kind }) => kind === 'mutant');
    for (const area of new Set(mutants.map(({ id }) => areaOf(id)))) {
      const own = mutants.filter(({ id }) => areaOf(id) === area);
      expect(own.filter(({ id }) => drawn.has(id))).toHaveLength(Math.ceil(own.length / 5));
    }
    expect([...drawn].filter((id) => !mutants.some((row) => row.id === id))).toEqual([]);
  });

  it('is the same for one seed, and comes to every mutant over many seeds', () => {
    expect(drawFifth(everyday, 7)).toEqual(drawFifth(everyday, 7));
    const seeds = Array.from({ length: 60 }, (_, seed) => drawFifth(everyday, seed));
    const ever = new Set(seeds.flatMap((drawn) => [...drawn]));
    expect(ever.size).toBe(everyday.filter(({ kind }) => kind === 'mutant').length);
  });

  it('is drawn from whatever is asked for', () => {
    expect(drawFifth(catalogue, 7).size).toBeGreaterThan(drawFifth(everyday, 7).size);
  });
});
