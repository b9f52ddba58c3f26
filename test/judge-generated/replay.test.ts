import { describe, expect, it } from 'vitest';
import { readCasePath } from '../../judge/plan.js';
import type { Behaviour } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { longName } from '../../reference/mutants/conditions.js';
import type { Failure } from '../../spec/report.js';
import { allChecks } from '../../suites/all-checks.js';
import { behaveAsMutant } from '../behaviours.js';
import { listFailures } from '../report-rows.js';
import { generatedChecks, judge, listFailed } from './generated-run.js';

interface SubtleServer {
  readonly what: string;
  readonly behaviour: Partial<Behaviour>;
  /** The requirements that may report the violation. */
  readonly violates: RegExp;
  readonly shownBy: string;
}

const subtleServers: readonly SubtleServer[] = [
  {
    what: 'refuses names of exactly 97 characters',
    behaviour: { isSecretName: (name) => name.length !== 97 && conforming.isSecretName(name) },
    violates: /^secret-name\.accepts\./,
    shownBy: 'legal-signs',
  },
  {
    what: 'drops the message when the name is longer than 64',
    behaviour: {
      envelope: (call, given) =>
        longName(call) ? { error: { code: given.status } } : conforming.envelope(call, given),
    },
    violates: /^envelope\.error\.message$/,
    shownBy: 'valid-names',
  },
  {
    what: 'takes a along where a longer name that begins with it is deleted',
    behaviour: {
      removeSecret: (call, place) => {
        conforming.removeSecret(call, place);
        if (/^a./.test(place.name)) call.key?.world.secrets[place.scope].delete('a');
      },
    },
    violates: /^vault-delete\.204\.only-the-named$/,
    shownBy: 'sequences',
  },
];

function readCommand({ reproduce }: Failure) {
  const words = reproduce.command.split(' ');
  const after = (flag: string) => words.flatMap((word, at) => (words[at - 1] === flag ? [word] : []));
  return {
    only: after('--only'),
    seed: Number(after('--seed')[0]),
    path: readCasePath(after('--path')[0] ?? ''),
  };
}

function runCommand(failure: Failure, behaviour: SubtleServer['behaviour'], seed?: number) {
  const { only, path, seed: told } = readCommand(failure);
  if (path === undefined) throw new Error(`No path in ${failure.reproduce.command}`);
  return judge({ behaviour, checks: allChecks, only, plan: { seed: seed ?? told, replay: path } });
}

const known = new Map<SubtleServer, Promise<readonly Failure[]>>();

function findFailures(server: SubtleServer): Promise<readonly Failure[]> {
  const failing = known.get(server) ?? find(server);
  known.set(server, failing);
  return failing;
}

async function find({ behaviour, shownBy }: SubtleServer): Promise<readonly Failure[]> {
  const run = await judge({ behaviour, checks: propertyNamed(shownBy), plan: { seed: 4 } });
  expect(run.record.faults).toEqual([]);
  return listFailures(run.report);
}

// Only generated cases find these violations.
describe.each(subtleServers)('a server that $what', (server) => {
  it('the violation is found, and its command reproduces it in a few requests', async () => {
    const shown = await findFailures(server);
    expect(shown.filter(({ requirement }) => server.violates.test(requirement))).not.toEqual([]);
    for (const failure of shown.slice(0, 3)) {
      const again = await runCommand(failure, server.behaviour);
      expect(listFailed(again)).toContain(failure.requirement);
      expect(again.report.gate.exit_code).toBe(1);
      expect(again.requests).toBeLessThan(120);
    }
  });

  it('the command of a violation finds nothing on a conforming server and causes no error', async () => {
    for (const failure of (await findFailures(server)).slice(0, 1)) {
      const again = await runCommand(failure, {});
      expect(listFailed(again)).toEqual([]);
      expect(again.record.faults).toEqual([]);
      expect(again.record.judgements.reduce((sum, { cases }) => sum + cases, 0)).toBe(1);
      expect(again.requests).toBeLessThan(120);
    }
  });
});

it('a path of the walk does not depend on the seed', async () => {
  const [server] = subtleServers;
  const [failure] = server === undefined ? [] : await findFailures(server);
  if (server === undefined || failure === undefined) throw new Error('Nothing was found.');
  expect(readCommand(failure).path).toMatchObject({ property: 'legal-signs', block: 'walk', path: '96' });
  expect(listFailed(await runCommand(failure, server.behaviour, 99))).toContain(failure.requirement);
});

const propertyNamed = (name: string) => generatedChecks.filter(({ property }) => property === name);
const finalChecks = generatedChecks.filter(({ kind }) => kind === 'final');

it.concurrent('a case that alters another scope is found, shrunk and reproduced by its command', async () => {
  const behaviour = behaveAsMutant('vault-delete.400-takes-from-the-foreign-intern');
  const checks = [...propertyNamed('vault-pairs'), ...finalChecks];
  const run = await judge({ behaviour, checks, plan: { seed: 5, cases: 150 } });
  expect(listFailed(run)).toEqual(['vault-delete.400.keeps']);
  const [failure] = listFailures(run.report);
  if (failure === undefined) throw new Error('Nothing was found.');
  expect(readCommand(failure).path).toMatchObject({ property: 'vault-pairs', block: 0 });
  expect(listFailed(await runCommand(failure, behaviour))).toEqual(['vault-delete.400.keeps']);
  expect(listFailed(await runCommand(failure, {}))).toEqual([]);
});

it.concurrent('repeated refusals at depth deep reveal an outsider who passes later', async () => {
  const run = await judge({
    behaviour: behaveAsMutant('vault-delete.outsider-passes-after-a-second'),
    checks: propertyNamed('refused-again-vault-delete'),
    plan: { seed: 5, depth: 'deep' },
  });
  expect(listFailed(run)).toEqual(['vault-delete.404.outside-programme']);
});
