import type { RequirementId } from '../spec/ledger.js';
import type { GateGround } from '../spec/report.js';
import type { GateDecision } from './gate.js';
import type { Waiver } from './waivers/waiver.js';

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
    ...waived.flatMap((id) => groundsOf(id, waivers)),
    ...explainExcuses(decision),
    ...decision.newer.map((id) => ({ code: 'newer', requirements: [id], ledger }) as const),
  ]);
}

/** What a policy excused, the requirements of one reason together. */
export function explainExcuses({ excused }: Pick<GateDecision, 'excused'>): readonly GateGround[] {
  return groupGrounds(excused.map(({ id, reason }) => ({ code: 'excused', requirements: [id], reason })));
}

function groundsOf(id: RequirementId, waivers: readonly Waiver[]): readonly GateGround[] {
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
