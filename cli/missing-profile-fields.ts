import { formatGroupSize, shortList } from '../reports/wording.js';
import { ledger, type RequirementRow } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import { roles } from '../spec/vocabulary.js';
import { allChecks } from '../suites/all-checks.js';
import { isLoopback } from '../targets/agents.js';
import type { ProfileFinding } from '../targets/diagnosis/probe-client.js';
import { keyVariable } from '../targets/profile/given-values.js';
import type { Profile } from '../targets/profile/profile.js';
import type { Target } from '../targets/target.js';

/** A field of the profile or a flag of `run` that is not given, and the requirements that it would unlock. */
interface Unlock {
  readonly field: string;
  /** Requirements that need nothing else. */
  readonly alone: readonly RequirementRow[];
  readonly withOthers: readonly RequirementRow[];
}

/** The requirements that a client can see, and the fields that each still needs. */
type Needs = ReturnType<typeof findMissingFields>;

/** Describes which requirements each missing field would unlock, the most first. */
export function describeMissingFields(needs: Needs): readonly ProfileFinding[] {
  return findUnlocks(needs).map(describeUnlock);
}

/** Describes what a first key would unlock, and how to give it; undefined if no key alone unlocks anything. */
export function describeFirstKey(needs: Needs): string | undefined {
  const first = findUnlocks(needs).find(({ field, alone }) => field.startsWith('keys.') && alone.length > 0);
  if (first === undefined) return undefined;
  const role = first.field.slice('keys.'.length);
  return `A key of the role ${role} (--key ${role}=VALUE, or ${keyVariable(role)}) would unlock ${describeRows(first.alone)}. "plumbline doctor" lists what else would.`;
}

/** Describes how many musts a run would not exercise, as `plan` counts them. */
export function describeCoverage(needs: Needs, { store }: Profile): string {
  const musts = ledger.filter(({ level }) => level === 'must');
  const locked = needs.filter(
    ({ row, fields }) => row.level === 'must' && row.optional !== true && fields.size > 0,
  );
  // Each name can be deleted once, and a run may need more.
  const least = store?.names !== undefined ? 'at least ' : '';
  return `a run would not exercise ${least}${locked.length} of the ${musts.length} must requirements`;
}

/** Finds what a profile, or a flag of `run`, would have to give for each requirement. */
export function findMissingFields(target: Target, profile: Profile, allowDestructive: boolean) {
  const offers = (need: Need) => target.lacks(need) === undefined;
  const missing = (needs: readonly Need[]) =>
    new Set(
      needs.flatMap((need) => [
        ...(offers(need) ? [] : findFields(need, profile)),
        ...findFlags(need, profile, allowDestructive),
      ]),
    );
  return ledger
    .filter(({ level, unseen }) => level !== 'silent' && unseen === undefined)
    .map((row) => {
      const ways = findWays(row, offers).map(missing);
      const [fields = new Set<string>()] = ways.sort((one, other) => one.size - other.size);
      return { row, fields };
    });
}

const allNeeds: readonly Need[] = [
  ...new Set([...roles.map((role) => `role:${role}` as const), ...ledger.flatMap(({ needs = [] }) => needs)]),
];

/** Returns what each check that can decide a requirement needs for it, its positive control included. */
function findWays(row: RequirementRow, offers: (need: Need) => boolean): readonly (readonly Need[])[] {
  const { id, needs = [] } = row;
  const deciding = allChecks.filter(({ decides }) => decides.includes(id));
  const written = deciding.filter(({ kind }) => kind === 'written');
  if (deciding.length === 0) return [needs];
  // A generated check decides many rows, each only if its cases reach it.
  return (written.length > 0 ? written : deciding).map((check) => {
    const control = allChecks.find((one) => one.isControl && one.control === check.control);
    const base = [...check.needs, ...(control?.needs ?? [])];
    if (check.kind !== 'written' || check.decidableOn === undefined) return [...needs, ...base];
    // A check of many cases decides a requirement once one of its cases can be made.
    const { decidableOn } = check;
    const more = [[], ...allNeeds.map((need) => [need]), needs].find((added) =>
      decidableOn((need) => offers(need) || base.includes(need) || added.includes(need)).includes(id),
    );
    return [...base, ...(more ?? [...needs, 'worlds' as const])];
  });
}

function findUnlocks(rows: Needs): readonly Unlock[] {
  const all = new Set(rows.flatMap(({ fields }) => [...fields]));
  return [...all]
    .map((field): Unlock => {
      const locked = rows.filter(({ fields }) => fields.has(field));
      return {
        field,
        alone: locked.filter(({ fields }) => fields.size === 1).map(({ row }) => row),
        withOthers: locked.filter(({ fields }) => fields.size > 1).map(({ row }) => row),
      };
    })
    .sort((one, other) => rank(other) - rank(one));
}

/** Ranks musts before the rest, and what one field unlocks alone before what takes several. */
function rank({ alone, withOthers }: Unlock): number {
  return 1e6 * countMusts(alone) + 1e3 * countMusts(withOthers) + alone.length + withOthers.length;
}

function countMusts(rows: readonly RequirementRow[]): number {
  return rows.filter(({ level }) => level === 'must').length;
}

function describeUnlock({ field, alone, withOthers }: Unlock): ProfileFinding {
  const parts = [
    ...(alone.length > 0 ? [`would unlock ${describeRows(alone)}`] : []),
    ...(withOthers.length > 0
      ? [`with other fields, ${alone.length > 0 ? 'another' : 'would unlock'} ${describeRows(withOthers)}`]
      : []),
  ];
  return { what: field, state: 'missing', text: parts.join('; ') };
}

function describeRows(rows: readonly RequirementRow[]): string {
  const isMust = ({ level }: RequirementRow) => Number(level === 'must');
  const ids = rows.toSorted((one, other) => isMust(other) - isMust(one)).map(({ id }) => id);
  return `${formatGroupSize(rows)}: ${shortList(ids, 4)}`;
}

/** Returns the flags of `run` that a need takes on a target that is not on loopback. */
function findFlags(need: Need, { target }: Profile, allowDestructive: boolean): readonly string[] {
  if (isLoopback(target.base_url)) return [];
  if (need === 'store' && !allowDestructive) return ['the flag --allow-destructive'];
  return need.startsWith('inference') ? ['the flag --inference (inference requests cost money)'] : [];
}

const recipe = 'store, a way to store secrets';

/** Returns the fields of a profile that would meet a need, or the control protocol if none would. */
function findFields(need: Need, profile: Profile): readonly string[] {
  const [family = '', name = ''] = need.split(':');
  switch (family) {
    case 'role':
      return [`keys.${name}`];
    case 'intern':
      return [`interns.${name}`];
    case 'guardrail':
      return ['guardrail.id'];
    case 'store':
      if (name !== 'named') return findScopeFields('own', profile);
      return [profile.store === undefined ? recipe : 'store.http or store.command, in place of names'];
    case 'scope':
      return findScopeFields(name, profile);
    case 'any-name':
      return ['disposable_interns, with the intern own in it'];
    case 'regional':
    case 'regional-host':
      return ['target.regional_host'];
    case 'host-name':
      return ['target.base_url with a host name instead of an address'];
    case 'inference':
      return [
        profile.inference === undefined || name === ''
          ? 'inference, with its models'
          : `inference.${name}_model`,
      ];
    default:
      return ["the target's control protocol (run --control)"];
  }
}

/** Returns what a scope takes: a recipe that stores there, and for an intern also the intern's ID. */
function findScopeFields(scope: string, { store, interns }: Profile): readonly string[] {
  const isNamed = scope === 'workspace' || scope in interns;
  const fields = isNamed ? [] : [`interns.${scope}`];
  if (store === undefined) return [...fields, recipe];
  if (!isNamed) return fields;
  return [
    scope === 'foreign'
      ? 'store.scopes.foreign, with a key of that workspace'
      : `${scope} among the scopes of store`,
  ];
}
