import { beforeAll, expect, it } from 'vitest';
import { maxWorlds, vaultRequestsPerWorld } from '../../judge/run-limits.js';
import { ledger } from '../../spec/ledger.js';
import { allChecks } from '../../suites/all-checks.js';
import { countVaultRequests } from '../judge-generated/vault-requests.js';
import { type Judged, judgeReference } from './judge-reference.js';

// One run at depth standard, of which each test asks something else.

const counted = countVaultRequests();
let run: Judged;
beforeAll(async () => {
  const { answer } = counted;
  run = await judgeReference({ behaviour: { answer }, checks: allChecks, concurrency: 16, seed: 8 });
});

it('a standard run of the reference reports every requirement once, as passed or as not observable', () => {
  const { report, record } = run;
  expect([report.verdict, report.gate.exit_code, report.run.complete]).toEqual(['conformant', 0, true]);
  expect([report.run.notes, record.faults]).toEqual([[], []]);
  const expected = ledger.map(({ id, unseen, level }) => {
    const isObservable = unseen === undefined && level !== 'silent';
    return [id, isObservable ? 'pass' : 'not-observable'];
  });
  expect(report.requirements.map(({ id, status }) => [id, status])).toEqual(expected);
});

it('a standard run has few worlds open at a time and sends at most fifty vault requests into each', () => {
  const { perWorld, worlds, unattributed } = counted;
  const counts = [...perWorld.values()];
  const total = counts.reduce((sum, count) => sum + count, 0);
  expect(Math.max(...counts)).toBeLessThanOrEqual(vaultRequestsPerWorld);
  expect(worlds.most).toBeLessThanOrEqual(maxWorlds);
  expect(worlds.seen.size).toBeLessThan(250);
  // Cases share worlds; otherwise no world would come near the bound.
  expect(Math.max(...counts)).toBeGreaterThan(25);
  expect(unattributed()).toBeLessThan(total / 20);
});

it('a standard run judges all pairs of inputs, and says why a check without assertions decided nothing', () => {
  const { checks } = run.report;
  const skipped = checks.filter(({ outcome, requests }) => outcome === 'skipped' && requests > 0);
  expect(skipped.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([
    'secret-name.routing: nothing is asserted; the report lists what was observed',
  ]);
  const [coverage] = checks.flatMap(({ coverage: of }) => (of?.strength === 2 ? [of] : []));
  expect(coverage?.possible).toBeGreaterThan(1_000);
  expect(coverage?.seen).toBe(coverage?.possible);
});

it('a standard run shows what was observed where the document is silent', () => {
  const { silences } = run.report;
  const seen = silences.find(({ id }) => id === 'guardrail-read.field.reset-interval-values');
  expect(seen?.observed).toContain('monthly');
  const silent = ledger.filter(({ level }) => level === 'silent');
  expect(silences.map(({ id }) => id)).toEqual(silent.map(({ id }) => id));
});
