import { expect, it } from 'vitest';
import { isUnproven } from '../../spec/report.js';
import { plumbline } from './plumbline-process.js';
import {
  byNames,
  byRequest,
  type Deployment,
  judge,
  profileFile,
  startDeployment,
} from './profile-deployment.js';

type Members = Readonly<Record<string, unknown>>;

function pick(members: unknown, ...names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(members as Members).filter(([name]) => names.includes(name)));
}

const profiles: readonly (readonly [string, (deployed: Deployment) => Promise<Members>])[] = [
  ['a member key alone', async ({ described: { target, keys } }) => ({ target, keys: pick(keys, 'member') })],
  [
    'a management key, one intern and a request that stores',
    async ({ described: { target, keys, interns, guardrail } }) => ({
      ...{ target, guardrail, store: byRequest, interns: pick(interns, 'own') },
      keys: pick(keys, 'member', 'management'),
    }),
  ],
  [
    'names that are stored already',
    async (deployed) => ({
      ...deployed.described,
      store: await byNames(deployed, { own: names('own'), sibling: names('sibling') }),
    }),
  ],
];

/** Enough names for whatever a run deletes. */
function names(intern: string): readonly string[] {
  return Array.from({ length: 60 }, (_, at) => `${intern}_${at}`);
}

it.each(profiles)(
  'plan, doctor and run agree on what would be exercised with %s',
  async (_words, describeProfile) => {
    const deployed = await startDeployment();
    const profile = await describeProfile(deployed);
    // The environment has only the keys that the profile names.
    const named = JSON.stringify(profile);
    const env = Object.fromEntries(Object.entries(deployed.env).filter(([name]) => named.includes(name)));
    const args = ['--profile', profileFile(profile)];
    const planned = await plumbline(['plan', ...args, '--depth', 'quick'], { env });
    const text = planned.stdout.replace(/\s+/g, ' ');
    const [, open, musts] = /(\d+) of the (\d+) selected musts/.exec(text) ?? [];
    const examined = await plumbline(['doctor', ...args], { env });
    const [, least, left, all] =
      /leave (at least )?(\d+) of the (\d+) musts unproven/.exec(examined.stdout) ?? [];
    expect(all).toBe(musts);
    // Stored names are used up, and only a rehearsal shows which checks use them.
    if (least === undefined) expect(left).toBe(open);
    else expect(Number(left)).toBeLessThanOrEqual(Number(open));
    const run = await judge({ ...deployed, described: {}, env }, { profile, flags: ['--depth', 'quick'] });
    expect(
      run.report.requirements.filter(isUnproven).map(({ id }) => id),
      run.stdout,
    ).toHaveLength(Number(open));
  },
);
