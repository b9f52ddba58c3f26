import { expect, it } from 'vitest';
import { findContractFaults } from '../../spec/contract.js';

const guardrail = (members: Readonly<Record<string, unknown>>) =>
  findContractFaults('GuardrailResponse', { data: members });

it('a list of wrong elements is reported in part', () => {
  const faults = guardrail({ allowed_providers: Array.from({ length: 100_000 }, () => 1) });
  expect(faults.length).toBeLessThanOrEqual(5_000);
  expect(faults[0]?.path).toEqual(['data', 'allowed_providers', '0']);
});

it('a long valid list has no fault, and a fault beside it is still found', () => {
  const allowed_providers = Array.from({ length: 100_000 }, () => 'acme');
  expect(guardrail({ allowed_providers })).toEqual([]);
  expect(guardrail({ allowed_providers, name: 1 }).map(({ path }) => path)).toEqual([['data', 'name']]);
});

it('a long wrong member name is left out, since a part of it could contain part of a key', () => {
  const [fault] = guardrail({ [`enforce_zdr_${'x'.repeat(100_000)}`]: 1 });
  expect(fault?.path).toEqual(['data', '(a long name)']);
});
