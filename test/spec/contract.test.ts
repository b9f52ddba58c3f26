import { expect, it } from 'vitest';
import { contractFaults } from '../../spec/contract.js';

const guardrail = (members: Readonly<Record<string, unknown>>) =>
  contractFaults('GuardrailResponse', { data: members });

it('a list that breaks the schema all along is told in part', () => {
  const faults = guardrail({ allowed_providers: Array.from({ length: 100_000 }, () => 1) });
  expect(faults.length).toBeLessThanOrEqual(5_000);
  expect(faults[0]?.path).toEqual(['data', 'allowed_providers', '0']);
});

it('a long list that satisfies the schema has no fault, and one beside it is still found', () => {
  const allowed_providers = Array.from({ length: 100_000 }, () => 'acme');
  expect(guardrail({ allowed_providers })).toEqual([]);
  expect(guardrail({ allowed_providers, name: 1 }).map(({ path }) => path)).toEqual([['data', 'name']]);
});

it('a long name of a member that breaks the schema is left out: a part of it could hide a part of a key', () => {
  const [fault] = guardrail({ [`enforce_zdr_${'x'.repeat(100_000)}`]: 1 });
  expect(fault?.path).toEqual(['data', '(a long name)']);
});
