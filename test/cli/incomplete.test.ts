import { describe, expect, it } from 'vitest';
import type { Capabilities } from '../../reference/capabilities.js';
import { FEATURES } from '../../reference/vocabulary.js';
import type { RequirementId } from '../../spec/ledger.js';
import { row } from '../judge/judged.js';
import { runInto } from './plumbline-process.js';
import { reference } from './servers.js';
import { slow } from './slow-answers.js';

interface Lacking {
  readonly lack: string;
  readonly capabilities: Partial<Capabilities>;
  /** Words of the reasons why requirements are not exercised. */
  readonly reasons: Readonly<Partial<Record<RequirementId, string>>>;
  readonly passed?: readonly RequirementId[];
  /** Words of the output. */
  readonly said?: string;
}

const lacking: readonly Lacking[] = [
  {
    lack: 'half of the roles',
    capabilities: {
      roles: ['member', 'management', 'provisioning', 'disabled', 'free_small'],
      // The credit of the member could be set to what those roles have.
      features: FEATURES.filter((feature) => feature !== 'credit'),
    },
    reasons: {
      'vault-delete.403.no-scope': 'would take a key of the role unscoped',
      'vault-delete.404.outside-programme': 'a key of the role outsider',
      'credit-limit.exhausted': 'would take a key of the role exhausted',
      'credit-limit.overdrawn.paid': 'a key of the role overdrawn',
      'rate-limit.day.large.refused': 'a key of the role free_large',
    },
    // Writes can be disabled by a fault as well as by a role.
    passed: ['vault-delete.401.provisioning-key', 'vault-delete.503.writes-disabled'],
  },
  {
    lack: 'the member key',
    capabilities: { roles: ['management'] },
    reasons: { 'key-info.200.read': 'a key of the role member' },
    passed: ['guardrail-read.200.read'],
    said: 'a key of the role member',
  },
  {
    lack: 'faults',
    capabilities: { faults: [] },
    reasons: {
      'vault-delete.504.timeout': 'would take the fault vault_timeout (control protocol)',
      'stream-error.id': 'the fault mid_stream_error',
    },
  },
  {
    lack: 'features',
    capabilities: { features: [] },
    reasons: {
      'vault-delete.204.deleted': 'a way to store secrets',
      'key-info.200.values': 'would take the control feature "key_info"',
    },
    said: 'a way to store secrets (profile: store, control feature: secrets)',
  },
  {
    lack: 'inference and the regional hostname',
    capabilities: { inference: false, regional: false },
    reasons: {
      'inference.routed': 'would take an inference route with a model',
      'rate-limit.paid': 'an inference route with a paid model',
      'vault-delete.403.regional-host': 'a regional hostname',
    },
  },
];

describe('controls that lack a capability', () => {
  it.each(lacking)(
    'a control without $lack ends with 4 and names it',
    async ({ capabilities, reasons, passed = [], said = '' }) => {
      const { controlUrl, worldCount } = await reference({ capabilities });
      const run = await runInto(['--control', controlUrl, '--depth', 'quick', '--max-requests', '900']);
      expect(run.code, run.words).toBe(4);
      expect(run.words).toMatch(/^incomplete: \d+ must requirements? inconclusive or not exercised /);
      expect(run.words).toContain(said);
      expect(worldCount()).toBe(0);
      const report = run.report();
      expect([report.verdict, report.gate.exit_code]).toEqual(['incomplete', 4]);
      expect(report.totals).toMatchObject({ fail: 0, inconclusive: 0 });
      for (const [id, words] of Object.entries(reasons)) {
        const { status, reason } = row(report, id as RequirementId);
        expect([id, status, reason]).toEqual([id, 'not-exercised', expect.stringContaining(words)]);
      }
      for (const id of passed) expect([id, row(report, id).status]).toEqual([id, 'pass']);
    },
  );
});

it('a requirement that is not selected does not make a run incomplete', async () => {
  const { controlUrl } = await reference({ capabilities: { inference: false } });
  const run = await runInto(['--control', controlUrl, '--only', 'vault-delete.*', '--depth', 'quick']);
  expect(run.code).toBe(0);
  const { status, reason } = row(run.report(), 'inference.routed');
  expect([status, reason]).toEqual(['not-exercised', 'not selected']);
});

it('a run that is out of time reports the rest as inconclusive and gives back every world', async () => {
  const { controlUrl, worldCount } = await reference({ behaviour: slow(30).behaviour });
  const run = await runInto(['--control', controlUrl, '--max-time', '0.8']);
  expect([run.code, run.words]).toEqual([
    4,
    expect.stringMatching(/^incomplete: .*out of time after 0\.8 s/),
  ]);
  expect(run.ms).toBeLessThan(5000);
  const report = run.report();
  expect([report.run.complete, report.totals.fail, worldCount()]).toEqual([false, 0, 0]);
});
