import { expect, it } from 'vitest';
import type { Behaviour } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { nameProperties } from '../../suites/secret-name.js';
import { makeEnvelope } from '../behaviours.js';
import { findRow } from '../report-rows.js';
import { everyName, isCase, judge, listFailed, wrongFor } from './generated-run.js';

const invalidNames = nameProperties.filter(({ property }) => property === 'invalid-names');

const laxForOdd: Partial<Behaviour> = {
  isSecretName: (name) => name.length % 2 === 1 || conforming.isSecretName(name),
};

it('several violations of one property are found, and no requirement passes that a case violates', async () => {
  const run = await judge({ behaviour: laxForOdd, checks: invalidNames, plan: { cases: 20 } });
  expect(listFailed(run).length).toBeGreaterThanOrEqual(5);
  // A run examines six failing cases of a property; a requirement that only the seventh violates must not pass.
  const violated = ['double-underscore', 'control-character', 'beyond-ascii', 'encoded-twice'] as const;
  for (const word of violated)
    expect([word, findRow(run.report, `secret-name.refuses.${word}`).status]).not.toEqual([word, 'pass']);
});

function wrongAfterNoise(noise: number): Pick<Behaviour, 'answer'> {
  const wrong = wrongFor((name) => name.length === 97);
  let times = 0;
  return {
    answer: (answer, call) => {
      if (isCase(call)) times += 1;
      const isNoisy = call.operation === 'vault-delete' && times > 0 && times <= noise;
      return isNoisy ? makeEnvelope(500) : wrong.answer(answer, call);
    },
  };
}

const walk = Array.from({ length: 100 }, (_, less) => 'a'.repeat(less + 1));

// A run repeats only the first of several similar cases, which must not hide a violation if it was noise.
it.each([0, 1])('a name that is always refused is found though %i earlier cases fail once', async (noise) => {
  const run = await judge({ behaviour: wrongAfterNoise(noise), checks: [everyName({ walk, count: 20 })] });
  expect(listFailed(run)).toEqual(['secret-name.accepts.words']);
});
