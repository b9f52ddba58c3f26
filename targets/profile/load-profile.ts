import { dirname, resolve } from 'node:path';
import { UsageError } from '../../spec/thrown.js';
import { type Role, roles } from '../../spec/vocabulary.js';
import type { InferenceRoute } from '../control-client.js';
import { schemaFaults } from '../schema-errors.js';
import {
  faultLines,
  placeText,
  pointerOf,
  readYamlFile,
  type YamlFault,
  type YamlValue,
} from '../yaml-file.js';
import { ProfileDraft, type TakenValue, withEnvironment } from './environment.js';
import { flagOf, type GivenValue, withGivenValues } from './given-values.js';
import {
  type CommandRecipe,
  type HttpRecipe,
  literalCredentials,
  type Profile,
  type ProfilePolicy,
  type ProfileTls,
  type StoredIntern,
  type StoredNames,
  type StoreRecipe,
} from './profile.js';
import {
  addressFaults,
  headerFaults,
  internFaults,
  policyFaults,
  storeFaults,
  tlsFaults,
  tlsFiles,
} from './profile-rules.js';

/** A profile cannot be used: told in one line for each fault, exit code 2. No line holds a secret. */
export class ProfileError extends UsageError {
  override readonly name = 'ProfileError';

  /** Takes all faults, one line each: `plumbline.yaml:12: keys.member: …`. */
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

/**
 * Reads and checks the profile at a path, with `${NAME}` taken from the environment. Throws ProfileError with
 * everything that is wrong with it, in the order of the lines.
 * @param given what stands in place of what the file says
 */
export async function readProfile(
  path: string,
  env: NodeJS.ProcessEnv,
  given: readonly GivenValue[] = [],
): Promise<Profile> {
  const yaml = await yamlAt(path);
  return checkedProfile(yaml, { env, given, path });
}

/** Makes a profile of given values alone. Throws ProfileError. */
export async function makeProfile(env: NodeJS.ProcessEnv, given: readonly GivenValue[]): Promise<Profile> {
  return checkedProfile({ value: {}, faults: [], lineOf: () => 1 }, { env, given });
}

/** Where the values of a profile come from, and the file, where there is one. */
interface ProfileSources {
  readonly env: NodeJS.ProcessEnv;
  readonly given: readonly GivenValue[];
  readonly path?: string;
}

async function checkedProfile(yaml: YamlValue, { env, given, path }: ProfileSources): Promise<Profile> {
  const filled = withEnvironment(withGivenValues(yaml.value, given), env);
  const { value, faults, unfilled, taken } = filled;
  const draft = new ProfileDraft(value, unfilled);
  const folder = path === undefined ? process.cwd() : dirname(resolve(path));
  const found = [
    ...yaml.faults,
    ...faults,
    ...schemaFaults('profile.schema.json', value).filter(({ place }) => !unfilled.has(pointerOf(place))),
    ...addressFaults(draft),
    ...headerFaults(draft),
    ...internFaults(draft),
    ...storeFaults(draft),
    ...policyFaults(draft),
    ...(await tlsFaults(draft, folder)),
  ];
  if (found.length > 0)
    throw new ProfileError(path === undefined ? flagLines(found) : faultLines(path, found, yaml));
  return withDefaults(value as ProfileMembers, { folder, taken, given });
}

/** Faults as lines of text that name flags in place of members. */
function flagLines(faults: readonly YamlFault[]): readonly string[] {
  return faults.map(({ place, message }) => `${flagOf(placeText(place))}: ${message}`);
}

/** The mapping that a file holds. Throws ProfileError. */
async function yamlAt(path: string): Promise<YamlValue> {
  const yaml = await readYamlFile(path, (lines) => new ProfileError(lines));
  if (yaml.value == null)
    throw new ProfileError([`${path}: is empty; "plumbline init" writes one to begin with`]);
  if (typeof yaml.value !== 'object' || Array.isArray(yaml.value))
    throw new ProfileError([`${path}:1: takes members such as target and keys at its top, and has none`]);
  return yaml;
}

/** The members of a recipe that have a default. */
type Presettable = 'headers' | 'accept' | 'key' | 'scopes';
/** A recipe as it is written; taken apart and put together for each of its alternatives. */
type WrittenRecipe<T = HttpRecipe> = T extends HttpRecipe
  ? Omit<T, Presettable> & Partial<Pick<T, Presettable>>
  : never;

/** A profile as a file holds it once it is known to be good: what has a default may be missing. */
interface ProfileMembers
  extends Partial<
      Pick<Profile, 'keys' | 'interns' | 'disposable_interns' | 'guardrail' | 'headers' | 'limits'>
    >,
    Pick<Profile, 'target'> {
  readonly store?: {
    readonly http?: WrittenRecipe;
    readonly command?: Pick<CommandRecipe, 'run'> & Partial<CommandRecipe>;
    readonly names?: StoredNames;
  };
  readonly inference?: Omit<InferenceRoute, 'method'> & { readonly method?: string };
  readonly tls?: Partial<ProfileTls>;
  readonly policy?: Partial<ProfilePolicy>;
}

/** Where a profile's values come from. */
interface Origin {
  /** The folder that file paths are relative to. */
  readonly folder: string;
  readonly taken: readonly TakenValue[];
  readonly given: readonly GivenValue[];
}

/** The profile that a file's members make. */
function withDefaults(members: ProfileMembers, { folder, taken, given }: Origin): Profile {
  const { target, keys = {}, interns = {}, disposable_interns = [], guardrail, store, inference } = members;
  const made = store === undefined ? {} : { store: recipe(store, interns) };
  const fromElsewhere = [...taken, ...given].map(({ place }) => place.join('.'));
  return {
    target,
    keys,
    interns,
    disposable_interns,
    ...(guardrail === undefined ? {} : { guardrail }),
    ...made,
    ...(inference === undefined ? {} : { inference: { method: 'POST', ...inference } }),
    headers: members.headers ?? {},
    tls: { insecure: false, ...members.tls, ...absolutePaths(members.tls ?? {}, folder) },
    limits: members.limits ?? {},
    policy: { decides: ['must', 'derived'], excused: [], ...members.policy },
    literal_keys: literalKeys(keys, fromElsewhere),
    literal_headers: literalCredentials({ headers: members.headers ?? {}, ...made }, fromElsewhere),
    secrets: Object.fromEntries(taken.filter(mayBeSecret).map(({ name, text }) => [name, text])),
  };
}

function recipe(
  { http, command, names }: NonNullable<ProfileMembers['store']>,
  interns: Profile['interns'],
): StoreRecipe {
  const scopes = defaultScopes(interns);
  if (http !== undefined)
    return { http: { headers: {}, accept: [200, 201, 204], key: 'member', scopes, ...http } };
  if (command !== undefined) return { command: { timeout: 10, scopes, ...command } };
  return { names: names ?? {} };
}

/** Where a recipe stores that does not say where: for every intern there is whose secrets `member` can delete. */
function defaultScopes(interns: Profile['interns']): readonly StoredIntern[] {
  return (['own', 'sibling'] as const).filter((intern) => interns[intern] !== undefined);
}

function absolutePaths(tls: Partial<ProfileTls>, folder: string): Partial<ProfileTls> {
  const paths = tlsFiles.map((member) => [member, tls[member]] as const);
  return Object.fromEntries(
    paths.flatMap(([member, path]) => (path === undefined ? [] : [[member, resolve(folder, path)]])),
  );
}

function literalKeys(keys: Profile['keys'], fromElsewhere: readonly string[]): readonly Role[] {
  return roles.filter((role) => keys[role] !== undefined && !fromElsewhere.includes(`keys.${role}`));
}

/** Whether a value of the environment stands where a secret may: an address is told to everybody. */
function mayBeSecret({ place: [section, way, member] }: TakenValue): boolean {
  if (section === 'keys' || section === 'headers') return true;
  if (section !== 'store') return false;
  return way === 'command' || (way === 'http' && member !== 'url' && member !== 'path');
}
