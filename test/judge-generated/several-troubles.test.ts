import { describe, expect, it } from 'vitest';
import type { Behaviour } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { nameProperties } from '../../suites/secret-name.js';
import { makeEnvelope } from '../behaviours.js';
import { findRow } from '../report-rows.js';
import { judge, listFailed } from './generated-run.js';
import { everyName, wrongFor } from './name-property.js';

const invalidNames = nameProperties.filter(({ property }) => property === 'invalid-names');

/** A server that takes illegal names of an odd length for legal, and so breaks many rows of §2.3 here and there. */
const laxForOdd: Partial<Behaviour> = {
  isSecretName: (name) => name.length % 2 === 1 || conforming.isSecretName(name),
};

describe('a server that violates many requirements', () => {
  const run = judge({ behaviour: laxForOdd, checks: invalidNames, plan: { cases: 20 } });

  it('several violations of one property are found', async () => {
    expect(listFailed(await run).length).toBeGreaterThanOrEqual(5);
  });

  // A run examines six failing cases of a property; a requirement that only the seventh violates must not pass.
  it.each([
    'secret-name.refuses.double-underscore',
    'secret-name.refuses.control-character',
    'secret-name.refuses.beyond-ascii',
    'secret-name.refuses.encoded-twice',
  ] as const)('a violated requirement does not pass: %s', async (id) => {
    expect(findRow((await run).report, id).status).not.toBe('pass');
  });
});

/** A server that refuses names of 97 characters, and besides spoils the very first case. */
function wrongAfterNoise(noise: number): Pick<Behaviour, 'answer'> {
  const wrong = wrongFor((name) => name.length === 97);
  let times = 0;
  return {
    answer: (answer, call) => {
      if (call.operation === 'vault-delete' && !/^plumb[aeio]{24}$/.test(call.parameters.name ?? ''))
        times += 1;
      return times > 0 && times <= noise && call.operation === 'vault-delete'
        ? makeEnvelope(500)
        : wrong.answer(answer, call);
    },
  };
}

const walk = Array.from({ length: 100 }, (_, less) => 'a'.repeat(less + 1));

// A run repeats only the first of several similar cases, which must not hide a violation if it was noise.
it.each([0, 1])(
  'a name that is always refused is found although %i earlier cases fail once',
  async (noise) => {
    const run = await judge({ behaviour: wrongAfterNoise(noise), checks: [everyName({ walk, count: 20 })] });
    expect(listFailed(run)).toEqual(['secret-name.accepts.words']);
  },
);
