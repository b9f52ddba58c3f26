import { expect, it } from 'vitest';
import { findServer } from '../../cli/prove/catalogue.js';
import { FindingReplay } from '../../judge/replay.js';
import { numberFailures } from '../../reports/failed-requirements.js';
import { allChecks } from '../../suites/all-checks.js';
import { openTarget } from '../../targets/open-target.js';
import { behaveAsMutant } from '../behaviours.js';
import { folder } from '../folders.js';
import { bearer } from '../reference/arrange.js';
import { serveReference } from '../servers.js';
import { plumbline, readReport } from './plumbline-process.js';

const maxRequests = 60;
const maxTimeMs = 5_000;

/** At least one of each area, and of each kind of check that shows it. */
const ids = [
  ...['vault-delete.own-secret-through-sibling', 'secret-name.length-in-one-byte'],
  ...['vault-delete.value-of-lines-not-found'],
  ...['guardrail-read.data-missing', 'key-info.byok-usage-daily-null', 'auth.key-of-the-request-before'],
  ...['auth.unknown-key-of-right-shape-deletes', 'envelope.vault-404-without-message'],
  ...[
    'inference.model-down-500',
    'stream-error.id-missing',
    'credit-limit.overdrawn-served-every-third-time',
  ],
  ...['rate-limit.21-per-minute', 'secrecy.value-in-502-message'],
];
const replayed = ids
  .map((id) => findServer(id, 'mutant'))
  .flatMap((row) => (row.kind === 'mutant' ? [row] : []));

it.concurrent.each(replayed)('replay reproduces every finding of $id in a few requests', async (row) => {
  const { id, violates } = row;
  const { controlUrl, baseUrl, openWorld } = await serveReference({ behaviour: behaveAsMutant(id) });
  const directory = folder();
  const run = ['run', '--control', controlUrl, '--report', directory];
  await plumbline([...run, '--depth', 'quick']);
  if (numberFailures(readReport(directory)).length === 0)
    await plumbline([...run, ...violates.flatMap((one) => ['--only', one])]);
  const report = readReport(directory);
  const failures = numberFailures(report).map(({ failure }) => failure);
  expect(failures.length).toBeGreaterThan(0);
  const headers = bearer(openWorld('another').keys.member ?? '');
  const missed: string[] = [];
  for (const failure of failures) {
    // Each replay arranges the same, so a server that repeats its previous answer looks right unless another comes in between.
    await fetch(`${baseUrl}/key`, { headers }).then((response) => response.text());
    const replay = new FindingReplay(allChecks);
    const start = performance.now();
    const target = await openTarget({
      control: { url: controlUrl },
      ...{ concurrency: 16, timeoutMs: 10_000, onReceived: replay.onReceived },
    });
    const options = { seed: report.run.seed, keep: false, signal: new AbortController().signal };
    const { finding, disturbed } = await replay.run(failure, target, options);
    await target.close();
    const took = performance.now() - start;
    if (finding === undefined) missed.push(`${failure.message}: ${disturbed ?? 'not reproduced'}`);
    if (target.client.sent > maxRequests || took > maxTimeMs)
      missed.push(`${failure.message}: ${target.client.sent} requests, ${Math.round(took)} ms`);
  }
  expect(missed).toEqual([]);
});
