import { expect, it } from 'vitest';
import { behaveAsMutant } from '../behaviours.js';
import { idsWith } from '../report-rows.js';
import { serveReference } from '../servers.js';
import { type Alteration, type ControlCall, startAlteredControl } from './altered-control.js';
import { runInto } from './plumbline-process.js';

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
    'that secrets of the workspace are stored',
    swallows(/\/secrets\/workspace\//),
    matchStoreClaim('workspace'),
    ['vault-delete.204.only-this-scope'],
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
  'a control that falsely claims %s fails no requirement: they are inconclusive and name the call',
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
});
