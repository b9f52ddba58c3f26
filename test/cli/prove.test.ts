import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Proof } from '../../reports/proof-summary.js';
import { folder } from '../folders.js';
import { plumbline } from './plumbline-process.js';

async function prove(flags: string) {
  const directory = folder();
  const ended = await plumbline(`prove --seed 7 --depth quick ${flags} --report ${directory}`);
  const read = (file: string) => readFileSync(join(directory, file), 'utf8');
  return { ...ended, proof: JSON.parse(read('proof.json')) as Proof, page: read('proof.md') };
}

it('prove judges the named servers with each seed and ends with 0 if all get their expected verdict', async () => {
  const only = '--only vault-delete.scope-lookup-502 --only problem-json';
  const { code, stdout, proof, page } = await prove(`${only} --seeds 2 --jobs 1`);
  expect(code, stdout).toBe(0);
  expect(stdout).toContain('1 of 1 mutant caught, 0 of 1 variant wrongly failed.');
  expect(stdout).not.toContain('No mutant violates');
  expect(proof.totals).toMatchObject({ mutants: 1, caught: 1, variants: 1, accused: 0, runs: 4 });
  expect(proof.run.seeds).toEqual([7, 8]);
  const judged = proof.servers.filter(({ kind }) => kind === 'mutant');
  expect(judged.map(({ seed }) => seed)).toEqual([7, 8]);
  for (const mutant of judged) {
    const caught = { outcome: 'caught', verdict: 'non-conformant', section_named: true };
    expect(mutant).toMatchObject({ ...caught, turns_red: ['vault-delete.500.scope-lookup'] });
    expect(mutant.first_red_at).toBeLessThanOrEqual(mutant.requests);
  }
  const row = proof.requirements.find(({ id }) => id === 'vault-delete.500.scope-lookup');
  expect(row?.mutants).toEqual(['vault-delete.scope-lookup-502']);
  expect(page).toContain('| `vault-delete.scope-lookup-502` |');
  expect(page).toContain('**1 of 1 mutants caught');
});

it('prove ends with 1 on a survivor and says what was expected', async () => {
  // Depth quick sends no name of 97 characters.
  const { code, stdout, proof, page } = await prove('--only secret-name.refuses-97-characters');
  expect(code).toBe(1);
  expect(stdout).toContain('secret-name.refuses-97-characters: SURVIVED');
  expect(stdout).toContain('secret-name.accepts.underscores');
  expect(proof.totals).toMatchObject({ caught: 0, survived: 1 });
  expect(page).toContain('## Mutants that survived');
});

it('prove --list names every server and judges none', async () => {
  const directory = join(folder(), 'none');
  const { code, stdout } = await plumbline(['prove', '--list', '--report', directory]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^mutant key-info\.daily-of-another-key §4\.3 /m);
  expect(stdout).toMatch(/^variant problem-json §/m);
  expect(existsSync(directory)).toBe(false);
});

it('prove --list names only the servers that --only matches, if it is given', async () => {
  const { stdout } = await plumbline(['prove', '--list', '--only', 'problem-json']);
  expect(stdout).toMatch(/^variant problem-json §[^\n]+\n$/);
});
