import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openCredentials, otherSchemes, spoiltCredentials } from '../../generators/credential.js';
import {
  hosts,
  namedInterns,
  type Situation,
  situations,
  storedPlaces,
  type Vocabulary,
} from '../../generators/situation.js';
import type { Need } from '../../spec/need.js';
import { offeredWords } from '../../suites/generated/words.js';
import { type Trouble, troublesOf } from './kinds-of-trouble.js';
import { isLegal } from './name-rules.js';

const seeds = [1, 2, 3, 4, 5];
const everything = offeredWords(() => true);

function drawn<S extends Situation>(arbitrary: fc.Arbitrary<S>, numRuns = 400): readonly S[] {
  return seeds.flatMap((seed) => fc.sample(arbitrary, { seed, numRuns }));
}

/** How many drawn situations have so many things wrong. */
function countsOf(many: readonly Situation[]): readonly number[] {
  return [...new Set(many.map((situation) => troublesOf(situation).length))].sort();
}

describe('a vault delete with one thing wrong', () => {
  const many = drawn(situations(everything).vaultOneWrong(), 1_000);

  it('has exactly one kind of trouble, and each kind is met', () => {
    expect(countsOf(many)).toEqual([1]);
    const kinds: readonly Trouble[] = [
      'credential',
      'extras',
      'fault',
      'host',
      'intern',
      'method',
      'name',
      'stored',
    ];
    expect([...new Set(many.flatMap(troublesOf))].sort()).toEqual(kinds);
  });

  it('meets every word', () => {
    const met = new Set<string>(
      many.flatMap(({ as, host, intern, stored, fault = '', method = '' }) => [
        as,
        host,
        intern,
        stored,
        fault,
        method,
      ]),
    );
    const words = [
      ...[...everything.credentials, ...everything.interns, ...everything.stored],
      ...everything.hosts.filter((host) => host !== 'global-spelled'),
      ...everything.methods,
      ...everything.faults.filter((fault) => fault !== 'guardrail_internal_error'),
    ];
    expect(words.filter((word) => !met.has(word))).toEqual([]);
    expect(met.has('guardrail_internal_error')).toBe(false);
    expect(met.has('global-spelled')).toBe(false);
  });

  it('is made of a legal name where the name is not what is wrong', () => {
    for (const situation of many) {
      const { name } = situation;
      expect('text' in name ? isLegal(name.text) : troublesOf(situation)).toEqual(
        'text' in name ? true : ['name'],
      );
    }
  });
});

describe('a vault delete with several things wrong', () => {
  const many = drawn(situations(everything).vaultManyWrong());

  // One is what it can shrink to: the rule that is broken then stands alone.
  it('has at most four kinds of trouble, and one, two, three and four are met', () => {
    expect(countsOf(many)).toEqual([1, 2, 3, 4]);
  });

  it('mostly has at least two', () => {
    const several = many.filter((situation) => troublesOf(situation).length >= 2);
    expect(several.length).toBeGreaterThan(many.length * 0.6);
  });
});

describe('reads', () => {
  const { guardrail, key } = situations(everything);

  it('have up to three, and up to two, things wrong', () => {
    expect(countsOf(drawn(guardrail()))).toEqual([0, 1, 2, 3]);
    expect(countsOf(drawn(key()))).toEqual([0, 1, 2]);
  });

  it('of the guardrail meet every id, and its own fault only', () => {
    const many = drawn(guardrail());
    expect(new Set(many.map(({ id }) => id))).toEqual(new Set(['own', 'unknown', 'malformed']));
    expect(new Set(many.map(({ fault }) => fault))).toEqual(new Set([undefined, 'guardrail_internal_error']));
  });

  it('meet every spoilt header and every role but the member, on the global hostname', () => {
    for (const many of [drawn(guardrail(), 1_000), drawn(key(), 1_000)]) {
      const met = new Set<string>(many.map(({ as }) => as));
      expect(new Set(many.map(({ host }) => host))).toEqual(new Set(['global']));
      const words = everything.credentials.filter((word) => word !== 'member');
      expect(words.filter((word) => !met.has(word))).toEqual([]);
    }
  });

  // The member is the good key of the other operations, and so left out of the changes of this one too.
  it('of the guardrail meet the plain API key, the first that must be refused', () => {
    expect(drawn(guardrail(), 1_000).some(({ as }) => as === 'member')).toBe(true);
  });
});

const without = (...lacking: readonly (Need | 'role:' | 'fault:')[]) =>
  offeredWords(
    (need) =>
      need === 'role:member' || need === 'role:management' || !lacking.some((word) => need.startsWith(word)),
  );

const smallVocabularies: readonly (readonly [string, Vocabulary])[] = [
  ['no regional host', without('regional')],
  ['no faults', without('fault:')],
  ['few roles', without('role:')],
  ['no disposable worlds', without('worlds')],
  ['nothing but two keys', without('role:', 'fault:', 'regional')],
  ['one intern, and the plain hostname', { ...everything, hosts: ['global'], interns: ['own', 'unknown'] }],
  ['one fault', { ...everything, faults: ['route_deadline'] }],
];

describe.each(smallVocabularies)('a vocabulary with %s', (_what, words) => {
  const made = situations(words);
  const all = [
    ...drawn<Situation>(made.vaultOneWrong(), 100),
    ...drawn<Situation>(made.vaultManyWrong(), 100),
    ...drawn<Situation>(made.guardrail(), 100),
    ...drawn<Situation>(made.key(), 100),
  ];

  it('gives situations of its own words only', () => {
    for (const situation of all) {
      expect([...words.credentials, 'member', 'management']).toContain(situation.as);
      expect(words.hosts).toContain(situation.host);
      if (situation.operation === 'vault-delete') {
        expect(words.interns).toContain(situation.intern);
        expect(words.stored).toContain(situation.stored);
        expect([undefined, ...words.methods]).toContain(situation.method);
        expect(words.methods.length === 0 && situation.name.class === 'routing-ambiguous').toBe(false);
      }
      if (situation.operation !== 'key-info' && situation.fault !== undefined)
        expect(words.faults).toContain(situation.fault);
    }
  });

  it('still gives one thing wrong in each of the first', () => {
    expect(countsOf(drawn(made.vaultOneWrong(), 100))).toEqual([1]);
  });
});

const bare: Vocabulary = {
  credentials: ['member', 'management'],
  hosts: ['global'],
  interns: namedInterns,
  stored: storedPlaces,
  faults: [],
  methods: [],
  withoutNames: ['routing-ambiguous'],
};

it('a vocabulary of two keys and one hostname gives vault and guardrail situations', () => {
  const made = situations(bare);
  for (const arbitrary of [made.vaultOneWrong(), made.vaultManyWrong(), made.guardrail()])
    expect(fc.sample<Situation>(arbitrary, 20)).toHaveLength(20);
});

// An empty list of words is drawn from, or more kinds of trouble are asked for than there are.
it.each<readonly [string, Vocabulary]>([
  ['only the interns of the workspace', { ...everything, interns: ['own', 'sibling'] }],
  ['only the right place of the secret', { ...everything, stored: ['there'] }],
  ['one key', { ...bare, credentials: ['member'] }],
])('a vocabulary with %s throws nowhere', (_what, words) => {
  const made = situations(words);
  for (const arbitrary of [made.vaultOneWrong(), made.vaultManyWrong(), made.guardrail(), made.key()])
    fc.sample<Situation>(arbitrary, 20);
});

it('the vocabulary of a whole target is everything that there is', () => {
  expect(everything.hosts).toEqual(hosts);
  expect(everything.credentials).toHaveLength(
    11 + spoiltCredentials.length + otherSchemes.length + openCredentials.length,
  );
});

it('a situation shrinks to one plain trouble with the plainest name', () => {
  const failsOnProvisioning = fc.property(
    situations(everything).vaultManyWrong(),
    ({ as }) => as !== 'provisioning',
  );
  const { counterexample } = fc.check(failsOnProvisioning, { seed: 3, numRuns: 2_000 });
  const [situation] = counterexample ?? [];
  expect(situation).toMatchObject({ as: 'provisioning', intern: 'own' });
  expect(situation === undefined ? [] : troublesOf(situation).length).toBeLessThanOrEqual(2);
});
