import fc from 'fast-check';
import { expect, it } from 'vitest';
import { secretName } from '../../generators/secret-name.js';
import { blockSeed } from '../../judge/generated-cases.js';
import type { Behaviour } from '../../reference/behaviour.js';
import { situationProperties } from '../../suites/generated/situations.js';
import { everyName, isCase, judge, named } from './generated-run.js';

const count = 100;

async function listStarts(seed: number, concurrency: number): Promise<readonly string[]> {
  const names: string[] = [];
  const check = everyName({ count, onStart: (name) => names.push(name) });
  await judge({ checks: [check], plan: { seed }, concurrency });
  return names;
}

const seed = 2;
const drawn = fc
  .sample(secretName.valid(), { seed: blockSeed(seed, named, 0), numRuns: count })
  .map(({ text }) => text);

it('cases start in the drawn order without concurrency, and near it with many in flight', async () => {
  expect(await listStarts(seed, 1)).toEqual(drawn);
  const concurrency = 8;
  const names = await listStarts(seed, concurrency);
  expect(names.toSorted()).toEqual(drawn.toSorted());
  // A case that must wait for a fresh world starts after some that were drawn later.
  const furthest = Math.max(...names.map((name, at) => nearest(drawn, name, at)));
  expect(furthest).toBeLessThanOrEqual(8 * concurrency);
});

/** Returns the distance of a name from its place in the drawn order; some short names are drawn more than once. */
function nearest(drawn: readonly string[], name: string, at: number): number {
  return Math.min(...drawn.flatMap((other, place) => (other === name ? [Math.abs(place - at)] : [])));
}

/** What arrives at the server: of each vault delete the name and the query, those of the positive controls aside. */
async function listArrivals(seed: number, concurrency: number): Promise<readonly string[]> {
  const seen: string[] = [];
  const answer: Behaviour['answer'] = (given, call) => {
    const [, name] = /\/secrets\/(.*)$/.exec(call.path) ?? [];
    if (isCase(call)) seen.push(`${name} ${call.headers.host?.replace(/^(localhost):\d+$/i, '$1')}`);
    return given;
  };
  await judge({
    checks: situationProperties.slice(0, 1),
    behaviour: { answer },
    plan: { seed, cases: 40, depth: 'quick' },
    concurrency,
  });
  return seen;
}

// What happens on the wire between lanes is not in anyone's hands: with several, the multiset is compared.
it('one seed sends the same requests at every concurrency, and another seed sends others', async () => {
  const one = await listArrivals(7, 1);
  // A method other than DELETE is no vault delete.
  expect(one.length).toBeGreaterThan(25);
  expect(await listArrivals(7, 1)).toEqual(one);
  const sorted = one.toSorted();
  expect((await listArrivals(7, 16)).toSorted()).toEqual(sorted);
  expect((await listArrivals(8, 16)).toSorted()).not.toEqual(sorted);
});
