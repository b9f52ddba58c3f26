import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder } from '../folders.js';
import { makeEntry, makeEnvelope, makeHar, remove } from '../recordings/recorded.js';
import { serveReference } from '../servers.js';
import { plumbline, readReport } from './plumbline-process.js';

it('run --observed marks what only a recording shows, and violations in it count', async () => {
  // This server cannot simulate a timeout.
  const { controlUrl } = await serveReference({ capabilities: { faults: [] } });
  const file = join(folder(), 'production.har');
  const late = remove({ status: 504, body: makeEnvelope(504) });
  const wrong = remove({ status: 404, body: makeEnvelope(400) });
  writeFileSync(file, makeHar([late, wrong].map(makeEntry)));
  const only = ['vault-delete.504.timeout', 'key-info.200.read', 'envelope.error.code-is-status'];
  const directory = folder();
  const { code, stdout } = await plumbline([
    ...['run', '--control', controlUrl, '--report', directory, '--depth', 'quick', '--cases', '1'],
    ...only.flatMap((id) => ['--only', id]),
    ...['--observed', file],
  ]);
  const report = readReport(directory);
  const row = (id: string) => report.requirements.find((one) => one.id === id);
  expect(row('vault-delete.504.timeout')).toMatchObject({
    ...{ status: 'pass', observed: true, reason: 'observed in recorded traffic: vault-delete.504 once' },
    checks: expect.arrayContaining(['vault-delete.504.timeout/observed']),
  });
  expect(row('key-info.200.read')).toMatchObject({ status: 'pass' });
  expect(row('key-info.200.read')).not.toHaveProperty('observed');
  expect(row('envelope.error.code-is-status')).toMatchObject({ status: 'fail', observed: true });
  expect([code, report.verdict]).toEqual([1, 'non-conformant']);
  const check = report.checks.find(({ id }) => id === 'envelope.error.code-is-status/observed');
  expect(check?.failure).toMatchObject({ confirmed: '1/1', counterexample: { file, entry: 1 } });
  expect(check?.failure?.reproduce.command).toBe(
    `plumbline observe --target https://api.example.test/v1 --inference-path /chat/completions --only envelope.error.code-is-status ${file}`,
  );
  expect(report.run.recording).toMatchObject({ base_url: 'https://api.example.test/v1', judged: 2 });
  expect(stdout).toContain('Recorded traffic: 2 exchanges');
});
