import { describe, expect, it } from 'vitest';
import { SCOPES } from '../../reference/vocabulary.js';
import type { Report } from '../../spec/report.js';
import { folder } from '../folders.js';
import { type AlteredControl, type ControlCall, startAlteredControl } from './altered-control.js';
import { idsWith, plumbline, readReport } from './plumbline-process.js';
import { serveReference } from './servers.js';

// The most requests that a whole run of the reference sends at depth quick.
const usual = 500;

async function runOn(
  { url }: Pick<AlteredControl, 'url'>,
  only?: string,
): Promise<{ readonly code: number | null; readonly report: Report }> {
  const directory = folder();
  const { code } = await plumbline([
    'run',
    ...['--control', url, '--depth', 'quick', '--seed', '5', '--report', directory],
    ...(only === undefined ? [] : ['--only', only]),
  ]);
  return { code, report: readReport(directory) };
}

const puts = (pattern: RegExp) => (call: ControlCall) => call.method === 'PUT' && pattern.test(call.path);

interface Refused {
  readonly name: string;
  readonly isRefused: (call: ControlCall) => boolean;
  /** Requirements that need the call. */
  readonly rows: readonly string[];
  readonly call: string;
  /** The selection (default: everything). */
  readonly only?: string;
  /** The exit code (default: 4). */
  readonly exit?: number;
}

const workspace: Refused = {
  name: 'stores in the scope workspace',
  isRefused: puts(/\/secrets\/workspace\//),
  rows: ['vault-delete.404.workspace-secret', 'vault-delete.204.only-this-scope'],
  call: 'PUT /worlds/{id}/secrets/workspace/{name}',
  only: 'vault-delete.*',
};

const refused: readonly Refused[] = [
  workspace,
  {
    name: 'the list of secrets',
    isRefused: ({ method, path }) => method === 'GET' && path.endsWith('/secrets'),
    rows: ['vault-delete.204.only-this-scope'],
    call: 'GET /worlds/{id}/secrets',
    only: 'vault-delete.*',
  },
  {
    name: 'one fault',
    isRefused: ({ path, body }) => path.endsWith('/faults') && body.includes('vault_timeout'),
    rows: ['vault-delete.504.timeout'],
    call: 'PUT /worlds/{id}/faults {"faults":["vault_timeout"]}',
    only: 'vault-delete.*',
  },
  {
    name: 'every fault',
    isRefused: ({ path }) => path.endsWith('/faults'),
    rows: ['vault-delete.504.timeout', 'guardrail-read.500.internal', 'inference.502.model-down'],
    call: 'PUT /worlds/{id}/faults',
  },
  // Requirements that need an optional capability do not make a run incomplete.
  {
    name: 'credit',
    isRefused: puts(/\/credit$/),
    rows: ['credit-limit.balance-restored', 'credit-limit.limit-restored'],
    exit: 0,
    only: 'credit-limit.*',
    call: 'PUT /worlds/{id}/credit',
  },
];

describe('a control that lists a call and refuses it', () => {
  const atQuick = refused.map((row, at) => {
    const status = [400, 404, 405, 422, 501][at % 5] ?? 404;
    return { ...row, status };
  });

  it.each(atQuick)(
    'a call that is refused with $status ($name) leaves its requirements not exercised and is soon not repeated',
    async ({ isRefused, rows, call, exit = 4, status, only }) => {
      const control = await startAlteredControl(await serveReference(), {
        answer: (asked) => (isRefused(asked) ? { status, body: { error: 'not offered' } } : undefined),
      });
      const { code, report } = await runOn(control, only);
      expect(idsWith(report, 'fail')).toEqual([]);
      expect(idsWith(report, 'inconclusive')).toEqual([]);
      expect([code, report.run.complete]).toEqual([exit, true]);
      for (const id of rows) {
        const row = report.requirements.find((one) => one.id === id);
        expect([id, row?.status]).toEqual([id, 'not-exercised']);
        expect(row?.reason).toContain(`the control call ${call}`);
        expect(row?.reason).toContain(`was answered ${status})`);
      }
      // Checks that were running at the first refusal may call once more.
      const asked = new Map<string, number>();
      for (const one of control.calls.filter(isRefused)) {
        const kind = `${one.path.replace(/^\/worlds\/[^/]+|[^/]+$/g, '')} ${one.path.endsWith('faults') ? one.body : ''}`;
        asked.set(kind, (asked.get(kind) ?? 0) + 1);
      }
      expect(Math.max(...asked.values())).toBeLessThanOrEqual(20);
      expect(report.run.requests).toBeLessThanOrEqual(usual);
    },
    120_000,
  );
});

it('a paid model whose id ends in :free is not taken for a free one, and its limits fail nothing', async () => {
  const control = await startAlteredControl(await serveReference(), {
    rewrite: ({ path }, body) => {
      const { inference, ...rest } = body as { readonly inference: object };
      return path === '' ? { ...rest, inference: { ...inference, paid_model: 'acme/tiny:free' } } : body;
    },
  });
  const { code, report } = await runOn(control, '{inference,credit-limit,rate-limit}.*');
  expect([code, idsWith(report, 'fail'), idsWith(report, 'inconclusive')]).toEqual([4, [], []]);
  const row = report.requirements.find(({ id }) => id === 'rate-limit.paid');
  expect(row?.reason).toContain('would take an inference route with a paid model');
}, 60_000);

it('a call that is refused in one world only is repeated', async () => {
  let worlds = 0;
  let first = '';
  const control = await startAlteredControl(await serveReference(), {
    answer: ({ method, path }) => {
      if (method !== 'PUT' || !path.includes('/secrets/workspace/')) return undefined;
      const world = path.split('/')[2] ?? '';
      if (worlds === 0) first = world;
      worlds += 1;
      return world === first ? { status: 404, body: { error: 'there is no such world' } } : undefined;
    },
  });
  const { code, report } = await runOn(control, 'vault-delete.*');
  expect([code, idsWith(report, 'inconclusive')]).toEqual([0, []]);
  expect(idsWith(report, 'pass')).toContain('vault-delete.404.workspace-secret');
});

describe('the capability scopes', () => {
  it('a run stores nothing if the capability scopes is empty, and says so', async () => {
    const scopes = SCOPES.filter((scope) => scope !== 'workspace');
    const control = await startAlteredControl(await serveReference({ capabilities: { scopes } }), {});
    const { code, report } = await runOn(control);
    expect([code, idsWith(report, 'inconclusive'), idsWith(report, 'fail')]).toEqual([4, [], []]);
    expect(control.calls.filter(({ path }) => path.includes('/secrets/workspace/'))).toEqual([]);
    const row = report.requirements.find(({ id }) => id === 'vault-delete.404.workspace-secret');
    expect([row?.status, row?.reason]).toEqual([
      'not-exercised',
      'would take a way to store a secret for the scope "workspace"',
    ]);
    expect(report.run.requests).toBeLessThanOrEqual(usual);
  }, 60_000);

  it('a missing capability scopes means every scope', async () => {
    const control = await startAlteredControl(await serveReference(), {
      rewrite: ({ path }, body) => (path === '' ? { ...(body as object), scopes: undefined } : body),
    });
    expect((await runOn(control, 'vault-delete.*')).code).toBe(0);
  });

  it('a capability scopes without own leaves the vault not exercised', async () => {
    const control = await startAlteredControl(
      await serveReference({ capabilities: { scopes: ['workspace'] } }),
      {},
    );
    const { code, report } = await runOn(control);
    expect([code, idsWith(report, 'inconclusive'), idsWith(report, 'fail')]).toEqual([4, [], []]);
    const row = report.requirements.find(({ id }) => id === 'vault-delete.204.deleted');
    expect(row?.status).toBe('not-exercised');
  });
});
