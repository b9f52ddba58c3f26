import { exitCodes } from '../spec/exit-codes.js';
import { matchesOf } from '../spec/id-patterns.js';
import type { Level, RequirementId } from '../spec/ledger.js';
import { type GateGround, isUnproven, type ReportedRequirement } from '../spec/report.js';
import type { Waiver } from './waivers.js';

/** What a gate is decided by; the verdict knows nothing of it. */
export interface Policy {
  /** The levels whose violations stop a release. */
  readonly decides: readonly Level[];
  /** Requirements, or patterns over their ids, that may stay unproven. */
  readonly excused: readonly { readonly requirement: string; readonly reason: string }[];
}

/** What decides where nobody says otherwise. */
export const defaultPolicy: Policy = { decides: ['must', 'derived'], excused: [] };

/** What a gate passes over, whatever the policy. */
export interface PassedOver {
  /** Violated requirements of which every violation is waived. */
  readonly waived?: readonly RequirementId[];
  /** Requirements that came after the release whose ledger the gate holds to. */
  readonly newer?: ReadonlySet<RequirementId>;
}

/** A requirement that stayed unproven and may. */
interface Excused {
  readonly id: RequirementId;
  readonly reason: string;
}

/** How a gate takes the requirements of a run. */
export interface GateDecision {
  readonly exitCode: 0 | 1 | 4;
  readonly excused: readonly Excused[];
  /** Newer requirements that would have decided. */
  readonly newer: readonly RequirementId[];
}

/**
 * Decides by a policy: a violation of a level that decides and is not waived, then a `must` that stayed unproven and is
 * not excused. What came after the ledger that the gate holds to decides nothing.
 */
export function decideGate(
  requirements: readonly ReportedRequirement[],
  policy: Policy,
  { waived = [], newer = new Set() }: PassedOver = {},
): GateDecision {
  const violated = requirements.filter(
    ({ id, level, status }) => status === 'fail' && policy.decides.includes(level) && !waived.includes(id),
  );
  const unproven = requirements.filter(isUnproven);
  const known = ({ id }: ReportedRequirement): boolean => !newer.has(id);
  const excused = findExcused(unproven.filter(known), policy);
  return {
    exitCode: chooseExitCode(violated.some(known), unproven.filter(known).length > excused.length),
    excused,
    newer: [...violated, ...unproven].filter((row) => !known(row)).map(({ id }) => id),
  };
}

function findExcused(unproven: readonly ReportedRequirement[], policy: Policy): readonly Excused[] {
  const matches = matchesOf(
    policy.excused.map(({ requirement }) => requirement),
    unproven.map(({ id }) => id),
  );
  return unproven.flatMap(({ id }) => {
    const excuse = policy.excused.find(({ requirement }) => matches.get(requirement)?.includes(id));
    return excuse === undefined ? [] : [{ id, reason: excuse.reason }];
  });
}

function chooseExitCode(isViolated: boolean, isIncomplete: boolean): GateDecision['exitCode'] {
  if (isViolated) return exitCodes['non-conformant'];
  return isIncomplete ? exitCodes.incomplete : exitCodes.conformant;
}

/**
 * The excuses of a policy that nothing in a run needed, although a requirement that they speak of was to be decided:
 * each may go.
 */
export function findUnneededExcuses(
  requirements: readonly ReportedRequirement[],
  selects: (id: RequirementId) => boolean,
  policy: Policy,
): readonly string[] {
  const patterns = policy.excused.map(({ requirement }) => requirement);
  const rows = requirements.filter(({ id }) => selects(id));
  const matches = matchesOf(
    patterns,
    rows.map(({ id }) => id),
  );
  return patterns.filter((pattern) => {
    const meant = rows.filter(({ id }) => matches.get(pattern)?.includes(id));
    return meant.length > 0 && !meant.some(isUnproven);
  });
}

/** What a gate passed over, and why. */
export interface GateReasons {
  readonly waived: readonly RequirementId[];
  readonly waivers: readonly Waiver[];
  readonly decision: Pick<GateDecision, 'excused' | 'newer'>;
  /** The release whose ledger the gate holds to. */
  readonly ledger: string | undefined;
}

const idsTold = 8;

/** Why a gate passed something over, the requirements of one ground together. */
export function explainGate({ waived, waivers, decision, ledger = '' }: GateReasons): readonly GateGround[] {
  return groupGrounds([
    ...waived.flatMap((id) => findGrounds(id, waivers)),
    ...explainExcuses(decision),
    ...decision.newer.map((id) => ({ code: 'newer', requirements: [id], ledger }) as const),
  ]);
}

/** What a policy excused, the requirements of one reason together. */
export function explainExcuses({ excused }: Pick<GateDecision, 'excused'>): readonly GateGround[] {
  return groupGrounds(excused.map(({ id, reason }) => ({ code: 'excused', requirements: [id], reason })));
}

function findGrounds(id: RequirementId, waivers: readonly Waiver[]): readonly GateGround[] {
  const own = waivers.filter((waiver) => waiver.id === id);
  // What a drawn case laid to this requirement is another's violation, and waived there.
  if (own.length === 0) return [{ code: 'shown-again', requirements: [id] }];
  return own.map(({ expires, owner, reason }) => ({
    ...{ code: 'waived', requirements: [id] },
    ...{ expires, owner, reason },
  }));
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

/** Puts a ground into words. */
export function renderGround(ground: GateGround): string {
  const { requirements } = ground;
  const more = requirements.length - idsTold;
  const listed = `${requirements.slice(0, idsTold).join(', ')}${more > 0 ? ` and ${more} more:` : ':'}`;
  return `${listed} ${renderWhy(ground)}`;
}

function renderWhy(ground: GateGround): string {
  switch (ground.code) {
    case 'waived':
      return `waived until ${ground.expires} (${ground.owner}): ${ground.reason}`;
    case 'shown-again':
      return 'a waived violation of another requirement, shown again';
    case 'excused':
      return `excused by the policy: ${ground.reason}`;
    case 'newer':
      return `came after ${ground.ledger}, so it only warns`;
  }
}
