import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { conforming } from '../../reference/conforming.js';
import { variants } from '../../reference/variants.js';
import { corpus } from './probe/corpus.js';
import { type Difference, findDifference, Transcript } from './probe/probe.js';

// The proof shows a mutant that changes nothing, since it survives. A variant that changes nothing would pass, so it is found here.

const reference = new Transcript({ mutation: {} });
afterAll(() => reference.close());

/** The first difference in words, or that there is none. */
function describeDifference(difference: Difference | undefined): string {
  if (difference === undefined) return 'no answer differs';
  const { script, about, expected, actual } = difference;
  return `differs in "${script}"\n${about}\nthe reference: ${expected}\nthis variant: ${actual}`;
}

describe('the probe', () => {
  it('asks no two scripts of one title', () => {
    expect(new Set(corpus.map(({ title }) => title)).size).toBe(corpus.length);
  });

  it('sees the same of the reference every time', async () => {
    const difference = await findDifference({ mutation: {} }, corpus, reference);
    expect(describeDifference(difference)).toBe('no answer differs');
  });

  it('names the first answer that differs', async () => {
    const isSecretName = (name: string): boolean => name !== 'absent' && conforming.isSecretName(name);
    const difference = await findDifference({ mutation: { isSecretName } }, corpus, reference);
    expect(difference?.about).toContain('/secrets/absent\n');
    expect(difference?.expected).toContain('404 Not Found');
    expect(difference?.actual).toContain('400 Bad Request');
  });

  it('sees a difference in time alone', async () => {
    const transmit: typeof conforming.transmit = async (response, answer, call) => {
      await wait(5);
      await conforming.transmit(response, answer, call);
    };
    const difference = await findDifference({ mutation: { transmit } }, corpus, reference);
    expect(difference).toMatchObject({ timed: true, actual: '(slow)' });
  });
});

describe('the variant differs from the reference', () => {
  // These tests mostly wait.
  it.concurrent.for(variants)('$id', async (variant, { expect }) => {
    const difference = await findDifference(variant, corpus, reference);
    expect(difference, describeDifference(difference)).toBeDefined();
  });
});
