import { describe, expect, it } from 'vitest';
import {
  combine,
  listDeviations,
  makeGuardrailSpace,
  makeInferenceSpace,
  makeKeySpace,
  makeVaultSpace,
  simplify,
} from '../../generators/combinations.js';
import { listOfferedWords } from '../../generators/inputs.js';
import { consultOracle } from '../../generators/oracle.js';
import type { Situation, VaultSituation, Vocabulary } from '../../generators/situation.js';
import type { Need } from '../../spec/need.js';
import { isLegal } from './name-rules.js';

const everything = listOfferedWords(() => true);

/** What deviates and may be refused for itself. */
function reasonsIn(situation: VaultSituation, space: ReturnType<typeof makeVaultSpace>): number {
  return listDeviations(space, situation).filter((field) => {
    const fields = field === 'query' ? [field, 'body', 'bodyType', 'headers'] : [field];
    const alone = Object.fromEntries(Object.entries(situation).filter(([known]) => fields.includes(known)));
    const { allowed, isAnyAllowed } = consultOracle({ ...space.plain, ...alone } as VaultSituation);
    return isAnyAllowed || [...allowed.keys()].some((status) => status >= 300);
  }).length;
}

describe.each([1, 2])('vault deletes of seed %i', (seed) => {
  const space = makeVaultSpace(everything, seed);
  const many = combine(space, 2, seed).map(({ value }) => value);

  it('the vault deletes contain every word', () => {
    const met = new Set<string | undefined>(
      many.flatMap(({ as, host, intern, stored, fault, method }) => [
        as,
        host,
        intern,
        stored,
        fault,
        method,
      ]),
    );
    const { credentials, hosts, interns, stored, methods, faults } = everything;
    const words = [...credentials, ...hosts, ...interns, ...stored, ...methods];
    expect(words.filter((word) => !met.has(word))).toEqual([]);
    expect(faults.filter((fault) => fault.startsWith('vault_') && !met.has(fault))).toEqual([]);
    expect(met.has('guardrail_internal_error') || met.has('model_down')).toBe(false);
  });

  it('the vault deletes have at most two reasons to be refused, those with two first', () => {
    const counts = many.map((situation) => reasonsIn(situation, space));
    expect(Math.max(...counts)).toBe(2);
    expect(counts.slice(0, 500).every((count) => count === 2)).toBe(true);
  });

  it('the vault deletes store only legal names, none twice', () => {
    const names = many.flatMap(({ name }) => ('text' in name ? [name.text] : []));
    expect(names.filter((name) => !isLegal(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });
});

it('combinations of three contain three reasons to be refused together', () => {
  const rows = combine(makeVaultSpace(everything, 1), 3, 1);
  const three = { as: 'outsider', host: 'regional', fault: 'vault_not_configured' };
  expect(rows.map(({ value }) => value)).toContainEqual(expect.objectContaining(three));
});

it('simplifying a situation removes one deviation at a time, and never leaves a plain answer that breaks off', () => {
  const space = makeVaultSpace(everything, 1);
  const { plain } = space;
  expect(simplify(space, { ...plain, as: 'provisioning', host: 'regional' })).toEqual([
    { ...plain, host: 'regional' },
    { ...plain, as: 'provisioning' },
  ]);
  expect(simplify(space, plain)).toEqual([]);
  const streams = makeInferenceSpace(everything, 'free');
  const broken = { ...streams.plain, stream: true, fault: 'mid_stream_error' } as const;
  expect(simplify(streams, broken)).toEqual([{ ...streams.plain, stream: true }]);
});

const without = (...lacking: readonly (Need | 'role:' | 'fault:' | 'inference')[]) =>
  listOfferedWords(
    (need) =>
      need === 'role:member' || need === 'role:management' || !lacking.some((word) => need.startsWith(word)),
  );

it('the same offers give equal vocabularies, so that results can be cached', () => {
  const ofOthers = JSON.stringify(listOfferedWords((need) => need !== 'role:outsider'));
  expect(ofOthers).toBe(JSON.stringify(without('role:outsider')));
  expect(ofOthers).not.toBe(JSON.stringify(everything));
});

it.each<readonly [string, Vocabulary]>([
  ['no disposable worlds', without('worlds')],
  ['nothing but two keys', without('role:', 'fault:', 'regional', 'inference')],
  ['one intern, and the plain hostname', { ...everything, hosts: ['global'], interns: ['own', 'unknown'] }],
  ['only the right place of the secret', { ...everything, stored: ['there'] }],
])('a vocabulary with %s gives only situations of its own words', (_what, words) => {
  const spaces = [
    makeVaultSpace(words, 4),
    makeGuardrailSpace(words),
    makeKeySpace(words),
    ...(['free', 'paid'] as const).map((model) => makeInferenceSpace(words, model)),
  ];
  type Space = Parameters<typeof combine<Situation>>[0];
  const rows = spaces.flatMap((space) => combine<Situation>(space as Space, 2, 4));
  for (const { value: situation } of rows) {
    expect([...words.credentials, 'member', 'management']).toContain(situation.as);
    expect(words.hosts).toContain(situation.host);
    if ('fault' in situation) expect(words.faults).toContain(situation.fault);
    if (situation.operation !== 'vault-delete') continue;
    expect(words.interns).toContain(situation.intern);
    expect(words.stored).toContain(situation.stored);
    expect([undefined, ...words.methods]).toContain(situation.method);
    expect(words.withoutNames).not.toContain(situation.name.class);
  }
});
