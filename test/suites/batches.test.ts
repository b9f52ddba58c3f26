import { describe, expect, it } from 'vitest';
import type { Behaviour, Call } from '../../reference/behaviour.js';
import type { Capabilities } from '../../reference/capabilities.js';
import type { Mutant } from '../../reference/mutant.js';
import { mutants } from '../../reference/mutants.js';
import type { Variant } from '../../reference/variant.js';
import { variants } from '../../reference/variants.js';
import { FAULTS } from '../../reference/vocabulary.js';
import { allChecks } from '../../suites/all-checks.js';
import { checkOf, ids, type Judging, judged, row } from '../judge/judged.js';
import { envelope, inPlace, times } from '../judge/wrong-answers.js';

const checks = allChecks;
const quick = (judging: Judging = {}) => judged({ ...judging, checks, depth: 'quick' });

/** A server of the catalogue, as it differs from the reference. */
function server(from: readonly (Mutant | Variant)[], id: string): Partial<Behaviour> {
  const found = from.find((one) => one.id === id);
  if (found === undefined) throw new Error(`There is no ${id} in the catalogue.`);
  return found.mutation;
}

const isDelete = ({ operation }: Call) => operation === 'vault-delete';
const isAs = (role: string) => (call: Call) => isDelete(call) && call.key?.role === role;

describe('the opening of a run on the reference server', () => {
  it('proves every must with room left for confirming, and asks no world for more than 50 deletes', async () => {
    const asked = new Map<string, number>();
    const { report, worldsLeft } = await quick({
      behaviour: {
        ...inPlace(
          (_answer, call) => {
            const world = call.key?.world.id;
            if (isDelete(call) && world !== undefined) asked.set(world, (asked.get(world) ?? 0) + 1);
            return false;
          },
          () => envelope(500),
        ),
      },
    });
    expect(report.verdict).toBe('conformant');
    expect(report.totals['not-exercised']).toBe(0);
    expect(report.run.requests).toBeLessThanOrEqual(450);
    expect(Math.max(...asked.values())).toBeLessThanOrEqual(50);
    expect(worldsLeft).toBe(0);
  });

  it.each<readonly [string, Partial<Capabilities>]>([
    ['one fault of a batch', { faults: FAULTS.filter((fault) => fault !== 'vault_rate_limited') }],
    ['keys of most roles', { roles: ['member', 'management'] }],
    [
      'everything but a key',
      { roles: ['member'], faults: [], features: [], inference: false, regional: false },
    ],
  ])('tells of a target without %s what it would take', async (_name, capabilities) => {
    const { report } = await quick({ capabilities });
    expect(ids(report, 'fail')).toEqual([]);
    expect(ids(report, 'inconclusive')).toEqual([]);
    const unseen = report.requirements.filter(
      ({ status, level }) => status === 'not-exercised' && level === 'must',
    );
    expect(unseen.filter(({ reason }) => !/^would take /.test(reason ?? '')).map(({ id }) => id)).toEqual([]);
  });

  it('leaves a row that one batch cannot show to what can', async () => {
    const faults = FAULTS.filter((fault) => fault !== 'vault_rate_limited');
    const { report } = await quick({ only: ['vault-delete.*'], capabilities: { faults } });
    expect(row(report, 'vault-delete.429.keeps').reason).toBe(
      'would take the fault vault_rate_limited (control protocol)',
    );
    expect(row(report, 'vault-delete.503.not-configured').status).toBe('pass');
  });
});

describe('a batch of refusals', () => {
  it.each([
    'vault-delete.every-third-provisioning-key-in',
    'vault-delete.body-lets-unscoped-key-in',
    'vault-delete.workspace-fallback-by-long-name',
    'vault-delete.scope-lookup-403-at-the-sibling',
    'vault-delete.a-read-deletes',
    'vault-delete.503-deletes-for-write-disabled-key',
    'vault-delete.found-once-more',
    'auth.key-without-scope-reads-guardrail',
    'credit-limit.overdrawn-served-every-third-time',
    'inference.model-down-504-streamed',
    'stream-error.every-second-without-provider',
    'rate-limit.header-limit-missing',
    'rate-limit.minute-missing-large',
  ])('sees %s', async (id) => {
    const violates = mutants.find((one) => one.id === id)?.violates ?? [];
    const { report } = await quick({ only: violates, behaviour: server(mutants, id) });
    expect(ids(report, 'fail')).toEqual([...violates]);
  });

  it.each<readonly [string, string]>([
    ['vault-delete.origin-403', 'vault-delete.204.*'],
    ['secret-name.strips-json-suffix', 'secret-name.*'],
    ['secret-name.compares-64-characters', 'vault-delete.404.*'],
    ['auth.disabled-key-served-once', 'auth.*'],
    ['auth.unknown-key-infers', 'credit-limit.*'],
  ])('sees %s where it is there for something else', async (id, area) => {
    const violates = mutants.find((one) => one.id === id)?.violates ?? [];
    const { report } = await quick({ only: [area, ...violates], behaviour: server(mutants, id) });
    expect(ids(report, 'fail')).toEqual(expect.arrayContaining([...violates]));
  });

  it.each(['query-refused', 'gates-in-turns', 'late-failures-delete'])(
    'accuses %s of nothing',
    async (id) => {
      const { report } = await quick({ only: ['vault-delete.*'], behaviour: server(variants, id) });
      expect(report.verdict).toBe('conformant');
    },
  );

  it('accuses a server that takes other schemes of an advisory row only', async () => {
    const { report } = await quick({ behaviour: server(variants, 'basic-accepted') });
    expect(ids(report, 'fail')).toEqual(['auth.other-scheme']);
    expect(report.verdict).toBe('conformant');
  });

  it('goes on after a wrong answer, so that one violation hides no other', async () => {
    const { report } = await quick({
      only: ['vault-delete.401.*'],
      behaviour: inPlace(
        (_answer, call) => isAs('provisioning')(call),
        () => ({ status: 204, headers: {} }),
      ),
    });
    expect(ids(report, 'fail')).toEqual(['vault-delete.401.provisioning-key']);
    expect(ids(report, 'pass')).toEqual(
      expect.arrayContaining([
        'vault-delete.401.missing-key',
        'vault-delete.401.unknown-key',
        'vault-delete.401.keeps',
      ]),
    );
  });

  it('asks once more for what counts at once, and thrice for what a disturbance can make', async () => {
    const wrong = async (status: 204 | 503) => {
      const answer = status === 204 ? { status, headers: {} } : envelope(status);
      const { report } = await quick({
        only: ['vault-delete.401.provisioning-key'],
        behaviour: inPlace(
          (_answer, call) => isAs('provisioning')(call),
          () => answer,
        ),
      });
      return checkOf(report, 'vault-delete.401.keeps/chain').failure?.confirmed;
    };
    expect(await wrong(204)).toBe('1/1');
    expect(await wrong(503)).toBe('3/3');
  });

  // Each repetition asks the same number of deletes: without something more between them the same one fails each time.
  it('takes a server that fails every so many deletes for disturbed', async () => {
    const { report } = await quick({
      only: ['vault-delete.403.*'],
      behaviour: inPlace(
        (_answer, call) => isDelete(call) && times(call) % 11 === 0,
        () => envelope(502),
      ),
    });
    expect(ids(report, 'fail')).toEqual([]);
  });
});
