import type { RequirementId } from '../spec/ledger.js';
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
const byPolicy = 'excused by the policy: ';

/** Whether a line tells what the policy excused. */
export function isOfExcuse(note: string): boolean {
  return note.includes(`: ${byPolicy}`);
}

/** Why a gate passed something over, a line for each reason. */
export function gateNotes({ waived, waivers, decision, ledger }: GateReasons): readonly string[] {
  const grounds = [
    ...waived.flatMap((id) => groundsOf(id, waivers)),
    ...decision.excused.map(({ id, reason }) => ({ id, why: `${byPolicy}${reason}` })),
    ...decision.newer.map((id) => ({ id, why: `came after ${ledger}, so it only warns` })),
  ];
  const byReason = new Map<string, RequirementId[]>();
  for (const { id, why } of grounds) byReason.set(why, [...(byReason.get(why) ?? []), id]);
  return [...byReason].map(([why, ids]) => `${listed([...new Set(ids)])} ${why}`);
}

function groundsOf(id: RequirementId, waivers: readonly Waiver[]) {
  const own = waivers.filter((waiver) => waiver.id === id);
  // What a drawn case laid to this requirement is another's violation, and waived there.
  if (own.length === 0) return [{ id, why: 'a waived violation of another requirement, shown again' }];
  return own.map(({ expires, owner, reason }) => ({
    id,
    why: `waived until ${expires} (${owner}): ${reason}`,
  }));
}

function listed(ids: readonly RequirementId[]): string {
  const more = ids.length - idsTold;
  return `${ids.slice(0, idsTold).join(', ')}${more > 0 ? ` and ${more} more:` : ':'}`;
}
