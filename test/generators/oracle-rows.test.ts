import { describe, expect, it } from 'vitest';
import {
  combine,
  makeGuardrailSpace,
  makeInferenceSpace,
  makeKeySpace,
  makeVaultSpace,
} from '../../generators/combinations.js';
import { listOfferedWords } from '../../generators/inputs.js';
import { consultOracle, freedoms, listRequirements, refusals, successes } from '../../generators/oracle.js';
import type { Situation } from '../../generators/situation.js';
import { ledger } from '../../spec/ledger.js';

const words = listOfferedWords(() => true);
const everyRow = [...refusals, ...freedoms, ...successes];

/** Pairs of every operation. */
const situations: readonly Situation[] = [
  ...combine(makeVaultSpace(words, 1), 2, 1).rows,
  ...combine(makeGuardrailSpace(words), 2, 1).rows,
  ...combine(makeKeySpace(words), 2, 1).rows,
  ...combine(makeInferenceSpace(words, 'free'), 2, 1).rows,
  ...combine(makeInferenceSpace(words, 'paid'), 2, 1).rows,
].map(({ value }) => value);

/** What the table says of a situation, rule by rule. */
const ruleKey = (operation: string, id: string, statuses: readonly number[]) =>
  `${operation} ${id} ${statuses}`;
const met = new Set(
  situations.flatMap((situation) => {
    const { allowed, due } = consultOracle(situation);
    return [due, ...allowed.values()].map((rule) =>
      ruleKey(situation.operation, rule.requirement, rule.statuses),
    );
  }),
);

describe('rows of the oracle', () => {
  it('every row names an observable requirement and a section of the document', () => {
    const strange = everyRow.filter(({ requirement: id }) => {
      const row = ledger.find((known) => known.id === id);
      return row === undefined || row.unseen !== undefined || !/^\d/.test(row.section);
    });
    expect(strange).toEqual([]);
  });

  it('every row allows the status in the id of its requirement', () => {
    const strange = refusals.filter(({ requirement: id, statuses }) => {
      const inId = /\.(\d{3})\./.exec(id)?.[1];
      return inId !== undefined && !statuses.includes(Number(inId));
    });
    expect(strange).toEqual([]);
  });

  it('every refusal has a status of 4xx or 5xx, except in a stream that has started', () => {
    const strange = refusals.filter(({ statuses }) => statuses.some((status) => status < 400));
    expect(strange.map(({ requirement: id }) => id)).toEqual(['stream-error.event']);
    expect(successes.flatMap(({ statuses }) => statuses).filter((status) => status >= 300)).toEqual([]);
  });

  it('every row has a condition that some pair meets', () => {
    // What may come along is not varied with inference, whose query and body are the target's own.
    const extras = ['query', 'body', 'origin', 'announced', 'claims'];
    const isNeverVaried = ({ on, when }: (typeof everyRow)[number]) =>
      on.includes('inference') && extras.some((fact) => fact in when);
    const unmet = everyRow
      .filter((row) => !isNeverVaried(row))
      .flatMap(({ on, requirement: id, statuses }) => on.map((operation) => ruleKey(operation, id, statuses)))
      .filter((key) => !met.has(key));
    expect(unmet).toEqual([]);
  });
});

it.each(['vault-delete', 'guardrail-read', 'key-info', 'inference'] as const)(
  'the requirements of %s are unique and begin with the plain success',
  (operation) => {
    const [first, ...others] = listRequirements(operation);
    expect(
      successes.some(({ requirement: id, when }) => id === first && Object.keys(when).length === 0),
    ).toBe(true);
    expect(new Set([first, ...others]).size).toBe(others.length + 1);
  },
);
