import { afterAll, describe, it } from 'vitest';
import { mutants } from '../../reference/mutants.js';
import { expectAlive, WHOLE_CORPUS_MS } from './probe/expect-alive.js';
import { Transcript } from './probe/probe.js';
import { probed } from './probe/rows-probed.js';

// A file of its own, since it takes as long as all the other rows: the two run side by side.

const reference = new Transcript({ override: {} });
afterAll(() => reference.close());

describe('every mutant of the vault delete is alive', () => {
  const rows = probed(mutants).filter(({ id }) => id.startsWith('vault-delete.'));
  it.for(rows)('$id', { timeout: WHOLE_CORPUS_MS }, async (row, { annotate }) => {
    await annotate(await expectAlive(row, reference));
  });
});
