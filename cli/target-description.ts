import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Shard } from '../judge/plan.js';
import { UsageError } from '../spec/thrown.js';
import { interns, isUuid, roles } from '../spec/vocabulary.js';
import {
  assertKey,
  flagOf,
  type GivenValue,
  keyVariable,
  readEnvironmentKeys,
  writeLiteral,
} from '../targets/profile/given-values.js';
import type { Profile } from '../targets/profile/profile.js';
import type { TargetFlags } from './target.js';

/** The flags that describe a target; they override the environment and the profile. */
export interface DescriptionFlags extends TargetFlags {
  readonly key?: readonly GivenValue[];
  readonly intern?: readonly GivenValue[];
  readonly guardrail?: string;
  readonly header?: readonly GivenValue[];
}

/** Adds the flags that describe a target; each overrides the profile. */
export function addDescriptionFlags(command: Command): Command {
  return command
    .option('--key <role=value>', 'a key by its role; repeatable; also PLUMBLINE_KEY_<ROLE>', readKey)
    .option('--intern <name=uuid>', 'an intern: own, sibling or foreign; repeatable', readIntern)
    .option('--guardrail <uuid>', 'a guardrail that the management key may read', (given: string) =>
      assertUuid('--guardrail', given),
    )
    .option("--header <'name: value'>", 'a header for every request to the target; repeatable', readHeader);
}

// commander's own message for an invalid value repeats the value, which may be a secret: these errors do not.
function readKey(given: string, before: readonly GivenValue[] = []): readonly GivenValue[] {
  const [role, text] = split('--key', given, '=', 'ROLE=VALUE');
  if (!roles.some((one) => one === role))
    throw new UsageError(`--key: unknown role. Give one of ${roles.join(', ')}.`);
  assertKey(`--key ${role}`, text);
  return addOnce(before, { place: ['keys', role], text: writeLiteral(text) });
}

function readIntern(given: string, before: readonly GivenValue[] = []): readonly GivenValue[] {
  const [name, text] = split('--intern', given, '=', 'NAME=UUID');
  if (!interns.some((intern) => intern === name))
    throw new UsageError(`--intern: unknown name. Give one of ${interns.join(', ')}.`);
  return addOnce(before, { place: ['interns', name], text: assertUuid(`--intern ${name}`, text) });
}

function readHeader(given: string, before: readonly GivenValue[] = []): readonly GivenValue[] {
  const [name, text] = split('--header', given, ':', "'NAME: VALUE'");
  return addOnce(before, { place: ['headers', name], text: writeLiteral(text.trim()) });
}

function split(flag: string, given: string, separator: string, form: string): readonly [string, string] {
  const at = given.indexOf(separator);
  const [name, text] = [given.slice(0, at).trim(), given.slice(at + 1)];
  if (at < 1 || name === '') throw new UsageError(`${flag}: must be ${form}.`);
  if (text.trim() === '')
    throw new UsageError(
      `${flag} ${name}: the value is empty, most often because a variable is not set. Set the variable, or leave this out.`,
    );
  return [name, text];
}

function addOnce(before: readonly GivenValue[], one: GivenValue): readonly GivenValue[] {
  const flag = flagOf(one.place.join('.'));
  const key = normalizePlace(one);
  if (before.some((other) => normalizePlace(other) === key)) throw new UsageError(`${flag} is given twice.`);
  return [...before, one];
}

/** Returns the place as a text in which the case of a header name does not matter. */
function normalizePlace({ place }: GivenValue): string {
  return place.join('.').toLowerCase();
}

function assertUuid(where: string, id: string): string {
  if (!isUuid(id)) throw new UsageError(`${where}: not a UUID.`);
  return id;
}

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
  const keys = environment.filter((of) => !own.some((one) => normalizePlace(one) === normalizePlace(of)));
  const given = [...keys, ...own];
  const { makeProfile, readProfile } = await import('../targets/profile/read-profile.js');
  const described = await (profile === undefined
    ? makeProfile(process.env, given)
    : readProfile(profile, process.env, given));
  await announce(keys, profile);
  if (shard === undefined) return described;
  const { selectShardNames } = await import('../targets/store-recipes.js');
  return selectShardNames(described, shard);
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

/** Prints to standard error which environment variables give keys that the profile does not mention. */
async function announce(keys: readonly GivenValue[], profile: string | undefined): Promise<void> {
  const asked = profile === undefined ? '' : await readFile(profile, 'utf8');
  const names = keys
    .map(({ place: [, role = ''] }) => keyVariable(role))
    .filter((name) => !asked.includes(name));
  if (names.length > 0) process.stderr.write(`Using keys from the environment: ${names.join(', ')}.\n`);
}

/** Writes the flags for a command line, with variables in place of secrets. */
export function writeDescription({
  key = [],
  intern = [],
  guardrail,
  header = [],
}: DescriptionFlags): string {
  const name = ({ place: [, last = ''] }: GivenValue): string => last;
  return [
    ...key.map((one) => ` --key ${name(one)}="$${keyVariable(name(one))}"`),
    ...intern.map((one) => ` --intern ${name(one)}=${one.text}`),
    ...(guardrail === undefined ? [] : [` --guardrail ${guardrail}`]),
    ...header.map(
      (one) =>
        ` --header "${name(one)}: $${name(one)
          .toUpperCase()
          .replaceAll(/[^A-Z0-9]/g, '_')}"`,
    ),
  ].join('');
}
