import picomatch from 'picomatch';
import type { Level } from '../spec/ledger.js';
import type { ReportedRequirement } from '../spec/report.js';
import { isUnproven } from './unproven.js';
import { exitCodes } from './verdict.js';

/** What a gate is decided by; the verdict knows nothing of it. */
export interface Policy {
  /** The levels whose violations stop a release. */
  readonly decides: readonly Level[];
  /** Requirements, or patterns over their ids, that may stay unproven. */
  readonly excused: readonly { readonly requirement: string; readonly reason: string }[];
}

/** What decides where nobody says otherwise. */
export const usualPolicy: Policy = { decides: ['must', 'derived'], excused: [] };

/** A requirement that stayed unproven and may. */
interface Excused {
  readonly id: string;
  readonly reason: string;
}

/** How a gate takes the requirements of a run. */
export interface GateDecision {
  readonly exitCode: 0 | 1 | 4;
  readonly excused: readonly Excused[];
}

/** Decides by a policy: a violation of a level that decides, then a `must` that stayed unproven and is not excused. */
export function decided(requirements: readonly ReportedRequirement[], policy: Policy): GateDecision {
  const isExcusing = policy.excused.map(({ requirement, reason }) => ({
    matches: picomatch(requirement),
    reason,
  }));
  const unproven = requirements.filter(isUnproven);
  const excused = unproven.flatMap(({ id }) => {
    const row = isExcusing.find(({ matches }) => matches(id));
    return row === undefined ? [] : [{ id, reason: row.reason }];
  });
  const isViolated = requirements.some(
    ({ level, status }) => status === 'fail' && policy.decides.includes(level),
  );
  if (isViolated) return { exitCode: exitCodes['non-conformant'], excused };
  return {
    exitCode: unproven.length > excused.length ? exitCodes.incomplete : exitCodes.conformant,
    excused,
  };
}
