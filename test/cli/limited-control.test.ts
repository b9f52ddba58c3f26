import { expect, it } from 'vitest';
import { conforming } from '../../reference/conforming.js';
import { SCOPES } from '../../reference/vocabulary.js';
import { isObject } from '../../spec/json.js';
import type { RequirementId } from '../../spec/ledger.js';
import { behaveAsMutant } from '../behaviours.js';
import { findRow, idsWith } from '../report-rows.js';
import { serveReference } from '../servers.js';
import { type Alteration, type ControlCall, startAlteredControl } from './altered-control.js';
import { runInto } from './plumbline-process.js';

const flags = '--depth quick --seed 5 --only';

async function runOn(alteration: Alteration, only: string) {
  const control = await startAlteredControl(await serveReference(), alteration);
  const { code, report } = await runInto(`--control ${control.url} ${flags} ${only}`);
  return { code, report: report(), calls: control.calls };
}

// The status, the call, whether it is refused, what needs it, what is judged, and the exit code.
it.each<readonly [number, string, (call: ControlCall) => boolean, readonly RequirementId[], string, number]>([
  [
    400,
    'PUT /worlds/{id}/secrets/workspace/{name}',
    ({ method, path }) => method === 'PUT' && path.includes('/secrets/workspace/'),
    ['vault-delete.404.workspace-secret', 'vault-delete.204.only-this-scope'],
    'vault-delete.*',
    4,
  ],
  [
    404,
    'GET /worlds/{id}/secrets',
    ({ method, path }) => method === 'GET' && path.endsWith('/secrets'),
    ['vault-delete.204.only-this-scope'],
    'vault-delete.*',
    4,
  ],
  [
    422,
    'PUT /worlds/{id}/faults',
    ({ path }) => path.endsWith('/faults'),
    ['vault-delete.504.timeout', 'guardrail-read.500.internal', 'inference.502.model-down'],
    '*',
    4,
  ],
  // Requirements that need an optional capability do not make a run incomplete.
  [
    501,
    'PUT /worlds/{id}/credit',
    ({ method, path }) => method === 'PUT' && path.endsWith('/credit'),
    ['credit-limit.balance-restored', 'credit-limit.limit-restored'],
    'credit-limit.*',
    0,
  ],
])(
  'a call that is refused with %i (%s) leaves its requirements not exercised and is soon not repeated',
  async (status, call, isRefused, rows, only, exit) => {
    const answer = (asked: ControlCall) => (isRefused(asked) ? { status, body: { error: 'no' } } : undefined);
    const { code, report, calls } = await runOn({ answer }, only);
    expect([idsWith(report, 'fail'), idsWith(report, 'inconclusive')]).toEqual([[], []]);
    expect([code, report.run.complete]).toEqual([exit, true]);
    for (const id of rows) {
      const row = findRow(report, id);
      expect([id, row.status]).toEqual([id, 'not-exercised']);
      expect(row.reason).toContain(`the control call ${call}`);
      expect(row.reason).toContain(`was answered ${status})`);
    }
    // Checks that were running at the first refusal may call once more.
    const asked = new Map<string, number>();
    for (const { path, body } of calls.filter(isRefused)) {
      const kind = `${path.replace(/^\/worlds\/[^/]+|[^/]+$/g, '')} ${path.endsWith('faults') ? body : ''}`;
      asked.set(kind, (asked.get(kind) ?? 0) + 1);
    }
    expect(Math.max(...asked.values())).toBeLessThanOrEqual(20);
    expect(report.run.requests).toBeLessThanOrEqual(500);
  },
);

it.each([
  [2, 429],
  [8, 409],
])('a control that allows %i worlds and refuses more with %i leaves none open', async (allowed, status) => {
  let [open, refused] = [0, 0];
  const answer = ({ method, path }: ControlCall) => {
    if (method === 'DELETE') open -= 1;
    if (method !== 'POST' || path !== '/worlds') return undefined;
    if (open === allowed) {
      refused += 1;
      return { status, body: { error: 'too many worlds' } };
    }
    open += 1;
    return undefined;
  };
  const control = await startAlteredControl(await serveReference(), { answer });
  const few = '--seed 5 --cases 1 --only {key-info.*,vault-delete.404.*}';
  const { code, report } = await runInto(`--control ${control.url} ${few}`);
  expect([code, idsWith(report(), 'inconclusive')]).toEqual([0, []]);
  expect(report().run.slowed_down).toBeUndefined();
  expect(refused).toBeGreaterThan(0);
});

it('a control with a quota of secrets that refuses unusual values fails nothing, and leaves out what it cannot show', async () => {
  const stored = new Map<string, number>();
  const refused = new Set<string>();
  const answer = ({ method, path, body }: ControlCall) => {
    const [, , world = '', what] = path.split('/');
    const count = (stored.get(world) ?? 0) + 1;
    if (method === 'PUT' && what === 'secrets') stored.set(world, count);
    const isRefused =
      method === 'PUT' && ((what === 'secrets' && count > 60) || /"(?:label|description)":""/.test(body));
    if (isRefused) refused.add(what ?? '');
    return isRefused ? { status: 422, body: { error: 'no' } } : undefined;
  };
  const control = await startAlteredControl(await serveReference(), { answer });
  const only = '--seed 5 --cases 1 --only {vault-delete.204.*,key-info.200.*,guardrail-read.200.*}';
  const { report } = await runInto(`--control ${control.url} ${only}`);
  expect([idsWith(report(), 'fail'), idsWith(report(), 'inconclusive')]).toEqual([[], []]);
  expect([...refused].toSorted()).toEqual(['guardrail', 'keys', 'secrets']);
  for (const id of ['vault-delete.204.deleted', 'key-info.200.values', 'guardrail-read.200.values'] as const)
    expect(findRow(report(), id).status).toBe('pass');
});

it('a control that allows one world at a time is asked for two', async () => {
  let isOpen = false;
  const answer = ({ method, path }: ControlCall) => {
    if (method === 'DELETE') isOpen = false;
    if (method !== 'POST' || path !== '/worlds') return undefined;
    if (isOpen) return { status: 503, body: { error: 'one world at a time' } };
    isOpen = true;
    return undefined;
  };
  const { code, report } = await runOn({ answer }, 'guardrail-read.*');
  // A derived row that is inconclusive stops no gate.
  expect(code).toBe(0);
  expect(findRow(report, 'guardrail-read.404.unknown').status).toBe('pass');
  expect(findRow(report, 'guardrail-read.404.other-workspace')).toMatchObject({
    status: 'inconclusive',
    reason: expect.stringContaining('was answered 503 instead of 201; some checks need two worlds at a time'),
  });
});

it('a paid model whose id ends in :free is not taken for a free one, and its limits fail nothing', async () => {
  const rewrite: Alteration['rewrite'] = ({ path }, body) => {
    const { inference, ...rest } = body as { readonly inference: object };
    return path === '' ? { ...rest, inference: { ...inference, paid_model: 'acme/tiny:free' } } : body;
  };
  const { code, report } = await runOn({ rewrite }, '{inference,credit-limit,rate-limit}.*');
  expect([code, idsWith(report, 'fail'), idsWith(report, 'inconclusive')]).toEqual([4, [], []]);
  const { reason } = findRow(report, 'rate-limit.paid');
  expect(reason).toContain('needs an inference route with a paid model');
});

it('a call that is refused in one world only is repeated', async () => {
  let first: string | undefined;
  const answer: Alteration['answer'] = ({ method, path }) => {
    if (method !== 'PUT' || !path.includes('/secrets/workspace/')) return undefined;
    const world = path.split('/')[2];
    first ??= world;
    return world === first ? { status: 404, body: { error: 'there is no such world' } } : undefined;
  };
  const { code, report } = await runOn({ answer }, 'vault-delete.*');
  expect([code, idsWith(report, 'inconclusive')]).toEqual([0, []]);
  expect(idsWith(report, 'pass')).toContain('vault-delete.404.workspace-secret');
});

it('a run stores nothing in a scope that is not among the capability scopes, and says so', async () => {
  const scopes = SCOPES.filter((scope) => scope !== 'workspace');
  const control = await startAlteredControl(await serveReference({ capabilities: { scopes } }), {});
  const { code, report } = await runInto(`--control ${control.url} ${flags} vault-delete.*`);
  expect([code, idsWith(report(), 'inconclusive'), idsWith(report(), 'fail')]).toEqual([4, [], []]);
  expect(control.calls.filter(({ path }) => path.includes('/secrets/workspace/'))).toEqual([]);
  expect(findRow(report(), 'vault-delete.404.workspace-secret')).toMatchObject({
    status: 'not-exercised',
    reason: 'needs a way to store a secret for the scope "workspace"',
  });
});

it('a missing capability scopes means every scope', async () => {
  const rewrite: Alteration['rewrite'] = ({ path }, body) =>
    path === '' ? { ...(body as object), scopes: undefined } : body;
  const scoped = 'vault-delete.404.{workspace-secret,foreign-secret,other-intern}';
  expect((await runOn({ rewrite }, scoped)).code).toBe(0);
});

async function runWith(alteration: Alteration, only: string, mutantId?: string) {
  const options = mutantId === undefined ? {} : { behaviour: behaveAsMutant(mutantId) };
  const { url } = await startAlteredControl(await serveReference(options), alteration);
  const { code, report } = await runInto(`--control ${url} --depth quick --seed 5 --only ${only}`);
  return { code, report: report() };
}

/** Claims that a call succeeded, and does nothing. */
function swallows(pattern: RegExp): Alteration {
  const isSwallowed = ({ method, path }: ControlCall) => method === 'PUT' && pattern.test(path);
  return { answer: (call) => (isSwallowed(call) ? { status: 204 } : undefined) };
}

function swaps(one: string, other: string): Alteration {
  return {
    rewrite: ({ path }, body) => {
      if (path !== '/worlds') return body;
      const world = body as { readonly interns: Readonly<Record<string, string>> };
      const { [one]: first, [other]: second } = world.interns;
      return { ...world, interns: { ...world.interns, [one]: second, [other]: first } };
    },
  };
}

const withoutInspect = {
  rewrite: ({ path }: ControlCall, body: unknown) => {
    if (path !== '') return body;
    const offered = body as { readonly features: readonly string[] };
    return { ...offered, features: offered.features.filter((feature) => feature !== 'inspect') };
  },
};

const matchStoreClaim = (scope: string) =>
  new RegExp(
    `control call PUT /worlds/\\{id\\}/secrets/${scope}/\\{name\\} was answered 204, but GET /worlds/\\{id\\}/secrets does not list`,
  );
const matchInternClaim = (scope: string, other: string) =>
  new RegExp(
    `control call POST /worlds contradicts .* the intern "${scope}" is deleted at the id of "${other}" alone`,
  );

const vault = '{vault-delete,secret-name}.*';

// What is claimed, the reason that names the call, and some of the requirements that depend on it.
it.each<readonly [claim: string, Alteration, reason: RegExp, rows: readonly string[]]>([
  [
    'that faults are set',
    swallows(/\/faults$/),
    /control call PUT \/worlds\/\{id\}\/faults \{"faults":\["\w+"\]\} was answered 204, but no fault/,
    ['vault-delete.408.timeout', 'vault-delete.503.not-configured'],
  ],
  [
    'that secrets are stored',
    swallows(/\/secrets\//),
    matchStoreClaim('own'),
    ['vault-delete.204.deleted', 'vault-delete.204.takes-effect'],
  ],
  [
    'that one intern is another',
    swaps('own', 'sibling'),
    matchInternClaim('(?:own|sibling)', '(?:own|sibling)'),
    ['vault-delete.204.deleted'],
  ],
  [
    'that an intern is in the workspace',
    swaps('sibling', 'foreign'),
    matchInternClaim('sibling', 'foreign'),
    ['vault-delete.204.only-this-intern'],
  ],
])(
  'a control that falsely claims %s leaves its rows inconclusive',
  async (claim, alteration, reason, rows) => {
    const { code, report } = await runWith(alteration, vault);
    expect([code, idsWith(report, 'fail')]).toEqual([4, []]);
    const inconclusive = report.requirements.filter(({ status }) => status === 'inconclusive');
    expect(inconclusive.map(({ id }) => id)).toEqual(expect.arrayContaining([...rows]));
    const contradicted = { reason_code: 'control-contradicted', reason: expect.stringMatching(reason) };
    for (const row of inconclusive) expect(row).toMatchObject(contradicted);
    if (claim.includes('faults'))
      expect(idsWith(report, 'pass')).toContain('vault-delete.204.only-the-named');
  },
);

it('a run notices a false claim that faults are set without a list of the secrets too', async () => {
  const { code, report } = await runWith({ ...swallows(/\/faults$/), ...withoutInspect }, 'vault-delete.*');
  expect([code, idsWith(report, 'fail')]).toEqual([4, []]);
});

it('a run trusts a claim that secrets are stored if the control cannot list secrets', async () => {
  const { code, report } = await runWith({ ...swallows(/\/secrets\//), ...withoutInspect }, vault);
  expect([code, idsWith(report, 'fail')]).toEqual([1, ['vault-delete.204.deleted']]);
});

it('a false claim that secrets of the workspace are stored does not hide another violation', async () => {
  const alteration = swallows(/\/secrets\/workspace\//);
  const { code, report } = await runWith(alteration, 'vault-delete.*', 'vault-delete.rate-limit-503');
  expect([code, idsWith(report, 'fail')]).toEqual([1, ['vault-delete.429.rate-limited']]);
  expect(findRow(report, 'vault-delete.204.only-this-scope')).toMatchObject({
    ...{ status: 'inconclusive', reason_code: 'control-contradicted' },
    reason: expect.stringMatching(matchStoreClaim('workspace')),
  });
});

/** Starts a control that answers some of the calls that set something before it does what they ask. */
async function startLateControl(lateMs: number, isLate: (path: string) => boolean) {
  const reference = await serveReference();
  const answer = ({ method, path, body }: ControlCall) => {
    if (method !== 'PUT' || !isLate(path)) return undefined;
    // A world may be gone by then.
    const set = () => fetch(`${reference.controlUrl}${path}`, { method, body }).catch(() => undefined);
    setTimeout(() => void set(), lateMs);
    return { status: 204 };
  };
  return startAlteredControl(reference, { answer });
}

it('a run waits for stores of a control that take effect late, and says how long', async () => {
  const control = await startLateControl(150, (path) => path.includes('/secrets/'));
  const { code, report } = await runInto(`--control ${control.url} ${flags} vault-delete.*`);
  const { requirements, run } = report();
  expect(requirements.filter(({ status }) => status === 'fail' || status === 'inconclusive')).toEqual([]);
  expect(code).toBe(0);
  expect(run.notes[0]).toMatch(
    /^What the control stores or sets takes effect late here: the run waits [2-9]\d\d ms after each such call\.$/,
  );
});

it('a run waits for the settings of a control that take effect late too', async () => {
  const control = await startLateControl(300, () => true);
  const { code, report } = await runInto(`--control ${control.url} ${flags} rate-limit.**`);
  expect([code, idsWith(report(), 'fail'), idsWith(report(), 'inconclusive')]).toEqual([0, [], []]);
});

it('a run finds no violation if the control lists secrets as they were up to 400 ms ago', async () => {
  const kept = new Map<string, { readonly at: number; readonly body: unknown }>();
  const rewrite = ({ path }: ControlCall, body: unknown) => {
    if (!path.endsWith('/secrets')) return body;
    const now = performance.now();
    const before = kept.get(path) ?? { at: now, body: { secrets: [] } };
    const listing = now - before.at < 400 ? before : { at: now, body };
    kept.set(path, listing);
    return listing.body;
  };
  const control = await startAlteredControl(await serveReference(), { rewrite });
  const { code, report } = await runInto(`--control ${control.url} --seed 5 --only vault-delete.*`);
  expect([idsWith(report(), 'fail'), idsWith(report(), 'inconclusive'), code]).toEqual([[], [], 0]);
});

it('a service may add secrets of its own to a world', async () => {
  const begin = Date.now();
  const rewrite = ({ path }: ControlCall, body: unknown) => {
    const { secrets } = isObject(body) ? body : {};
    if (!path.endsWith('/secrets') || !Array.isArray(secrets)) return body;
    const count = Math.floor((Date.now() - begin) / 300);
    const added = Array.from({ length: count }, (_, at) => ({ scope: 'workspace', name: `rotated_${at}` }));
    return { secrets: [...secrets, ...added] };
  };
  const control = await startAlteredControl(await serveReference(), { rewrite });
  const { code, report } = await runInto(`--control ${control.url} --seed 5 --only vault-delete.401.*`);
  expect([idsWith(report(), 'fail'), code]).toEqual([[], 0]);
});

it('a run waits for keys of a control that take effect late, though the first ones did not', async () => {
  const worldTtlMs = 900_000;
  const seen = new Set<string>();
  const authenticate: typeof conforming.authenticate = (header, store) => {
    const key = conforming.authenticate(header, store);
    if (key === undefined) return undefined;
    const { id, expiresAt } = key.world;
    seen.add(id);
    const ageMs = performance.now() - (expiresAt - worldTtlMs);
    // The first keys, which the positive controls use, are known at once.
    return seen.size > 6 && ageMs < 300 ? undefined : key;
  };
  const { controlUrl } = await serveReference({ worldTtlMs, behaviour: { ...conforming, authenticate } });
  const { report } = await runInto(`--control ${controlUrl} ${flags} {vault-delete,key-info}.*`);
  expect(idsWith(report(), 'fail')).toEqual([]);
  expect(report().run.notes.join(' ')).toMatch(/A new world takes effect late here: the run waits \d+ ms/);
});
