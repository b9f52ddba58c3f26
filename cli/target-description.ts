import { readFile } from 'node:fs/promises';
import type { Shard } from '../judge/plan.js';
import { resolveLimits } from '../judge/run-limits.js';
import { sanitizeLine } from '../reports/sanitize.js';
import { UsageError } from '../spec/thrown.js';
import { roles } from '../spec/vocabulary.js';
import { ControlError } from '../targets/control-client.js';
import { openTarget } from '../targets/open-target.js';
import {
  type GivenValue,
  isSamePlace,
  keyVariable,
  listUnknownKeys,
  readEnvironmentKeys,
  writeLiteral,
} from '../targets/profile/given-values.js';
import type { Profile } from '../targets/profile/profile.js';
import { makeProfile, readProfile } from '../targets/profile/read-profile.js';
import { selectShardNames } from '../targets/store-recipes.js';
import type { Target, TargetAddress } from '../targets/target.js';
import type { FlagsOf } from './flag-rows.js';
import type { descriptionFlags } from './flags.js';
import { findControl, type TargetFlags } from './target.js';

/** The flags that describe a target; they override the environment and the profile. */
export type DescriptionFlags = TargetFlags & FlagsOf<typeof descriptionFlags>;

/** Makes the profile, if one is needed, from file, environment and flags. Throws UsageError. */
export async function describeTarget(flags: DescriptionFlags, shard?: Shard): Promise<Profile | undefined> {
  const { target, control, profile, reference = false } = flags;
  const { key = [], intern = [], guardrail, header = [] } = flags;
  if (reference || control !== undefined) assertUndescribed(flags);
  const isDescribed =
    profile !== undefined || (control === undefined ? target !== undefined : header.length > 0);
  if (reference || !isDescribed) return undefined;
  const ids = guardrail === undefined ? [] : [{ place: ['guardrail', 'id'], text: guardrail }];
  const url = target === undefined ? [] : [{ place: ['target', 'base_url'], text: writeLiteral(target) }];
  const own = [...key, ...intern, ...ids, ...header, ...url];
  const environment = control === undefined ? readEnvironmentKeys(process.env) : [];
  const keys = environment.filter((of) => !own.some((one) => isSamePlace(one, of)));
  const given = [...keys, ...own];
  const described = await (profile === undefined
    ? makeProfile(process.env, given)
    : readProfile(profile, process.env, given));
  if (control === undefined) await announce(keys, profile);
  return shard === undefined ? described : selectShardNames(described, shard);
}

/** Throws UsageError for flags that a control protocol makes useless: it hands out keys and ids of its own. */
function assertUndescribed({ reference, ...flags }: DescriptionFlags): void {
  const used = (['key', 'intern', 'guardrail'] as const).find((flag) => flags[flag] !== undefined);
  const means = reference === true ? '--reference' : '--control';
  if (used !== undefined)
    throw new UsageError(
      `--${used} cannot be combined with ${means}, which has its own keys and IDs. Remove one of them.`,
    );
  if (flags.header === undefined) return;
  if (reference === true)
    throw new UsageError('--header cannot be combined with --reference. Remove one of them.');
  if (flags.target === undefined && flags.profile === undefined)
    throw new UsageError(
      '--header is sent to the server, not to its control protocol. Give the URL of the server too.',
    );
}

/** Prints to standard error which variables give keys that the profile does not mention, and which name no role. */
async function announce(keys: readonly GivenValue[], profile: string | undefined): Promise<void> {
  const asked = profile === undefined ? '' : await readFile(profile, 'utf8');
  const names = keys
    .map(({ place: [, role = ''] }) => keyVariable(role))
    .filter((name) => !asked.includes(name));
  if (names.length > 0) process.stderr.write(`Using keys from the environment: ${names.join(', ')}.\n`);
  const unused = listUnknownKeys(process.env).filter((name) => !asked.includes(name));
  if (unused.length > 0)
    process.stderr.write(
      `Ignored ${unused.join(', ')}: unknown role. PLUMBLINE_KEY_<ROLE> takes, in capitals, one of ${roles.join(', ')}.\n`,
    );
}

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

/** Writes the flags for a command line, with variables in place of secrets. */
export function writeDescription(flags: DescriptionFlags): string {
  const { key = [], intern = [], guardrail, header = [] } = flags;
  const name = ({ place: [, last = ''] }: GivenValue): string => last;
  const variable = (one: GivenValue) =>
    name(one)
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]/g, '_');
  return [
    ...key.map((one) => ` --key ${name(one)}="$${keyVariable(name(one))}"`),
    ...intern.map((one) => ` --intern ${name(one)}=${one.text}`),
    ...(guardrail === undefined ? [] : [` --guardrail ${guardrail}`]),
    ...header.map((one) => ` --header "${name(one)}: $${variable(one)}"`),
  ].join('');
}
