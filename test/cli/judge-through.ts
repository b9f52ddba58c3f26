import { type Depth, requestsAtMost } from '../../judge/plan.js';
import { Run } from '../../judge/run.js';
import { Selection } from '../../judge/selection.js';
import { checksAt } from '../../suites/all-checks.js';
import { readProfile } from '../../targets/profile/read-profile.js';
import { openTarget } from '../../targets/target.js';

/** Judges what a profile describes, in this process, as `run` does; says how many requests that took. */
export async function judgeThrough(
  file: string,
  plan: { readonly depth: Depth; readonly seed: number },
): Promise<number> {
  const profile = await readProfile(file, process.env);
  const maxRequests = requestsAtMost[plan.depth];
  const { signal } = new AbortController();
  const target = await openTarget({
    profile,
    concurrency: 16,
    timeoutMs: 10_000,
    ...(maxRequests === undefined ? {} : { maxRequests }),
  });
  const selection = new Selection({ only: [], skip: [] });
  await new Run(target, { selection, plan, concurrency: 16, signal }).judgeAll(checksAt(plan.depth));
  await target.close();
  return target.client.sent;
}
