import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ledger } from '../../spec/ledger.js';
import { toolVersion } from '../../spec/version.js';
import { folder } from '../folders.js';
import type { Ended } from './command-runner.js';
import { plumbline, readReport } from './plumbline-process.js';

describe('run --reference judges the embedded server', () => {
  const cwd = folder();
  const read = () => readReport(join(cwd, 'plumbline-report'));
  let ended: Ended;
  beforeAll(async () => {
    ended = await plumbline(['run', '--reference'], { cwd });
  });
  it('run --reference ends with 0 and first says that the server is conformant, then where its report is', () => {
    const progress = /^plumbline: \d+ of \d+ checks, .*\n/gm;
    expect(ended.stderr.replace(progress, '')).not.toContain('plumbline:');
    expect(ended.code, ended.stdout).toBe(0);
    expect(ended.stdout).toMatch(/^conformant: \d+ requirements passed on the embedded reference server\n/);
    expect(ended.stdout.replace(/\s+/g, ' ')).toContain('Reports: plumbline-report');
    const { run, tool } = read();
    expect([tool.version, run.complete, run.notes]).toEqual([toolVersion, true, []]);
    expect(run.duration_ms).toBeLessThanOrEqual(ended.ms);
  });

  it('run --reference reports every requirement once, and every must as passed or not observable', () => {
    const report = read();
    expect(report.requirements.map(({ id }) => id)).toEqual(ledger.map(({ id }) => id));
    for (const { id, status } of report.requirements) {
      const row = ledger.find((candidate) => candidate.id === id);
      const observable = row?.unseen === undefined && row?.level !== 'silent';
      expect(`${id} ${status}`).toBe(`${id} ${observable ? 'pass' : 'not-observable'}`);
    }
  });

  it('run --reference judges all pairs of inputs, and says why a check without assertions decided nothing', () => {
    const { checks } = read();
    const skipped = checks.filter(({ outcome, requests }) => outcome === 'skipped' && requests > 0);
    expect(skipped.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([
      'secret-name.routing: nothing is asserted; what was seen is reported',
    ]);
    const [coverage] = checks.flatMap(({ coverage: of }) => (of?.strength === 2 ? [of] : []));
    expect(coverage?.possible).toBeGreaterThan(1_000);
    expect(coverage?.seen).toBe(coverage?.possible);
  });

  it('run --reference shows what was observed where the document is silent', () => {
    const { silences } = read();
    const seen = silences.find(({ id }) => id === 'guardrail-read.field.reset-interval-values');
    expect(seen?.observed).toContain('monthly');
    const silent = ledger.filter(({ level }) => level === 'silent');
    expect(silences.map(({ id }) => id)).toEqual(silent.map(({ id }) => id));
  });
});
