import fc from 'fast-check';
import { it } from 'vitest';
import { listOfferedWords } from '../../generators/inputs.js';
import { consultOracle } from '../../generators/oracle.js';
import { secretName } from '../../generators/secret-name.js';
import type { Extras, InferenceSituation, Situation } from '../../generators/situation.js';
import { inferenceFaults } from '../../spec/vocabulary.js';
import { allowedStatuses, mayReachAnything } from './decision-table.js';

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
