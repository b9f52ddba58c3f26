import { expect, test } from 'vitest';
import type { PlanFlags } from '../../cli/flags.js';
import { plan } from '../../cli/plan.js';
import { wholeRun } from '../../judge/plan.js';
import { isUnproven } from '../../spec/report.js';
import { startServer } from '../servers.js';
import { plumbline, runInto } from './plumbline-process.js';
import { withPrinted } from './printed.js';
import { byRequest, profileFile, startDeployment } from './profile-deployment.js';

const none = { allowDestructive: false, inference: false, reference: false, color: false };
const usual: PlanFlags = { depth: 'quick', seed: 7, only: [], skip: [], shard: wholeRun, ...none };

const ids = [1, 2, 3, 4, 5].map((last) => `00000000-0000-4000-8000-00000000000${last}`);
const [own = '', sibling = '', foreign = '', guardrail = '', workspace = ''] = ids;

const far = {
  target: { base_url: 'https://api.example.test/v1' },
  keys: { member: 'sk-member-of-nobody', management: 'sk-management-of-nobody' },
  interns: { own, sibling, foreign },
  guardrail: { id: guardrail, workspace_id: workspace },
  store: { command: { run: ['/nowhere/store'], scopes: ['own', 'sibling', 'workspace'] } },
  inference: { path: '/infer', paid_model: 'acme/dear', free_model: 'acme/none:free' },
};

/** Makes a plan; `amount` returns the number in front of some words. */
async function makePlan(profile: object | undefined, flags: Partial<PlanFlags> = {}) {
  const given = profile === undefined ? {} : { profile: profileFile(profile) };
  const { result: code, printed } = await withPrinted(() => plan({ ...usual, ...given, ...flags }));
  const text = printed.replace(/\s+/g, ' ');
  const amount = (words: string): number => {
    const found = new RegExp(`([\\d,]+) +${words}`).exec(text)?.[1];
    return found === undefined ? 0 : Number(found.replaceAll(',', ''));
  };
  return { code, text, amount };
}

test('plan without flags shows only reads, and fewer requests for a selection', async () => {
  const { code, text, amount } = await makePlan(far);
  expect(code).toBe(0);
  expect(text).toContain('to https://api.example.test/v1, if it conforms. Nothing was sent to it');
  expect(amount('reads of /key')).toBeGreaterThan(0);
  expect(amount('reads of guardrails')).toBeGreaterThan(0);
  expect(amount('in total')).toBe(
    amount('reads of /key') + amount('reads of guardrails') + amount('other requests to vault paths'),
  );
  expect(text).toContain('None: the run would only read.');
  expect(text).toMatch(
    /\d+ of the \d+ selected must requirements would not be exercised\. "plumbline doctor"/,
  );
  const some = await makePlan(far, { only: ['key-info.*'] });
  expect(some.amount('in total')).toBeLessThan(amount('in total'));
  expect(some.amount('reads of guardrails')).toBeLessThan(amount('reads of guardrails'));
});

test('plan with --allow-destructive shows every write, and with --inference the requests for a paid model', async () => {
  const { text, amount } = await makePlan(far, { allowDestructive: true });
  expect(amount('secrets stored')).toBeGreaterThan(0);
  expect(amount('deletes of secrets')).toBeGreaterThanOrEqual(amount('secrets stored'));
  expect(text).toContain('contain "plumb" and 8 random letters');
  expect(text).not.toContain('except for');
  expect(text).not.toContain('inference requests');
  const paid = await makePlan(far, { inference: true, only: ['inference.*'] });
  expect(paid.amount('inference requests for a paid model')).toBeGreaterThan(0);
});

test('plan says where it may use any name', async () => {
  const { text } = await makePlan(
    { ...far, disposable_interns: ['own'] },
    { allowDestructive: true, only: ['vault-delete.204.*'] },
  );
  expect(text).toContain('names of your own, except for intern own (disposable_interns).');
});

test('plan deletes names that are already stored and stores nothing', async () => {
  const store = { names: { own: ['plumb_one', 'plumb_two'] } };
  const flags = { allowDestructive: true, only: ['vault-delete.*'] };
  const { text, amount } = await makePlan({ ...far, store }, flags);
  expect(amount('secrets stored')).toBe(0);
  expect(text).toContain('The names in store.names are deleted and not stored again.');
});

test('plan shows the typical and the longest time at the given rate', async () => {
  const limits = { rate: 2, time: 30, concurrency: 3 };
  const only = ['{key-info,guardrail-read}.*'];
  const { text, amount } = await makePlan({ ...far, limits }, { only });
  expect(text).toContain('At most 30 s (--max-time)');
  expect(text).toContain('with 3 requests in flight and 2 per second.');
  const seconds = Math.round(amount('in total') / 2);
  expect(text).toContain(`About ${seconds} s if a response takes 50 ms`);
  const { text: flagged } = await makePlan({ ...far, limits }, { only, rate: 0.5, maxTime: 10_000 });
  expect(flagged).toContain('At most 10 s (--max-time)');
  expect(flagged).toContain('That exceeds the limit');
});

test('plan says that a request limit would stop the run early', async () => {
  const { text, amount } = await makePlan(far, { depth: 'standard', maxRequests: 20 });
  expect(amount('in total')).toBeLessThanOrEqual(20);
  expect(text).toContain('limit of 20 requests reached');
});

test('plan says that nothing would be judged without a key', async () => {
  const { code, text } = await makePlan({ target: far.target });
  expect(code).toBe(0);
  expect(text).toContain('No key is known for this target');
});

test('plan sends nothing to the target and prints no key', async () => {
  let asked = 0;
  const origin = await startServer((_request, response) => {
    asked += 1;
    response.end();
  });
  const target = { base_url: `${origin}/v1` };
  const { text } = await makePlan({ ...far, target }, { only: ['vault-delete.204.*'] });
  expect(asked).toBe(0);
  // On loopback no flag is needed.
  expect(text).toContain('secrets stored');
  for (const key of Object.values(far.keys)) expect(text).not.toContain(key);
});

test('run sends what plan said, and doctor, plan and run agree on what stays unproven', async () => {
  const { described, env } = await startDeployment();
  const { target, guardrail, interns } = described;
  const keys = { member: env.PLUMBLINE_KEY_MEMBER, management: env.PLUMBLINE_KEY_MANAGEMENT };
  const profile = { target, guardrail, interns, keys, store: byRequest };
  const { amount, text } = await makePlan(profile);
  const path = profileFile(profile);
  const { report } = await runInto(`--profile ${path} --depth quick --seed 7`);
  expect(amount('in total')).toBe(report().run.requests);
  const unproven = report().requirements.filter(isUnproven).length;
  const [, musts] = /(\d+) of the \d+ selected must requirements would/.exec(text) ?? [];
  const examined = await plumbline(['doctor', '--profile', path]);
  const [, left] = /not exercise (?:at least )?(\d+) of the/.exec(examined.stdout) ?? [];
  expect([Number(left), Number(musts)]).toEqual([unproven, unproven]);
});

test('plan shows the embedded server at depth quick without a profile, within its request limit', async () => {
  const { code, text, amount } = await makePlan(undefined);
  expect(code).toBe(0);
  expect(amount('in total')).toBeLessThanOrEqual(500);
  expect(amount('worlds \\(isolated tenants\\) opened')).toBeGreaterThan(0);
  expect(text).toContain('At most 500 requests (--max-requests).');
  expect(text).toMatch(/All \d+ selected must requirements would be exercised\./);
});

test('plan shows what one shard would send', async () => {
  const { text } = await makePlan(undefined, { shard: { index: 2, of: 3 }, only: ['key-info.*'] });
  expect(text).toMatch(/^Shard 2\/3 of a run at depth quick with --seed 7 would send about \d+ requests/);
});
