import { expect, it } from 'vitest';
import { consultOracle } from '../../generators/oracle.js';
import type { Situation } from '../../generators/situation.js';
import { allowedStatuses, mayReachAnything } from './decision-table.js';
import {
  everyGuardrailRead,
  everyInferenceRequest,
  everyKeyRead,
  everyRoutedElsewhere,
  everyVaultDelete,
  everyVaultDeleteWithExtras,
  sampled,
} from './situation-product.js';

/** Compares the oracle with the second table; returns the first few differences. */
function differences(situations: Iterable<Situation>) {
  const told: string[] = [];
  let compared = 0;
  for (const situation of situations) {
    compared += 1;
    const { allowed } = consultOracle(situation);
    const table = allowedStatuses(situation);
    const isAgreed = allowed.size === table.length && table.every((status) => allowed.has(status));
    if (!isAgreed && told.length < 5)
      told.push(`${JSON.stringify(situation)}: oracle ${[...allowed.keys()]}, table ${table}`);
  }
  return { compared, told };
}

it('the oracle and the second table agree on every vault delete', () => {
  const { compared, told } = differences(everyVaultDelete());
  expect(compared).toBeGreaterThan((45 * 6 * 9 * 5 * (4 * 9 + 10)) / sampled);
  expect(told).toEqual([]);
});

it('the oracle and the second table agree on extras of a vault delete and on faults of inference', () => {
  expect(differences(everyVaultDeleteWithExtras()).told).toEqual([]);
});

it('the oracle and the second table agree on where a request may be routed elsewhere, and allow it any status', () => {
  const products = [
    everyRoutedElsewhere(),
    everyGuardrailRead(),
    everyKeyRead(),
    everyVaultDeleteWithExtras(),
  ];
  const ambiguous = products.map((situations) => {
    let count = 0;
    for (const situation of situations) {
      const { isAnyAllowed, allowed } = consultOracle(situation);
      // One expectation for each situation would be too slow.
      if (isAnyAllowed !== mayReachAnything(situation) || allowed.size === 0)
        expect.fail(JSON.stringify(situation));
      if (isAnyAllowed) count += 1;
    }
    return count;
  });
  expect(ambiguous[0]).toBeGreaterThan((45 * 6 * 9 * 2 * 2 * (3 * 6 + 1) * 0.99) / sampled);
});

it('the oracle and the second table agree on every guardrail read', () => {
  const { compared, told } = differences(everyGuardrailRead());
  expect(compared).toBeGreaterThan((45 * 6 * 6 * 7 * 8 * 0.99) / sampled);
  expect(told).toEqual([]);
});

it('the oracle and the second table agree on every key read', () => {
  expect(differences(everyKeyRead())).toEqual({ compared: 60 * 6 * 8, told: [] });
});

it('the oracle and the second table agree on every inference request', () => {
  expect(differences(everyInferenceRequest())).toEqual({ compared: 60 * (2 * 2 * 5 + 2 + 2), told: [] });
});
