import type { Report } from '../spec/report.js';
import type { JudgeOptions } from './judge-options.js';
import { judged } from './judged.js';
import { described, type JudgedTarget } from './judged-target.js';
import { planned } from './judging-plan.js';

/**
 * Judges a target as `plumbline run` does and resolves with the report, whatever the verdict: prints nothing, writes
 * nothing and leaves the process alone. Rejects with TypeError where the target or the options are wrong, and with
 * what is wrong with the profile.
 */
export async function judge(target: JudgedTarget, options: JudgeOptions = {}): Promise<Report> {
  const { report } = await judged(described(target), planned(options));
  return report;
}
