import { describe, expect, it } from 'vitest';
import type { Report } from '../../spec/report.js';
import { folder } from '../folders.js';
import { type Alteration, type ControlCall, startAlteredControl } from './altered-control.js';
import { idsWith, plumbline, readReport } from './plumbline-process.js';
import { behaveAsMutant, serveReference } from './servers.js';

async function runWith(
  alteration: Alteration,
  { mutantId, only = [] }: { readonly mutantId?: string; readonly only?: readonly string[] } = {},
): Promise<{ readonly code: number | null; readonly report: Report }> {
  const behaviour = mutantId === undefined ? {} : { behaviour: behaveAsMutant(mutantId) };
  const { url } = await startAlteredControl(await serveReference(behaviour), alteration);
  const directory = folder();
  const { code } = await plumbline([
    'run',
    ...['--control', url, '--depth', 'quick', '--seed', '5', '--report', directory],
    ...only.flatMap((id) => ['--only', id]),
  ]);
  return { code, report: readReport(directory) };
}

/** Claims that a call succeeded, and does nothing. */
function swallows(pattern: RegExp): Alteration {
  return {
    answer: ({ method, path }) => (method === 'PUT' && pattern.test(path) ? { status: 204 } : undefined),
  };
}

type Interns = Readonly<Record<string, string>>;

function swaps(one: string, other: string): Alteration {
  return {
    rewrite: ({ path }: ControlCall, body) => {
      if (path !== '/worlds') return body;
      const world = body as { readonly interns: Interns };
      const { [one]: first, [other]: second } = world.interns;
      return { ...world, interns: { ...world.interns, [one]: second, [other]: first } };
    },
  };
}

const withoutInspect = (body: unknown) => {
  const offered = body as { readonly features: readonly string[] };
  return { ...offered, features: offered.features.filter((feature) => feature !== 'inspect') };
};

const faults = /\/faults$/;

interface FalseClaim {
  readonly claim: string;
  readonly alteration: Alteration;
  /** The reason in the report for requirements that depend on the call. */
  readonly names: RegExp;
  /** Some of the requirements that become inconclusive. */
  readonly rows: readonly string[];
  /** Requirements that the claim does not affect. */
  readonly passed?: readonly string[];
  /** The selection (default: everything). */
  readonly only?: readonly string[];
}

const matchStoreClaim = (scope: string) =>
  new RegExp(
    `control call PUT /worlds/\\{id\\}/secrets/${scope}/\\{name\\} was answered 204, but GET /worlds/\\{id\\}/secrets does not list`,
  );
const matchInternClaim = (scope: string, other: string) =>
  new RegExp(
    `control call POST /worlds contradicts .* the intern "${scope}" is deleted at the id of "${other}" alone`,
  );

const vault = ['{vault-delete,secret-name}.*'];

const claims: readonly FalseClaim[] = [
  {
    claim: 'that faults are set',
    alteration: swallows(faults),
    names: /control call PUT \/worlds\/\{id\}\/faults \{"faults":\["\w+"\]\} was answered 204, but no fault/,
    rows: ['vault-delete.408.timeout', 'vault-delete.503.not-configured'],
    passed: ['vault-delete.204.deleted', 'vault-delete.204.only-the-named'],
  },
  {
    claim: 'that secrets are stored',
    alteration: swallows(/\/secrets\//),
    names: matchStoreClaim('own'),
    rows: ['vault-delete.204.deleted', 'vault-delete.204.takes-effect'],
  },
  {
    claim: 'that secrets of the sibling are stored',
    only: vault,
    alteration: swallows(/\/secrets\/sibling\//),
    names: matchStoreClaim('sibling'),
    rows: ['vault-delete.204.only-this-intern', 'vault-delete.404.other-intern'],
  },
  {
    claim: 'that secrets of the workspace are stored',
    only: vault,
    alteration: swallows(/\/secrets\/workspace\//),
    names: matchStoreClaim('workspace'),
    rows: ['vault-delete.204.only-this-scope'],
  },
  {
    claim: 'that one intern is another',
    only: vault,
    alteration: swaps('own', 'sibling'),
    names: matchInternClaim('(?:own|sibling)', '(?:own|sibling)'),
    rows: ['vault-delete.204.deleted'],
  },
  {
    claim: 'that an intern is in the workspace',
    only: vault,
    alteration: swaps('sibling', 'foreign'),
    names: matchInternClaim('sibling', 'foreign'),
    rows: ['vault-delete.204.only-this-intern'],
  },
];

describe('a control that falsely claims', () => {
  it.each(claims)(
    'a control that falsely claims $claim fails no requirement: they are inconclusive and name the call',
    async ({ alteration, names, rows, passed = [], only = [] }) => {
      const { code, report } = await runWith(alteration, { only });
      expect(idsWith(report, 'fail')).toEqual([]);
      expect(code).toBe(4);
      const inconclusive = report.requirements.filter(({ status }) => status === 'inconclusive');
      expect(inconclusive.map(({ id }) => id)).toEqual(expect.arrayContaining([...rows]));
      expect(idsWith(report, 'pass')).toEqual(expect.arrayContaining([...passed]));
      for (const { id, reason, reason_code } of inconclusive)
        expect([id, reason_code, reason]).toEqual([id, 'control-contradicted', expect.stringMatching(names)]);
    },
    120_000,
  );

  it('a run notices a false claim that faults are set without a list of the secrets too', async () => {
    const alteration = {
      ...swallows(faults),
      rewrite: ({ path }: ControlCall, body: unknown) => (path === '' ? withoutInspect(body) : body),
    };
    const { code, report } = await runWith(alteration, { only: ['vault-delete.*'] });
    expect([code, idsWith(report, 'fail')]).toEqual([4, []]);
  });

  it('a run trusts a claim that secrets are stored if the control cannot list secrets', async () => {
    const alteration = {
      ...swallows(/\/secrets\//),
      rewrite: ({ path }: ControlCall, body: unknown) => (path === '' ? withoutInspect(body) : body),
    };
    const { code, report } = await runWith(alteration, { only: vault });
    expect([code, idsWith(report, 'fail')]).toEqual([1, ['vault-delete.204.deleted']]);
  });

  it('a false claim that secrets of the workspace are stored does not hide another violation', async () => {
    const { code, report } = await runWith(swallows(/\/secrets\/workspace\//), {
      mutantId: 'vault-delete.rate-limit-503',
      only: ['vault-delete.*'],
    });
    expect([code, idsWith(report, 'fail')]).toEqual([1, ['vault-delete.429.rate-limited']]);
  });
});

describe('servers behind an honest control', () => {
  it.each([
    ['that ignores one fault', 'vault-delete.rate-limit-ignored', 'vault-delete.429.rate-limited'],
    ['that ignores another', 'vault-delete.writes-disabled-ignored', 'vault-delete.503.writes-disabled'],
    ['that says 204 and deletes nothing', 'vault-delete.rate-limit-204', 'vault-delete.429.rate-limited'],
  ])('an honest control does not excuse a server %s', async (_what, mutantId, row) => {
    const { code, report } = await runWith({}, { mutantId, only: [row] });
    expect([code, idsWith(report, 'fail')]).toEqual([1, [row]]);
  });
});
