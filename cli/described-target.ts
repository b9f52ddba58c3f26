import { resolveLimits } from '../judge/run-limits.js';
import { sanitizeLine } from '../reports/sanitize.js';
import { ControlError } from '../targets/control-client.js';
import { openTarget } from '../targets/open-target.js';
import type { Target, TargetAddress } from '../targets/target.js';
import { findControl } from './target.js';
import { type DescriptionFlags, describeTarget } from './target-description.js';

/** Opens the target that flags describe; says so, with the outcome, and returns undefined if it cannot be reached. */
export async function openDescribedTarget(
  flags: DescriptionFlags & { readonly timeout: number },
  address: Pick<TargetAddress, 'permissions' | 'signal'> & Partial<TargetAddress>,
  outcome: string,
): Promise<Target | undefined> {
  const profile = await describeTarget(flags);
  const { concurrency, rate } = resolveLimits({ depth: 'standard' }, profile);
  try {
    return await openTarget({
      ...{ baseUrl: flags.target, control: findControl(flags), profile, concurrency, rate },
      timeoutMs: flags.timeout,
      ...address,
    });
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    process.stderr.write(`plumbline: ${sanitizeLine(error.message)}; ${outcome}.\n`);
    return undefined;
  }
}
