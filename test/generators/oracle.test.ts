import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  combine,
  makeGuardrailSpace,
  makeInferenceSpace,
  makeKeySpace,
  makeVaultSpace,
} from '../../generators/combinations.js';
import { invalidCredentials } from '../../generators/credential.js';
import { listOfferedWords } from '../../generators/inputs.js';
import {
  consultOracle,
  freedoms,
  listRequirements,
  predictFate,
  refusals,
  type SecretFate,
  successes,
} from '../../generators/oracle.js';
import { makeValidName, secretName } from '../../generators/secret-name.js';
import {
  type Extras,
  type InferenceSituation,
  makePlainVault,
  plainGuardrail,
  plainKey,
  type Situation,
  type VaultSituation,
} from '../../generators/situation.js';
import { isPermittedStatus } from '../../judge/passive-rules.js';
import { ledger, type RequirementId, requirement } from '../../spec/ledger.js';
import { inferenceFaults } from '../../spec/vocabulary.js';
import { allowedStatuses, mayReachAnything } from './decision-table.js';

const words = listOfferedWords(() => true);
const everyRow = [...refusals, ...freedoms, ...successes];

const situations: readonly Situation[] = [
  ...combine(makeVaultSpace(words, 1), 2, 1),
  ...combine(makeVaultSpace(words, 20), 3, 20).slice(0, 1_000),
  ...combine(makeGuardrailSpace(words), 2, 1),
  ...combine(makeKeySpace(words), 2, 1),
  ...combine(makeInferenceSpace(words, 'free'), 2, 1),
  ...combine(makeInferenceSpace(words, 'paid'), 2, 1),
].map(({ value }) => value);
const withInvalidKey: readonly Situation[] = invalidCredentials.flatMap((as) => [
  { ...plainGuardrail, as },
  { ...plainKey, as },
  { operation: 'inference', host: 'global', model: 'free', stream: false, as },
]);

/** A rule of the table, as one text for each operation. */
const ruleKey = (
  operation: string,
  { requirement: id, statuses }: Pick<(typeof everyRow)[number], 'requirement' | 'statuses'>,
) => `${operation} ${id} ${statuses}`;
const met = new Set(
  [...situations, ...withInvalidKey].flatMap((situation) => {
    const { allowed, due } = consultOracle(situation);
    return [due, ...allowed.values()].map((rule) => ruleKey(situation.operation, rule));
  }),
);

it('every row names an observable requirement and a section of the document', () => {
  const wrong = everyRow.filter(({ requirement: id }) => {
    const row = ledger.find((known) => known.id === id);
    return row === undefined || row.unseen !== undefined || !/^\d/.test(row.section);
  });
  expect(wrong).toEqual([]);
});

it('every row allows the status in the id of its requirement', () => {
  const wrong = refusals.filter(({ requirement: id, statuses }) => {
    const inId = /\.(\d{3})\./.exec(id)?.[1];
    return inId !== undefined && !statuses.includes(Number(inId));
  });
  expect(wrong).toEqual([]);
});

it('every row has a condition that some pair meets', () => {
  // Extras are not varied with inference, whose query and body the document does not define.
  const extras = ['query', 'body', 'origin', 'announced', 'proxyHeaders'];
  const isNeverVaried = ({ on, conditions }: (typeof everyRow)[number]) =>
    on.includes('inference') && conditions.some(([fact]) => extras.includes(fact));
  const unmet = everyRow
    .filter((row) => !isNeverVaried(row))
    .flatMap((row) => row.on.map((operation) => ruleKey(operation, row)))
    .filter((key) => !met.has(key));
  expect(unmet).toEqual([]);
});

const operations = ['vault-delete', 'guardrail-read', 'key-info', 'inference'] as const;

it.each(operations)('the requirements of %s are unique and begin with the plain success', (operation) => {
  const [first, ...others] = listRequirements(operation);
  const ofFirst = successes.filter(({ requirement: id }) => id === first);
  expect(ofFirst.map(({ conditions }) => conditions)).toContainEqual([]);
  expect(new Set([first, ...others]).size).toBe(others.length + 1);
});

it('where some facts cannot vary, exactly the requirements of the remaining situations are listed', () => {
  const without = { query: false, origin: false, proxyHeaders: false } as const;
  const listed = listRequirements('vault-delete', { breaks: 'nothing', ...without });
  expect(listed.filter((id) => /refuses|query$/.test(id))).toEqual([]);
  const remaining = situations.filter(
    (situation) =>
      situation.operation === 'vault-delete' &&
      'text' in situation.name &&
      situation.query === undefined &&
      situation.headers === undefined,
  );
  const named = remaining.flatMap((situation) => {
    const { due, allowed } = consultOracle(situation);
    return [due, ...allowed.values()].map(({ requirement: id }) => id);
  });
  expect(new Set(named)).toEqual(new Set(listed));
});

const successOf = ({ operation }: Situation) => (operation === 'vault-delete' ? 204 : 200);

const alsoMeant: Partial<Record<RequirementId, number>> = {
  'guardrail-read.404.malformed-id': 400,
  'guardrail-read.404.other-workspace': 403,
};

/** Lists requirements that would pass with a status that neither their id nor their statement names. */
function listMisnamed(situation: Situation): readonly RequirementId[] {
  return [...consultOracle(situation).allowed].flatMap(([status, { requirement: id }]) => {
    const inId = /\.(\d{3})\./.exec(id)?.[1];
    const meant = /ignored or refused with 400/.test(requirement(id).statement)
      ? [400, successOf(situation)]
      : [inId === undefined ? status : Number(inId), alsoMeant[id]];
    return meant.includes(status) ? [] : [id];
  });
}

it('a situation allows the statuses of its own rules, which are listed', () => {
  expect(situations.length).toBeGreaterThan(1_500);
  for (const situation of situations) {
    const { allowed, due, maySucceed } = consultOracle(situation);
    for (const [status, rule] of allowed) expect(rule.statuses).toContain(status);
    for (const status of due.statuses) expect(allowed.has(status)).toBe(true);
    expect(maySucceed).toBe(allowed.has(successOf(situation)));
    const listed = listRequirements(situation.operation);
    for (const { requirement: id } of [due, ...allowed.values()]) expect(listed).toContain(id);
    const open = [...allowed.values()].flatMap(({ decidesNothing, requirement: id }) =>
      decidesNothing ? [id] : [],
    );
    // A rule is marked as open if it allows a status that decides nothing.
    expect(open).toEqual(expect.arrayContaining([...listMisnamed(situation)]));
    const isPermitted = (status: number) =>
      isPermittedStatus(situation.operation, status) || status === successOf(situation);
    expect([...allowed.keys()].filter((status) => !isPermitted(status))).toEqual([]);
  }
});

const plain = makePlainVault(makeValidName('a'));
const ambiguousName = { class: 'routing-ambiguous', rule: 'secret-name.routing', raw: 'a%2Fb' } as const;
const ambiguous: Situation = { ...plain, name: ambiguousName };
const by = (...methods: readonly NonNullable<VaultSituation['method']>[]): readonly Situation[] =>
  methods.map((method) => ({ ...plain, method }));

it.each<readonly [string, readonly Situation[], readonly number[], SecretFate]>([
  ['removed by a delete', [plain], [204], 'gone'],
  ['kept by a delete', [plain], [400, 401, 403, 404, 429, 500, 503], 'kept'],
  ['kept or removed by a delete', [plain], [408, 502, 504], 'either'],
  ['kept by a safe method', by('GET', 'HEAD', 'OPTIONS'), [200, 204, 405, 504], 'kept'],
  ['kept or removed by another method', by('POST', 'PUT', 'PATCH'), [200, 204, 405], 'either'],
  ['kept or removed by a routing-ambiguous name', [ambiguous], [204, 400, 404], 'either'],
  ['kept by a read', [plainKey], [200], 'kept'],
])('a secret is %s that gets one of these statuses', (_how, all, statuses, fate) => {
  for (const situation of all)
    expect(statuses.map((status) => predictFate(situation, status))).toEqual(statuses.map(() => fate));
});

const { credentials, hosts, interns, guardrails, stored, faults, methods } = listOfferedWords(() => true);
const oneOf = <Value>(values: readonly Value[]) => fc.constantFrom(...values);

/** Nothing beside the request, or one thing of each kind. */
const extras = oneOf<Extras>([
  {},
  { query: '?x=1' },
  { body: '{}' },
  { headers: { Origin: 'https://elsewhere.test' } },
  { headers: { Accept: '*/*' } },
  { headers: { 'Content-Type': 'application/json' } },
  { headers: { 'X-Forwarded-Host': 'elsewhere.test' } },
  { query: '?x=1', body: '[]', headers: { Origin: 'https://elsewhere.test' } },
]);

type Facts = Readonly<Record<string, fc.Arbitrary<unknown>>>;

function draw(operation: Situation['operation'], facts: Facts = {}, more = extras) {
  const usual = { operation: fc.constant(operation), as: oneOf(credentials), host: oneOf(hosts) };
  const all: Facts = { ...usual, ...facts };
  const requiredKeys = Object.keys(all).filter((fact) => fact !== 'fault' && fact !== 'method');
  return fc
    .tuple(fc.record(all, { requiredKeys }), more)
    .map(([drawn, added]) => ({ ...added, ...drawn }) as unknown as Situation);
}

const fault = oneOf(faults);
const name = fc.oneof(secretName.valid(), secretName.invalid());
const ofVault = { fault, name, intern: oneOf(interns), stored: oneOf(stored) };
const ofInference = { fault: oneOf(inferenceFaults), model: oneOf(['free', 'paid']), stream: fc.boolean() };

/** Whether an inference request makes sense: a stream alone can break off, and a free model alone is limited. */
function isSensible(situation: Situation): boolean {
  const { fault: set, model, stream } = situation as InferenceSituation;
  return (stream || set !== 'mid_stream_error') && (model === 'free' || set !== 'platform_rate_limited');
}

/** Whether the oracle allows what the second table does; any status where a vault delete may be routed elsewhere. */
function agrees(situation: Situation): boolean {
  const { allowed, isAnyAllowed } = consultOracle(situation);
  if (isAnyAllowed !== mayReachAnything(situation)) return false;
  if (situation.operation === 'vault-delete' && isAnyAllowed) return allowed.size > 0;
  const expected = allowedStatuses(situation);
  return allowed.size === expected.length && expected.every((status) => allowed.has(status));
}

it.each([
  ['vault delete', draw('vault-delete', ofVault), 30_000],
  ['vault delete by another method', draw('vault-delete', { ...ofVault, method: oneOf(methods) }), 5_000],
  ['guardrail read', draw('guardrail-read', { fault, id: oneOf(guardrails) }), 10_000],
  ['key read', draw('key-info'), 5_000],
  [
    'inference request',
    draw('inference', { ...ofInference, host: fc.constant('global') }, fc.constant({})).filter(isSensible),
    5_000,
  ],
] as const)('the oracle and the second table agree on every %s', (_what, situations, numRuns) => {
  fc.assert(fc.property(situations, agrees), { seed: 1, numRuns });
});
