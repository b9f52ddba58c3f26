import type { Check } from '../../judge/check.js';
import { counted } from '../../reports/amount-text.js';
import { ledger, type RequirementRow, requirement } from '../../spec/ledger.js';
import type { Need } from '../../spec/need.js';
import type { Operation } from '../../spec/vocabulary.js';
import { allChecks } from '../../suites/all-checks.js';
import type { Permissions } from '../../targets/capabilities.js';
import type { ProfileFinding } from '../../targets/diagnosis/probe-client.js';
import type { Profile } from '../../targets/profile/profile.js';
import type { Target } from '../../targets/target.js';
import { giftsFor } from './gifts.js';

const idsShown = 4;

/** The requirements whose plain success must stand beside those of an operation. */
const controlRows = {
  'vault-delete': 'vault-delete.204.deleted',
  'guardrail-read': 'guardrail-read.200.read',
  'key-info': 'key-info.200.read',
  inference: 'inference.routed',
} as const satisfies Readonly<Record<Operation, string>>;

/** What one gift would unlock: requirements that lack nothing else, and such as lack more. */
interface Unlock {
  readonly gift: string;
  readonly alone: readonly RequirementRow[];
  readonly withOthers: readonly RequirementRow[];
}

/** For each thing that a profile does not give, what giving it would unlock, the most first. */
export function examineUnlocks(
  target: Target,
  profile: Profile,
  permissions: Permissions,
): readonly ProfileFinding[] {
  return unlocksOf(target, profile, permissions).map(finding);
}

/** Says what a first key would unlock, and how to give it; undefined where no key unlocks anything by itself. */
export function describeFirstKey(
  target: Target,
  profile: Profile,
  permissions: Permissions,
): string | undefined {
  const first = unlocksOf(target, profile, permissions).find(
    ({ gift, alone }) => gift.startsWith('keys.') && alone.length > 0,
  );
  if (first === undefined) return undefined;
  const role = first.gift.slice('keys.'.length);
  return `A key of the role ${role} (--key ${role}=VALUE, or PLUMBLINE_KEY_${role.toUpperCase()}) would unlock ${told(first.alone)}. "plumbline doctor" lists what else would.`;
}

function unlocksOf(target: Target, profile: Profile, permissions: Permissions): readonly Unlock[] {
  const isOffered = (need: Need) => target.lacks(need) === undefined;
  const gifts = (needs: readonly Need[]) => giftsFor(needs, profile, permissions, isOffered);
  const lacking = ledger
    .filter(({ level, unseen }) => level !== 'silent' && unseen === undefined)
    .map((row) => [row, fewest(waysToSee(row).map(gifts))] as const);
  const all = new Set(lacking.flatMap(([, lacked]) => [...lacked]));
  return [...all]
    .map((gift): Unlock => {
      const rows = lacking.filter(([, lacked]) => lacked.has(gift));
      return {
        gift,
        alone: rows.filter(([, { size }]) => size === 1).map(([row]) => row),
        withOthers: rows.filter(([, { size }]) => size > 1).map(([row]) => row),
      };
    })
    .sort((one, other) => weight(other) - weight(one));
}

/** The needs of each check that can decide a requirement, its positive control's included. */
function waysToSee({ id, needs = [] }: RequirementRow): readonly (readonly Need[])[] {
  const deciding = allChecks.filter(({ decides }) => decides.includes(id));
  if (deciding.length === 0) return [needs];
  return deciding.map((check) => [...needs, ...needsOf(check)]);
}

function needsOf({ needs, control }: Check): readonly Need[] {
  return [...needs, ...(requirement(controlRows[control]).needs ?? [])];
}

function fewest(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return sets.reduce((best, set) => (set.size < best.size ? set : best), sets[0] ?? new Set<string>());
}

/** Musts count before the rest, and what one gift unlocks before what it takes several for. */
function weight({ alone, withOthers }: Unlock): number {
  return 1_000_000 * musts(alone) + 1_000 * musts(withOthers) + alone.length + withOthers.length;
}

function musts(rows: readonly RequirementRow[]): number {
  return rows.filter(({ level }) => level === 'must').length;
}

function finding({ gift, alone, withOthers }: Unlock): ProfileFinding {
  const parts = [
    ...(alone.length > 0 ? [`would unlock ${told(alone)}`] : []),
    ...(withOthers.length > 0 ? [`together with other things, ${told(withOthers)}`] : []),
  ];
  return { what: gift, state: 'missing', text: parts.join('; ') };
}

function told(rows: readonly RequirementRow[]): string {
  const mustsFirst = [...rows].sort(
    (one, other) => Number(other.level === 'must') - Number(one.level === 'must'),
  );
  const ids = mustsFirst.slice(0, idsShown).map(({ id }) => id);
  const more = rows.length - ids.length;
  const size =
    musts(rows) === rows.length
      ? counted(rows.length, 'must')
      : `${counted(rows.length, 'requirement')}, ${counted(musts(rows), 'must')} among them`;
  return `${size} (${ids.join(', ')}${more > 0 ? `, and ${more} more` : ''})`;
}
