import { expect, it } from 'vitest';
import { FAULTS, FEATURES } from '../../reference/vocabulary.js';
import { ROLES } from '../../reference/world.js';
import { ledger, type RequirementId } from '../../spec/ledger.js';
import { type Report, type Status, statuses } from '../../spec/report.js';
import { behaveAsMutant, countTimes, isVault, makePage, replaceAnswers } from '../behaviours.js';
import { findRow, idsWith } from '../report-rows.js';
import { compileSchema } from '../spec/schemas.js';
import { type Judging, judgeReference } from './judge-reference.js';

const validate = compileSchema('report');

/** The reference, judged check by check: the variants, which the proof judges, all differ from it. */
const ofReference = judgeReference({ depth: 'quick' });

const withoutCapabilities = judgeReference({
  capabilities: {
    ...{ roles: ['member'], faults: [], features: [], scopes: [] },
    ...{ inference: false, regional: false, blockedOrigin: false },
  },
  depth: 'quick',
});

const mutant = behaveAsMutant('guardrail-read.data-missing');
const intermittent = replaceAnswers(
  (answer, call) => isVault(404)(answer, call) && countTimes(call) % 7 === 1,
  makePage(502),
);

const runs: readonly (readonly [string, Judging | typeof ofReference, string, number])[] = [
  ['of the reference', ofReference, 'conformant', 0],
  ['of a mutant', { only: ['guardrail-read.*'], depth: 'quick', behaviour: mutant }, 'non-conformant', 1],
  ['that is incomplete', withoutCapabilities, 'incomplete', 4],
  [
    'that is intermittent',
    { only: ['vault-delete.404.unknown-intern'], depth: 'quick', behaviour: intermittent },
    'incomplete',
    4,
  ],
];

it.each(runs)('the report of a run %s lists every requirement', async (_name, judging, verdict, exitCode) => {
  const { report } = await (judging instanceof Promise ? judging : judgeReference(judging));
  expect(report).toMatchObject({ verdict, gate: { exit_code: exitCode } });
  expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
  expect(report.requirements.map(({ id }) => id)).toEqual(ledger.map(({ id }) => id));
  for (const { id, level, status, reason, reason_code: code } of report.requirements) {
    const isOpen = status !== 'pass' && status !== 'fail';
    expect([id, reason !== null, code !== null]).toEqual([id, isOpen, isOpen]);
    if (level === 'silent') expect([id, status]).not.toEqual([id, 'fail']);
  }
  const count = (wanted: Status) => report.requirements.filter(({ status }) => status === wanted).length;
  expect(Object.entries(report.totals)).toEqual(statuses.map((status) => [status, count(status)]));
});

it('a run of the reference leaves nothing open, gives back every world, and names the checks that decide a requirement', async () => {
  const { report, worldsHeld, worldsLeft } = await ofReference;
  expect([idsWith(report, 'fail'), idsWith(report, 'inconclusive'), report.run.notes]).toEqual([[], [], []]);
  expect([worldsHeld, worldsLeft, report.totals['not-exercised']]).toEqual([0, 0, 0]);
  // With room for confirmation. How many worlds are opened, and so how many requests they cost, differs a little.
  expect(report.run.requests).toBeLessThanOrEqual(470);
  const checks = new Map(report.checks.map((check) => [check.id, check]));
  expect(checks.size).toBe(report.checks.length);
  for (const { id, checks: named } of report.requirements) {
    for (const name of named)
      expect([name, checks.get(name)?.requirements]).toEqual([name, expect.arrayContaining([id])]);
  }
  // A rule for every response counts answers, not cases of the run.
  const asking = report.checks.filter(({ id }) => !id.endsWith('/every-response'));
  expect(report.run.cases).toBe(asking.reduce((sum, { cases }) => sum + cases, 0));
});

const store = 'a way to store secrets (profile: store, control feature: secrets)';

const missing: Readonly<Partial<Record<RequirementId, string>>> = {
  'auth.disabled-key': 'a key of the role disabled',
  'guardrail-read.field.name': 'a key of the role management',
  'guardrail-read.500.internal':
    'a key of the role management; the fault guardrail_internal_error (control protocol)',
  'vault-delete.401.provisioning-key': `${store}; a key of the role provisioning`,
  'vault-delete.403.regional-host': `${store}; a regional hostname (regional_host or regional_base_url)`,
  'vault-delete.504.timeout': `${store}; the fault vault_timeout (control protocol)`,
  'vault-delete.204.only-this-scope': `${store}; a view of what is stored (control feature "inspect"); a way to store a secret for the scope "workspace"; a way to store a secret for the scope "foreign"`,
  'secret-name.accepts.shortest': store,
  'key-info.200.values': 'the control feature "key_info"',
  'rate-limit.day.large.allowed':
    'an inference route with a free model; a key of the role free_large; the control feature "free_usage"',
  'stream-error.id': 'an inference route with a model; the fault mid_stream_error (control protocol)',
  'inference.routed': 'an inference route with a model',
};

const without = <Word extends string>(words: readonly Word[], ...gone: readonly Word[]): readonly Word[] =>
  words.filter((word) => !gone.includes(word));

const findOpenMusts = ({ requirements }: Report) =>
  requirements.filter(({ status, level }) => status === 'not-exercised' && level === 'must');

it('a target without any capability is incomplete, and nothing fails', async () => {
  const { report, worldsLeft } = await withoutCapabilities;
  expect(report).toMatchObject({ verdict: 'incomplete', gate: { exit_code: 4 }, totals: { fail: 0 } });
  expect(idsWith(report, 'inconclusive')).toEqual([]);
  expect(findRow(report, 'key-info.200.read').status).toBe('pass');
  const unseen = findOpenMusts(report);
  expect(unseen.length).toBeGreaterThan(90);
  expect(unseen.filter(({ reason }) => !/^needs /.test(reason ?? ''))).toEqual([]);
  for (const [id, needs] of Object.entries(missing))
    expect([id, findRow(report, id as RequirementId).reason]).toEqual([id, `needs ${needs}`]);
  expect([report.run.notes, worldsLeft]).toEqual([[], 0]);
});

it('a requirement passes on one check while another check lacks a capability', async () => {
  const capabilities = { roles: without(ROLES, 'write_disabled'), faults: without(FAULTS, 'route_deadline') };
  const { report } = await judgeReference({ only: ['vault-delete.{503,408}.*'], capabilities });
  expect(report.verdict).toBe('conformant');
  expect(findRow(report, 'vault-delete.503.writes-disabled').status).toBe('pass');
  expect(findRow(report, 'vault-delete.408.timeout').status).toBe('pass');
});

it('a target without the optional capabilities is conformant, and its report says what they would show', async () => {
  const { report } = await judgeReference({
    depth: 'quick',
    capabilities: {
      roles: without(ROLES, 'free_large_exactly', 'free_small_second', 'expired_session'),
      features: without(FEATURES, 'credit', 'usage'),
      faults: FAULTS.slice(0, FAULTS.indexOf('provider_bad_response')),
      blockedOrigin: false,
    },
  });
  expect(report).toMatchObject({ verdict: 'conformant', gate: { exit_code: 0 } });
  const open = findOpenMusts(report);
  expect(Object.fromEntries(open.map(({ id, reason }) => [id, reason]))).toEqual({
    'guardrail-read.enforcement': 'needs the fault guardrail_blocks (control protocol)',
    'key-info.windows': 'needs the control feature "usage"',
    'key-info.byok-counting': 'needs the control feature "usage"',
    'auth.oauth-session': 'needs a key of the role expired_session',
    'inference.502.provider-response': 'needs the fault provider_bad_response (control protocol)',
    'inference.400.cors': 'needs an origin that CORS blocks (blocked_origin of the control protocol)',
    'inference.403.blocked': 'needs the fault guardrail_blocks (control protocol)',
    'inference.408.timeout': 'needs the fault inference_deadline (control protocol)',
    'stream-error.other-errors': 'no stream had started when the error occurred',
    'credit-limit.balance-restored': 'needs the control feature "credit"',
    'credit-limit.limit-restored': 'needs the control feature "credit"',
    'rate-limit.fallback': 'needs the fault one_provider_limited (control protocol)',
    'rate-limit.global': 'needs a key of the role free_small_second',
  });
  expect(open.every(({ optional }) => optional === true)).toBe(true);
});

it('a target with only a management key is judged on what that key can read', async () => {
  const { report } = await judgeReference({ capabilities: { roles: ['management'] }, depth: 'quick' });
  expect(idsWith(report, 'fail')).toEqual([]);
  expect(findRow(report, 'guardrail-read.200.read').status).toBe('pass');
  expect(findRow(report, 'auth.bearer').reason).toBe('needs a key of the role member');
  expect(report.verdict).toBe('incomplete');
});
