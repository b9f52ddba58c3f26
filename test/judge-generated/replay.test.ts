import { describe, expect, it } from 'vitest';
import { readPath } from '../../judge/plan.js';
import type { Failure } from '../../spec/report.js';
import { allChecks } from '../../suites/all-checks.js';
import { failed, failures, ran } from './generated-run.js';
import { type SubtleServer, subtleServers } from './subtle-servers.js';

/** What a command line asks for. */
function readCommand({ reproduce }: Failure) {
  const words = reproduce.command.split(' ');
  const after = (flag: string) => words.flatMap((word, at) => (words[at - 1] === flag ? [word] : []));
  return {
    only: after('--only'),
    seed: Number(after('--seed')[0]),
    path: readPath(after('--path')[0] ?? ''),
  };
}

/** Runs the line again, with every check that the command has. */
function replayed(failure: Failure, behaviour: SubtleServer['behaviour'], seed?: number) {
  const { only, path, seed: told } = readCommand(failure);
  if (path === undefined) throw new Error(`No path in ${failure.reproduce.command}`);
  return ran({ behaviour, checks: allChecks, only, plan: { seed: seed ?? told, replay: path } });
}

describe.each(subtleServers)('a server that $what', ({ behaviour, violates }) => {
  it('is found, and the line that is printed shows the violation again in a few requests', async () => {
    const found = await ran({ behaviour, plan: { seed: 4 } });
    expect(found.record.faults).toEqual([]);
    expect(failed(found).filter((id) => violates.test(id))).not.toEqual([]);
    for (const failure of failures(found)) {
      const again = await replayed(failure, behaviour);
      expect(failed(again)).toContain(failure.requirement);
      expect(again.report.gate.exit_code).toBe(1);
      expect(again.requests).toBeLessThan(80);
    }
  });
});

it('the line shows nothing on a server that conforms, and is no fault of the suite', async () => {
  for (const { behaviour } of subtleServers.slice(0, 3)) {
    const [failure] = failures(await ran({ behaviour, plan: { seed: 4 } }));
    if (failure === undefined) throw new Error('Nothing was found.');
    const again = await replayed(failure, {});
    expect(failed(again)).toEqual([]);
    expect(again.record.faults).toEqual([]);
    expect(again.record.judgements.reduce((sum, { cases }) => sum + cases, 0)).toBe(1);
    expect(again.requests).toBeLessThan(80);
  }
});

it('a path of the walk does not depend on the seed', async () => {
  const { behaviour } = subtleServers[0] ?? { behaviour: {} };
  const [failure] = failures(await ran({ behaviour, plan: { seed: 4 } }));
  if (failure === undefined) throw new Error('Nothing was found.');
  expect(readCommand(failure).path).toMatchObject({ property: 'valid-names', block: 'walk', path: '96' });
  expect(failed(await replayed(failure, behaviour, 99))).toContain(failure.requirement);
});
