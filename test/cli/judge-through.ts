import type { Depth } from '../../judge/plan.js';
import { RunDeadline, resolveLimits } from '../../judge/run-limits.js';
import { Selection } from '../../judge/selection.js';
import { Session } from '../../judge/session.js';
import { allChecks } from '../../suites/all-checks.js';
import { readProfile } from '../../targets/profile/read-profile.js';

/** Judges what a profile describes, in this process, as `run` does; says how many requests that took. */
export async function judgeThrough(
  file: string,
  plan: { readonly depth: Depth; readonly seed: number },
): Promise<number> {
  const deadline = new RunDeadline(240_000);
  const profile = await readProfile(file, process.env);
  const session = await Session.open({
    address: { profile },
    checks: allChecks,
    selection: new Selection({ only: [], skip: [] }),
    plan,
    limits: resolveLimits({ depth: plan.depth }, undefined),
    timeoutMs: 10_000,
    deadline,
  });
  await session.judge();
  await session.close();
  deadline.release();
  return session.target?.client.sent ?? 0;
}
