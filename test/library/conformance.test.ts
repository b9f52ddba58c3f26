import type { RequestListener } from 'node:http';
import { expect, it, test, vi } from 'vitest';
import { conformance, type TestContext, type TestFunction } from '../../library/conformance.js';
import type { JudgeOptions } from '../../library/judge-options.js';
import type { JudgedTarget } from '../../library/judged-target.js';
import { judge } from '../../library/plumbline.js';
import { type ReferenceServerOptions, referenceServer } from '../../reference/reference-server.js';
import type { Report } from '../../spec/report.js';
import { serveReference, startServer } from '../servers.js';

/** What became of a test, and the words for it. */
type TestEnd = readonly ['passed' | 'failed' | 'skipped', string];

/** A test runner of a few lines, which runs the tests in the order it is given, or all at once. */
class Runner {
  readonly #bodies = new Map<string, (context: TestContext) => Promise<void>>();
  readonly timeouts = new Set<number>();

  readonly test: TestFunction = (name, { timeout }, body) => {
    this.#bodies.set(name, body);
    this.timeouts.add(timeout);
  };

  get names(): readonly string[] {
    return [...this.#bodies.keys()];
  }

  async run(signal = new AbortController().signal): Promise<ReadonlyMap<string, TestEnd>> {
    // Gives each test its own signal, as vitest and node:test do.
    const run = (body: (context: TestContext) => Promise<void>) => runTest(body, AbortSignal.any([signal]));
    const all = [...this.#bodies].map(async ([name, body]) => [name, await run(body)] as const);
    return new Map(await Promise.all(all));
  }
}

async function runTest(body: (context: TestContext) => Promise<void>, signal: AbortSignal): Promise<TestEnd> {
  let skipped: string | undefined;
  const skip = (reason?: string) => {
    skipped = reason ?? '';
  };
  try {
    await body({ skip, signal });
  } catch (error) {
    return ['failed', String(error)];
  }
  return skipped === undefined ? ['passed', ''] : ['skipped', skipped];
}

async function run(target: JudgedTarget, options: JudgeOptions): Promise<ReadonlyMap<string, TestEnd>> {
  const runner = new Runner();
  conformance(runner.test, target, options);
  return runner.run();
}

const endings = { pass: 'passed', fail: 'failed', inconclusive: 'failed', skipped: 'skipped' } as const;

/** Returns the expected result of each test, given the outcomes of the checks in a report. */
function predictEndings(names: Iterable<string>, { checks, gate }: Report): Record<string, TestEnd[0]> {
  const findTest = (name: string) => endings[checks.find(({ id }) => id === name)?.outcome ?? 'skipped'];
  const tests = [...names].map((name) => [name, findTest(name)] as const);
  return { ...Object.fromEntries(tests), 'the verdict': gate.exit_code === 0 ? 'passed' : 'failed' };
}

const some = { only: ['key-info.200.*', 'rate-limit.minute.*'], depth: 'quick', seed: 3 } as const;
const broken: ReferenceServerOptions = { mutant: 'key-info.figures-of-member' };

it.each<[string, ReferenceServerOptions]>([
  ['the reference', {}],
  ['a mutant', broken],
  ['a variant that offers little', { variant: 'offers-no-free-usage' }],
])('the tests for %s end as judge reports', async (_name, which) => {
  const results = await run(referenceServer(which), some);
  const report = await judge(referenceServer(which), some);
  const statuses = Object.fromEntries([...results].map(([name, [status]]) => [name, status]));
  expect(statuses).toEqual(predictEndings(results.keys(), report));
  expect([...results.keys()].at(-1)).toBe('the verdict');
});

it('a failed test shows the statement, the request and the command that reproduces it', async () => {
  const results = await run(referenceServer(broken), { only: ['key-info.200.*'], cases: 1, seed: 3 });
  const failed = [...results].filter(([, [status]]) => status === 'failed');
  // One after another, in parallel, and before the other key was ever set.
  expect(failed.map(([name]) => name)).toEqual([
    'key-info.200.own-figures',
    'key-info.200.own-figures/in-parallel',
    'key-info.200.own-figures/never-set',
    'the verdict',
  ]);
  const [, [, words]] = failed[0] ?? ['', ['', '']];
  expect(words).toMatch(/§[\d.]+, must: .+\n {2}.+/);
  expect(words).toMatch(
    /Confirmed: .*3 of 3.*\n {2}Reproduce: conformance\(test, app, \{ only: \['key-info.+'\] \}\);\n {2}curl -i .+/,
  );
  expect(results.get('the verdict')?.[1]).toMatch(/non-conformant: \d+ must .*failed/);
});

it('only selected requirements become tests', () => {
  const runner = new Runner();
  conformance(runner.test, referenceServer(), { only: ['key-info.exhausted'], maxTime: 60 });
  expect(runner.names).toEqual(['key-info.exhausted', 'credit-limit.limit-restored/set', 'the verdict']);
  expect([...runner.timeouts]).toEqual([90_000]);
});

it('nothing is judged before a test runs', async () => {
  const asked = vi.fn();
  conformance(new Runner().test, asked);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked).not.toHaveBeenCalled();
});

it('a test fails if its must is not exercised or inconclusive, and says what would unlock or excuse it', async () => {
  const { controlUrl } = await serveReference({ capabilities: { roles: ['member'] } });
  const only = ['key-info.200.read', 'guardrail-read.404.unknown'];
  const results = await run({ control: controlUrl }, { only, cases: 1 });
  expect([...results.values()].filter(([status]) => status === 'failed')).toHaveLength(1);
  expect(results.get('the verdict')?.[1]).toMatch(
    /incomplete: .+ inconclusive or not exercised\n {2}needs .+: guardrail-read\.404/,
  );
  const policy = { excused: [{ requirement: 'guardrail-read.*', reason: 'staging has no such key' }] };
  const excused = await run({ control: controlUrl }, { only, cases: 1, policy });
  expect(excused.get('the verdict')).toEqual(['passed', '']);
});

it('no test passes if nothing could be judged', async () => {
  const origin = await startServer((_request, response) => response.writeHead(404).end());
  const results = await run({ control: `${origin}/control` }, { only: ['auth.**'] });
  const statuses = [...results].map(([name, [status]]) => [name === 'the verdict', status].join());
  expect([...new Set(statuses)].sort()).toEqual(['false,skipped', 'true,failed']);
  expect(results.get('the verdict')?.[1]).toContain('unjudged: ');
});

it('every test fails if the profile is invalid', async () => {
  const results = await run({ profile: 'no-such-profile.yaml' }, { only: ['auth.**'] });
  expect([...new Set([...results.values()].map(([status]) => status))]).toEqual(['failed']);
  expect(results.get('the verdict')?.[1]).toContain('no-such-profile.yaml: does not exist');
});

it('an advisory violation fails no test unless the policy says so', async () => {
  const only = ['secrecy.key-echo', 'key-info.200.read'];
  const isFailed = ([status]: TestEnd) => status === 'failed';
  const lenient = [...(await run(makeEchoing(), { only, cases: 1 })).values()];
  expect(lenient.filter(isFailed)).toEqual([]);
  expect(lenient.join()).toContain('failed, but does not decide: ');
  const policy = { decides: ['must', 'derived', 'advisory'] } as const;
  const strict = [...(await run(makeEchoing(), { only, cases: 1, policy })).values()];
  expect(strict.filter(isFailed)).toHaveLength(2);
});

/** The reference, which repeats in a header the key it was asked with. */
function makeEchoing(): RequestListener {
  const [handle] = referenceServer().listeners('request') as RequestListener[];
  return (request, response) => {
    response.setHeader('X-Asked-With', request.headers.authorization ?? '');
    handle?.(request, response);
  };
}

it('stopping a test ends the run', async () => {
  const target = await serveReference();
  const runner = new Runner();
  const stop = new AbortController();
  conformance(runner.test, { control: target.controlUrl }, { depth: 'deep' });
  const running = runner.run(stop.signal);
  await vi.waitUntil(() => target.worldCount() > 3);
  stop.abort();
  expect((await running).get('the verdict')?.[1]).toContain('exit code 130: the run was interrupted');
  expect(target.worldCount()).toBe(0);
});

// An extended `test` of vitest finds the fixtures that a body asks for in its source text.
conformance(test.extend({ fixture: 1 }), referenceServer(), { only: ['key-info.200.read'] });
