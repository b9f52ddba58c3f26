import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { conforming } from '../../reference/behaviour.js';
import { mutants } from '../../reference/mutants.js';
import { variants } from '../../reference/variants.js';
import { corpus, corpusFor } from './probe/corpus.js';
import { expectAlive, told, WHOLE_CORPUS_MS } from './probe/expect-alive.js';
import { lifeSign, Transcript } from './probe/probe.js';
import { probed } from './probe/rows-probed.js';

const reference = new Transcript({ override: {} });
afterAll(() => reference.close());

describe('the probe', () => {
  it('asks no two scripts of one title', () => {
    expect(new Set(corpus.map(({ title }) => title)).size).toBe(corpus.length);
    expect(new Set(corpusFor('auth.any'))).toEqual(new Set(corpus));
  });

  it(
    'sees the same of the reference every time, and calls a row dead that changes nothing',
    async () => {
      expect(told(await lifeSign({ override: {} }, corpus, reference))).toBe('dead: no answer differs');
    },
    WHOLE_CORPUS_MS,
  );

  it('names the first answer that differs', async () => {
    const isSecretName = (name: string): boolean => name.length !== 97 && conforming.isSecretName(name);
    const scripts = corpus.filter(({ title }) => title === 'unknown names of every length');
    const difference = await lifeSign({ override: { isSecretName } }, scripts, reference);
    expect(difference?.about).toContain(`/secrets/${'a'.repeat(97)}\n`);
    expect(difference?.expected).toContain('404 Not Found');
    expect(difference?.actual).toContain('400 Bad Request');
  });

  it('sees a difference in time alone', async () => {
    const transmit: typeof conforming.transmit = async (response, answer, call) => {
      await wait(5);
      await conforming.transmit(response, answer, call);
    };
    expect(await lifeSign({ override: { transmit } }, corpusFor('late'), reference)).toMatchObject({
      timed: true,
      actual: '(slow)',
    });
  });
});

describe('every mutant but those of the vault delete is alive', () => {
  const rows = probed(mutants).filter(({ id }) => !id.startsWith('vault-delete.'));
  it.for(rows)('$id', { timeout: WHOLE_CORPUS_MS }, async (row, { annotate }) => {
    await annotate(await expectAlive(row, reference));
  });
});

describe('every variant is alive', () => {
  it.for(probed(variants))('$id', { timeout: WHOLE_CORPUS_MS }, async (row, { annotate }) => {
    await annotate(await expectAlive(row, reference));
  });
});
