import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { FindingReplay } from '../../judge/replay.js';
import { mutants } from '../../reference/mutants.js';
import { numberFailures } from '../../reports/failed-requirements.js';
import { areas } from '../../spec/ledger.js';
import type { Failure } from '../../spec/report.js';
import { allChecks } from '../../suites/all-checks.js';
import { openTarget } from '../../targets/open-target.js';
import { readProfile } from '../../targets/profile/read-profile.js';
import type { TargetAddress } from '../../targets/target.js';
import { behaveAsMutant } from '../behaviours.js';
import { folder } from '../folders.js';
import { bearer } from '../reference/arrange.js';
import { serveReference } from '../servers.js';
import { plumbline, readReport } from './plumbline-process.js';
import { byRequest, profileFile, startDeployment } from './profile-deployment.js';

const requestsAtMost = 60;
const timeAtMostMs = 5_000;

type Row = (typeof mutants)[number];

/** An everyday mutant of each area: the first, or the one in the middle. */
function draw(place: 'first' | 'middle'): readonly (readonly [id: string, row: Row])[] {
  return areas.flatMap((area) => {
    const rows = mutants.filter(({ id, everyday }) => everyday && id.startsWith(`${area}.`));
    const row = rows[place === 'first' ? 0 : Math.floor(rows.length / 2)];
    return row === undefined ? [] : [[row.id, row] as const];
  });
}

/** Judges a mutant, at depth quick where that shows it, and replays every finding; gives those that did not come again. */
async function replayAll(
  { violates }: Row,
  flags: readonly string[],
  address: Pick<TargetAddress, 'control' | 'profile'>,
  env: Readonly<Record<string, string>> = {},
  before: () => Promise<unknown> = async () => undefined,
) {
  const directory = folder();
  const only = violates.flatMap((id) => ['--only', id]);
  const run = ['run', ...flags, '--report', directory];
  await plumbline([...run, '--depth', 'quick'], { env });
  if (numberFailures(readReport(directory)).length === 0) await plumbline([...run, ...only], { env });
  const report = readReport(directory);
  const failures = numberFailures(report).map(({ failure }) => failure);
  const missed: string[] = [];
  for (const failure of failures) {
    await before();
    const replay = new FindingReplay(allChecks);
    const start = performance.now();
    const target = await openTarget({
      ...address,
      permissions: { destructive: true, inference: true },
      concurrency: 16,
      timeoutMs: 10_000,
      onReceived: replay.onReceived,
    });
    const options = { seed: report.run.seed, keep: false, signal: new AbortController().signal };
    const { finding, disturbed } = await replay.run(failure, target, options);
    await target.close();
    const took = performance.now() - start;
    if (finding === undefined) missed.push(`${failure.message}: ${disturbed ?? 'not reproduced'}`);
    if (target.client.sent > requestsAtMost || took > timeAtMostMs)
      missed.push(`${failure.message}: ${target.client.sent} requests, ${Math.round(took)} ms`);
  }
  return { missed, failures };
}

/**
 * Pastes the curl line of a finding, unless it needs an altered key; returns the line and the statuses it got if the last is not that
 * of the report.
 */
async function paste(
  { exchanges, reproduce: { curl } }: Failure,
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  if (curl.includes(':?is an altered key')) return undefined;
  const { stdout } = await promisify(execFile)('sh', ['-c', curl], { env: { ...process.env, ...env } });
  const statuses = [...stdout.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  const status = exchanges.at(-1)?.response?.status;
  return statuses.at(-1) === status ? undefined : `${status} became ${statuses.join()}: ${curl}`;
}

it.concurrent.each(draw('first'))(
  'replay reproduces every finding of %s through the control protocol',
  async (id, row) => {
    const { controlUrl, baseUrl, openWorld } = await serveReference({ behaviour: behaveAsMutant(id) });
    // Each replay arranges the same, so a server that repeats its previous answer looks right unless another comes in between.
    const headers = bearer(openWorld('another').keys.member ?? '');
    const { missed, failures } = await replayAll(
      row,
      ['--control', controlUrl],
      { control: { url: controlUrl } },
      {},
      () => fetch(`${baseUrl}/key`, { headers }).then((response) => response.text()),
    );
    expect(failures.length).toBeGreaterThan(0);
    expect(missed).toEqual([]);
  },
);

it.concurrent.each(draw('middle'))(
  'replay and the curl lines of the report reproduce the findings of %s that a profile shows',
  async (id, row) => {
    const { described, env } = await startDeployment({ behaviour: behaveAsMutant(id) });
    const path = profileFile({ ...described, store: byRequest });
    const { missed, failures } = await replayAll(
      row,
      ['--profile', path],
      { profile: await readProfile(path, env) },
      env,
    );
    expect(missed).toEqual([]);
    // What such a server does once says nothing.
    if (row.hardness === 'intermittent') return;
    const pasted = await Promise.all(failures.map((failure) => paste(failure, env)));
    expect(pasted.filter((line) => line !== undefined)).toEqual([]);
  },
);
