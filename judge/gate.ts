import { exitCodes } from '../spec/exit-codes.js';
import { matchIds } from '../spec/id-patterns.js';
import type { RequirementId } from '../spec/ledger.js';
import { type GateGround, isUnproven, type Policy, type ReportedRequirement } from '../spec/report.js';
import type { Waiver } from './waivers.js';

/** The policy of a run without one. */
export const defaultPolicy: Policy = { decides: ['must', 'derived'], excused: [] };

type GateDecision = ReturnType<typeof decideGate>;

/**
 * Decides by a policy: first a failed requirement of a deciding level without waiver, then an unproven `must` without
 * excuse. Requirements newer than the ledger of the gate decide nothing; `newer` are those that would have stopped the
 * release.
 */
export function decideGate(
  requirements: readonly ReportedRequirement[],
  policy: Policy,
  ignored: { readonly waived?: readonly RequirementId[]; readonly newer?: ReadonlySet<RequirementId> } = {},
) {
  const { waived = [], newer = new Set() } = ignored;
  const violated = requirements.filter(
    ({ id, level, status }) => status === 'fail' && policy.decides.includes(level) && !waived.includes(id),
  );
  const unproven = requirements.filter(isUnproven);
  const known = ({ id }: ReportedRequirement): boolean => !newer.has(id);
  const open = unproven.filter(known);
  const matches = matchExcuses(policy.excused, open);
  const excused = open.flatMap(({ id }) => {
    const excuse = policy.excused.find(({ requirement }) => matches.get(requirement)?.includes(id));
    return excuse === undefined ? [] : [{ id, reason: excuse.reason }];
  });
  return {
    exitCode: violated.some(known)
      ? exitCodes['non-conformant']
      : exitCodes[open.length > excused.length ? 'incomplete' : 'conformant'],
    excused,
    newer: [...violated, ...unproven].filter((row) => !known(row)).map(({ id }) => id),
  };
}

function matchExcuses(excused: Policy['excused'], rows: readonly ReportedRequirement[]) {
  return matchIds(
    excused.map(({ requirement }) => requirement),
    rows.map(({ id }) => id),
  );
}

/** Finds the excuses of a policy that none of the selected requirements that they name needed. */
export function findUnneededExcuses(
  requirements: readonly ReportedRequirement[],
  selects: (id: RequirementId) => boolean,
  { excused }: Policy,
): readonly string[] {
  const rows = requirements.filter(({ id }) => selects(id));
  return [...matchExcuses(excused, rows)].flatMap(([pattern, ids]) => {
    const meant = rows.filter(({ id }) => ids.includes(id));
    return meant.length > 0 && !meant.some(isUnproven) ? [pattern] : [];
  });
}

/** Explains what a gate ignored, grouped by ground. `ledger` is the release whose ledger it uses. */
export function explainGate(
  decision: Pick<GateDecision, 'excused' | 'newer'>,
  waived: readonly RequirementId[],
  waivers: readonly Waiver[],
  ledger = '',
): readonly GateGround[] {
  const ofWaivers = waived.flatMap((id): readonly GateGround[] => {
    const own = waivers.filter((waiver) => waiver.id === id);
    // A drawn case showed the waived violation of another requirement.
    if (own.length === 0) return [{ code: 'shown-again', requirements: [id] }];
    return own.map(({ expires, owner, reason }) => ({
      ...{ code: 'waived', requirements: [id] },
      ...{ expires, owner, reason },
    }));
  });
  const ofNewer = decision.newer.map((id) => ({ code: 'newer', requirements: [id], ledger }) as const);
  return groupGrounds([...ofWaivers, ...explainExcuses(decision), ...ofNewer]);
}

/** Explains what a policy excused, grouped by reason. */
export function explainExcuses({ excused }: Pick<GateDecision, 'excused'>): readonly GateGround[] {
  return groupGrounds(excused.map(({ id, reason }) => ({ code: 'excused', requirements: [id], reason })));
}

function groupGrounds(grounds: readonly GateGround[]): readonly GateGround[] {
  const alike = new Map<string, GateGround>();
  for (const ground of grounds) {
    const { requirements, ...why } = ground;
    const key = JSON.stringify(why);
    const all = [...(alike.get(key)?.requirements ?? []), ...requirements];
    alike.set(key, { ...ground, requirements: [...new Set(all)] });
  }
  return [...alike.values()];
}

const idsShown = 8;

/** Puts a ground into one line. */
export function renderGround(ground: GateGround): string {
  const { requirements } = ground;
  const more = requirements.length - idsShown;
  const ids = `${requirements.slice(0, idsShown).join(', ')}${more > 0 ? ` and ${more} more:` : ':'}`;
  switch (ground.code) {
    case 'waived':
      return `${ids} waived until ${ground.expires} (${ground.owner}): ${ground.reason}`;
    case 'shown-again':
      return `${ids} a waived violation of another requirement, shown again`;
    case 'excused':
      return `${ids} excused by the policy: ${ground.reason}`;
    case 'newer':
      return `${ids} came after ${ground.ledger}, so it only warns`;
  }
}
