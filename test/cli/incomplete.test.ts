import { afterAll, describe, expect, it } from 'vitest';
import type { Capabilities } from '../../reference/capabilities.js';
import { FEATURES } from '../../reference/vocabulary.js';
import { folder, plumbline, readReport, removeFolders } from './plumbline-process.js';
import { reference } from './servers.js';
import { slow } from './slow-answers.js';

afterAll(removeFolders);

async function incomplete(capabilities: Partial<Capabilities>, ...flags: readonly string[]) {
  const { controlUrl, worldCount } = await reference({ capabilities });
  const directory = folder();
  const plan = ['--depth', 'quick', '--max-requests', '900'];
  const ended = await plumbline(['run', '--control', controlUrl, ...plan, '--report', directory, ...flags]);
  expect(ended.code, ended.stdout).toBe(4);
  expect(ended.stdout).toMatch(/^incomplete: \d+ must requirements? inconclusive or not exercised\n/);
  expect(worldCount()).toBe(0);
  const report = readReport(directory);
  expect([report.verdict, report.gate.exit_code]).toEqual(['incomplete', 4]);
  expect(report.totals).toMatchObject({ fail: 0, inconclusive: 0 });
  const reasonOf = (id: string): string | null =>
    report.requirements.find((row) => row.id === id && row.status === 'not-exercised')?.reason ?? null;
  const reasons = report.requirements.map(({ reason }) => reason).join('\n');
  return { words: ended.stdout.replace(/\s+/g, ' '), reasons, report, reasonOf };
}

describe('controls that lack a capability', () => {
  it('a control with half of the roles ends with 4 and names the roles that are missing', async () => {
    const { reasons, report, reasonOf } = await incomplete({
      roles: ['member', 'management', 'provisioning', 'disabled', 'free_small'],
      // The credit of the member could be set to what those roles have.
      features: FEATURES.filter((feature) => feature !== 'credit'),
    });
    for (const role of ['unscoped', 'outsider', 'exhausted', 'overdrawn', 'free_large']) {
      expect(reasons).toContain(`a key of the role ${role}`);
    }
    expect(reasons).not.toContain('a key of the role member');
    expect(reasonOf('vault-delete.403.no-scope')).toBe('would take a key of the role unscoped');
    expect(reasonOf('credit-limit.exhausted')).toBe('would take a key of the role exhausted');
    const held = (id: string) => report.requirements.find((row) => row.id === id)?.status;
    expect(held('vault-delete.401.provisioning-key')).toBe('pass');
    // Writes can be disabled by a fault as well as by a role.
    expect(held('vault-delete.503.writes-disabled')).toBe('pass');
  });

  it('a control without the member key shows nothing but the guardrail', async () => {
    const { words, reasonOf, report } = await incomplete({ roles: ['management'] });
    expect(words).toContain('a key of the role member');
    expect(reasonOf('key-info.200.read')).toContain('a key of the role member');
    expect(report.requirements.find(({ id }) => id === 'guardrail-read.200.read')?.status).toBe('pass');
  });

  it('a control without faults ends with 4 and names the faults', async () => {
    const { reasonOf } = await incomplete({ faults: [] });
    expect(reasonOf('vault-delete.504.timeout')).toBe(
      'would take the fault vault_timeout (control protocol)',
    );
    expect(reasonOf('stream-error.id')).toContain('the fault mid_stream_error');
  });

  it('a control without features ends with 4 and names the features', async () => {
    const { words, reasonOf } = await incomplete({ features: [] });
    expect(words).toContain('a way to store secrets (profile: store, control feature: secrets)');
    expect(reasonOf('vault-delete.204.deleted')).toContain('a way to store secrets');
    expect(reasonOf('key-info.200.values')).toBe('would take the control feature "key_info"');
  });

  it('a control without inference and the regional hostname ends with 4 and names both', async () => {
    const { reasonOf } = await incomplete({ inference: false, regional: false });
    expect(reasonOf('inference.routed')).toBe('would take an inference route with a model');
    expect(reasonOf('rate-limit.paid')).toContain('an inference route with a paid model');
    expect(reasonOf('vault-delete.403.regional-host')).toContain('a regional hostname');
  });
});

it('a requirement that is not selected does not make a run incomplete', async () => {
  const { controlUrl } = await reference({ capabilities: { inference: false } });
  const directory = folder();
  const flags = ['--only', 'vault-delete.*', '--depth', 'quick', '--report', directory];
  const { code } = await plumbline(['run', '--control', controlUrl, ...flags]);
  expect(code).toBe(0);
  const row = readReport(directory).requirements.find(({ id }) => id === 'inference.routed');
  expect([row?.status, row?.reason]).toEqual(['not-exercised', 'not selected']);
});

it('a run that is out of time reports the rest as inconclusive and gives back every world', async () => {
  const { controlUrl, worldCount } = await reference({ behaviour: slow(30).behaviour });
  const directory = folder();
  const flags = ['--max-time', '0.8', '--report', directory];
  const { code, stdout, ms } = await plumbline(['run', '--control', controlUrl, ...flags]);
  expect(code).toBe(4);
  expect(ms).toBeLessThan(5000);
  expect(stdout).toMatch(/^incomplete: /);
  expect(stdout.replace(/\s+/g, ' ')).toContain('out of time after 0.8 s');
  const { run, totals } = readReport(directory);
  expect(run.complete).toBe(false);
  expect(totals.fail).toBe(0);
  expect(worldCount()).toBe(0);
});
