import { dirname, resolve } from 'node:path';
import { UsageError } from '../../spec/thrown.js';
import { roles, type Scope } from '../../spec/vocabulary.js';
import type { InferenceRoute } from '../control-client.js';
import { findSchemaFaults } from '../schema-errors.js';
import {
  type FileFault,
  faultLines,
  placeText,
  pointerOf,
  readYamlFile,
  type YamlValue,
} from '../yaml-file.js';
import { fillFromEnvironment, ProfileDraft, type TakenValue } from './environment.js';
import { addGivenValues, flagOf, type GivenValue } from './given-values.js';
import {
  type CommandRecipe,
  findLiteralCredentials,
  type HttpRecipe,
  type Profile,
  type ProfilePolicy,
  type ProfileTls,
  type ScopeRecipe,
  type StoredNames,
  type StoreRecipe,
} from './profile.js';
import { findProfileFaults, tlsFiles } from './profile-rules.js';

/** A profile that cannot be used. No line holds a secret. */
export class ProfileError extends UsageError {
  override readonly name = 'ProfileError';

  /** @param lines all faults, one line each: `plumbline.yaml:12: keys.member: …` */
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
  return checkProfile(await readMapping(path), { env, given, path });
}

/** Makes a profile of given values alone. Throws ProfileError. */
export async function makeProfile(env: NodeJS.ProcessEnv, given: readonly GivenValue[]): Promise<Profile> {
  return checkProfile({ value: {}, faults: [], lineOf: () => 1 }, { env, given });
}

/** Where the values of a profile come from; the path of its file, if there is one. */
interface ProfileSources {
  readonly env: NodeJS.ProcessEnv;
  readonly given: readonly GivenValue[];
  readonly path?: string;
}

async function checkProfile(yaml: YamlValue, { env, given, path }: ProfileSources): Promise<Profile> {
  const filled = fillFromEnvironment(addGivenValues(yaml.value, given), env);
  const { value, faults, unfilled, taken } = filled;
  const folder = path === undefined ? process.cwd() : dirname(resolve(path));
  const found = [
    ...yaml.faults,
    ...faults,
    ...findSchemaFaults('profile', value).filter(({ place }) => !unfilled.has(pointerOf(place))),
    ...(await findProfileFaults(new ProfileDraft(value, unfilled), folder)),
  ];
  if (found.length > 0)
    throw new ProfileError(path === undefined ? flagLines(found) : faultLines(path, found, yaml));
  const fromElsewhere = new Set([...taken, ...given].map(({ place }) => place.join('.')));
  return addDefaults(value as WrittenProfile, { folder, taken, fromElsewhere });
}

/** Describes faults as lines that name flags instead of members. */
function flagLines(faults: readonly FileFault[]): readonly string[] {
  return faults.map(({ place, message }) => `${flagOf(placeText(place))}: ${message}`);
}

/** Reads the mapping that a file holds. Throws ProfileError. */
async function readMapping(path: string): Promise<YamlValue> {
  const yaml = await readYamlFile(path, (lines) => new ProfileError(lines));
  if (yaml.value == null)
    throw new ProfileError([`${path}: is empty; "plumbline init" writes one to begin with`]);
  if (typeof yaml.value !== 'object' || Array.isArray(yaml.value))
    throw new ProfileError([`${path}:1: must be a mapping with members such as target and keys`]);
  return yaml;
}

/** The members of a recipe that have a default. */
type Presettable = 'headers' | 'accept' | 'key' | 'scopes';
/** A recipe as it is written; taken apart and put together for each of its alternatives. */
type WrittenRecipe<T = HttpRecipe> = T extends HttpRecipe
  ? Omit<T, Presettable> & Partial<Pick<T, Presettable>>
  : never;

/** A scope of a recipe as it is written. */
interface WrittenScope {
  readonly key?: string;
  readonly http?: WrittenRecipe;
  readonly command?: WrittenCommand;
}
type WrittenCommand = Pick<CommandRecipe, 'run'> & Partial<CommandRecipe>;

/** A profile as a file holds it once it is known to be good: what has a default may be missing. */
interface WrittenProfile
  extends Partial<
      Pick<Profile, 'keys' | 'interns' | 'disposable_interns' | 'guardrail' | 'headers' | 'limits'>
    >,
    Pick<Profile, 'target'> {
  readonly store?: {
    readonly http?: WrittenRecipe;
    readonly command?: WrittenCommand;
    readonly names?: StoredNames;
    readonly scopes?: Readonly<Partial<Record<Scope, WrittenScope>>>;
  };
  readonly inference?: Omit<InferenceRoute, 'method'> & { readonly method?: string };
  readonly tls?: Partial<ProfileTls>;
  readonly policy?: Partial<Pick<ProfilePolicy, 'decides'>> & {
    readonly excused?: readonly {
      readonly requirement: string | readonly string[];
      readonly reason: string;
    }[];
  };
}

interface ProfileOrigin {
  /** What file paths are relative to. */
  readonly folder: string;
  /** What comes from the environment. */
  readonly taken: readonly TakenValue[];
  /** The places of values that are not written in the file. */
  readonly fromElsewhere: ReadonlySet<string>;
}

/** Fills in the defaults of a profile. */
function addDefaults(written: WrittenProfile, { folder, taken, fromElsewhere }: ProfileOrigin): Profile {
  const { target, keys = {}, interns = {}, headers = {}, tls = {}, guardrail, store, inference } = written;
  const recipe = store === undefined ? {} : { store: addRecipeDefaults(store, interns) };
  const files = tlsFiles.flatMap((member) => {
    const path = tls[member];
    return path === undefined ? [] : [[member, resolve(folder, path)]];
  });
  return {
    target,
    keys,
    interns,
    disposable_interns: written.disposable_interns ?? [],
    ...(guardrail === undefined ? {} : { guardrail }),
    ...recipe,
    ...(inference === undefined ? {} : { inference: { method: 'POST', ...inference } }),
    headers,
    tls: { insecure: false, ...tls, ...Object.fromEntries(files) },
    limits: written.limits ?? {},
    policy: {
      decides: written.policy?.decides ?? ['must', 'derived'],
      excused: (written.policy?.excused ?? []).flatMap(({ requirement, reason }) =>
        [requirement].flat().map((one) => ({ requirement: one, reason })),
      ),
    },
    literal_keys: roles.filter((role) => keys[role] !== undefined && !fromElsewhere.has(`keys.${role}`)),
    literal_headers: findLiteralCredentials({ headers, ...recipe }, fromElsewhere),
    secrets: Object.fromEntries(taken.filter(mayBeSecret).map(({ name, text }) => [name, text])),
  };
}

function addRecipeDefaults(
  { http, command, names, scopes: written }: NonNullable<WrittenProfile['store']>,
  interns: Profile['interns'],
): StoreRecipe {
  // Every intern there is whose secrets the member key can delete.
  const usual = (['own', 'sibling'] as const).filter((intern) => interns[intern] !== undefined);
  const addHttp = (recipe: WrittenRecipe, scopes: readonly Scope[] = usual): HttpRecipe => ({
    ...{ headers: {}, accept: [200, 201, 204], key: 'member', scopes },
    ...recipe,
  });
  const addCommand = (recipe: WrittenCommand, scopes: readonly Scope[] = usual): CommandRecipe => ({
    ...{ timeout: 10, scopes },
    ...recipe,
  });
  const addScope = (scope: Scope, { key, ...own }: WrittenScope): ScopeRecipe => {
    const given = (own.http ?? own.command) ? own : { http, command };
    const recipe =
      given.http === undefined
        ? { command: addCommand(given.command ?? { run: [''] }, [scope]) }
        : { http: addHttp(given.http, [scope]) };
    return { ...recipe, ...(key === undefined ? {} : { key }) };
  };
  const scopes =
    written === undefined
      ? {}
      : {
          scopes: Object.fromEntries(
            Object.entries(written).map(([scope, entry]) => [scope, addScope(scope as Scope, entry)]),
          ),
        };
  if (http !== undefined) return { http: addHttp(http), ...scopes };
  if (command !== undefined) return { command: addCommand(command), ...scopes };
  return { names: names ?? {}, ...scopes };
}

/** Whether a value of the environment stands where a secret may: addresses are not secret. */
function mayBeSecret({ place }: TakenValue): boolean {
  const [section, way, member] = place;
  if (section === 'keys' || section === 'headers') return true;
  if (section !== 'store') return false;
  if (way === 'scopes') return !/^(?:url|path)$/.test(place.at(-1) ?? '');
  return way === 'command' || (way === 'http' && member !== 'url' && member !== 'path');
}
