import { expect, test } from 'vitest';
import type { Check } from '../../judge/check.js';
import type { Failure } from '../../spec/report.js';
import { isSameViolation } from '../../spec/situation.js';
import { allChecks } from '../../suites/all-checks.js';
import { behaveAsMutant } from '../behaviours.js';
import { listFailures } from '../report-rows.js';
import { judgeReference } from './judge-reference.js';

function checksOf(id: string, ...properties: readonly string[]): readonly Check[] {
  return allChecks.filter((check) =>
    check.kind === 'written'
      ? check.decides.some((row) => row === id)
      : properties.some((name) => name === check.property),
  );
}

async function findFailures(id: string, checks: readonly Check[], seed: number): Promise<readonly Failure[]> {
  const { report } = await judgeReference({
    behaviour: behaveAsMutant(id),
    checks,
    seed,
    plan: { cases: 20 },
  });
  return listFailures(report);
}

const cases: readonly (readonly [mutant: string, checks: readonly Check[], situation: string])[] = [
  [
    'guardrail-read.description-cut',
    checksOf('guardrail-read.200.values', 'guardrail-values'),
    'guardrail-read answered 200 to GET own guardrail as management: description "…"',
  ],
  [
    'envelope.guardrail-401-text-plain',
    checksOf('guardrail-read.401.missing-key', 'guardrail-pairs'),
    'guardrail-read answered 401: the media type is text/plain',
  ],
  [
    'secret-name.accepts-sub-delimiters',
    checksOf('secret-name.refuses.punctuation', 'invalid-names'),
    'vault-delete answered 404 to DELETE own/',
  ],
];

test.each(cases)('the defect %s has the same situation with every seed', async (id, checks, situation) => {
  const first = await findFailures(id, checks, 3);
  expect(first.filter((failure) => failure.situation.startsWith(situation))).not.toEqual([]);
  const tonight = await findFailures(id, checks, 4);
  expect(tonight).not.toEqual([]);
  const unknown = tonight.filter((one) => !first.some((named) => isSameViolation(named, one)));
  expect(unknown.map((failure) => failure.situation)).toEqual([]);
});
