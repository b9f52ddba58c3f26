import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { reportOf } from '../judge/report.js';
import { Run } from '../judge/run.js';
import { Selection } from '../judge/selection.js';
import type { Behaviour } from '../reference/behaviour.js';
import { overridden } from '../reference/mutant.js';
import { mutants } from '../reference/mutants.js';
import { startReference } from '../reference/server.js';
import type { Outcome } from '../spec/report.js';
import { allChecks } from '../suites/all-checks.js';
import { openTarget } from '../targets/target.js';

// The command and vitest must say the same of every check, whatever the server.

type Outcomes = ReadonlyMap<string, Outcome>;

async function byTheCommandsEngine(controlUrl: string): Promise<Outcomes> {
  const target = await openTarget({ control: { url: controlUrl }, concurrency: 16, timeoutMs: 10_000 });
  const selection = new Selection({ only: [], skip: [] });
  const { signal } = new AbortController();
  const record = await new Run(target, { selection, concurrency: 16, signal }).judgeAll(allChecks);
  await target.close();
  const facts = { startedAt: new Date(), durationMs: 0, complete: true, interrupted: false, seed: 0 };
  const report = reportOf(record, target, { ...facts, selection, baseUrl: undefined, controlUrl });
  return new Map(report.checks.map(({ id, outcome }) => [id, outcome]));
}

async function byVitest(controlUrl: string): Promise<Outcomes> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-'));
  const file = join(folder, 'vitest.json');
  const args = ['vitest', 'run', '--project', 'conformance', '--reporter=json', `--outputFile=${file}`];
  const env = { ...process.env, PLUMBLINE_CONTROL: controlUrl };
  // vitest ends with 1 where a check failed; its file says what of.
  await promisify(execFile)('npx', args, { env }).catch(() => undefined);
  const written: unknown = JSON.parse(await readFile(file, 'utf8'));
  await rm(folder, { recursive: true });
  return new Map(tests(written).map(({ title, status }) => [title, outcomeOf(status)]));
}

interface WrittenTest {
  readonly title: string;
  readonly status: string;
}

function tests(written: unknown): readonly WrittenTest[] {
  const { testResults } = written as { readonly testResults: readonly { assertionResults: WrittenTest[] }[] };
  const checks = testResults.flatMap(({ assertionResults }) => assertionResults);
  return checks.filter(({ title }) => title !== 'every world is given back');
}

function outcomeOf(status: string): Outcome {
  if (status === 'passed') return 'pass';
  return status === 'failed' ? 'fail' : 'skipped';
}

/** vitest knows no `inconclusive`; it is skipped there, with the reason. */
function asVitestTells(outcomes: Outcomes): Outcomes {
  return new Map(
    [...outcomes].map(([id, outcome]) => [id, outcome === 'inconclusive' ? 'skipped' : outcome]),
  );
}

const named = (id: string): Behaviour =>
  overridden(mutants.find((mutant) => mutant.id === id)?.override ?? {});

test.each([
  ['the reference', {}],
  ['a mutant', { behaviour: named('envelope.vault-404-without-message') }],
  [
    'a server that offers little',
    { offers: { faults: [], features: ['secrets'] as const, inference: false } },
  ],
])('%s is told the same by both', { timeout: 60_000 }, async (_name, options) => {
  const reference = await startReference(options);
  const command = asVitestTells(await byTheCommandsEngine(reference.controlUrl));
  const vitest = await byVitest(reference.controlUrl);
  expect(reference.worldCount()).toBe(0);
  await reference.close();
  expect(Object.fromEntries(vitest)).toEqual(Object.fromEntries(command));
  expect(vitest.size).toBeGreaterThan(200);
});
