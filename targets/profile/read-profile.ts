import { dirname, resolve } from 'node:path';
import { mapTexts } from '../../spec/json.js';
import { roles } from '../../spec/vocabulary.js';
import { findSchemaFaults } from '../schema-errors.js';
import {
  type FileFault,
  InvalidInput,
  type MemberPath,
  readYamlFile,
  renderFaults,
  renderPlace,
  type YamlValue,
} from '../yaml-file.js';
import { addGivenValues, flagOf, type GivenValue } from './given-values.js';
import { findLiteralCredentials, type Profile, tlsFiles, type WrittenProfile } from './profile.js';
import { findProfileFaults } from './profile-rules.js';

/**
 * Reads and validates a profile, with `${NAME}` resolved from the environment. Throws InvalidInput with its faults, in
 * the order of the lines.
 * @param given values that override the file
 */
export async function readProfile(
  path: string,
  env: NodeJS.ProcessEnv,
  given: readonly GivenValue[] = [],
): Promise<Profile> {
  return checkProfile(await readMapping(path), { env, given, path });
}

/** Makes a profile from given values alone. Throws InvalidInput. */
export async function makeProfile(env: NodeJS.ProcessEnv, given: readonly GivenValue[]): Promise<Profile> {
  return checkProfile({ value: {}, lineOf: () => 1 }, { env, given });
}

interface ProfileSources {
  readonly env: NodeJS.ProcessEnv;
  readonly given: readonly GivenValue[];
  readonly path?: string;
}

async function checkProfile(yaml: YamlValue, { env, given, path }: ProfileSources): Promise<Profile> {
  const assertNone = (faults: readonly FileFault[]) => {
    if (faults.length === 0) return;
    throw new InvalidInput(
      path === undefined
        ? faults.map(({ place, message }) => `${flagOf(renderPlace(place))}: ${message}`)
        : renderFaults(path, faults, yaml),
    );
  };
  const { value, faults, taken } = fillFromEnvironment(addGivenValues(yaml.value, given), env);
  // A value whose variable is missing cannot be validated.
  const unfilled = new Set(faults.map(({ place }) => String(place)));
  const ofSchema = findSchemaFaults('profile', value).filter(({ place }) => !unfilled.has(String(place)));
  assertNone([...faults, ...ofSchema]);
  const written = value as WrittenProfile;
  const folder = path === undefined ? process.cwd() : dirname(resolve(path));
  assertNone(await findProfileFaults(written, folder));
  const fromElsewhere = new Set([...taken, ...given].map(({ place }) => place.join('.')));
  const { keys, tls, policy } = written;
  const files = tlsFiles.flatMap((member) => {
    const file = tls[member];
    return file === undefined ? [] : [[member, resolve(folder, file)]];
  });
  return {
    ...written,
    tls: { ...tls, ...Object.fromEntries(files) },
    policy: {
      ...policy,
      excused: policy.excused.flatMap(({ requirement, reason }) =>
        [requirement].flat().map((one) => ({ requirement: one, reason })),
      ),
    },
    literal_keys: roles.filter((role) => keys[role] !== undefined && !fromElsewhere.has(`keys.${role}`)),
    literal_headers: findLiteralCredentials(written, fromElsewhere),
    secrets: Object.fromEntries(taken.filter(mayBeSecret).map(({ name, text }) => [name, text])),
  };
}

/** Reads the mapping that a file holds. Throws InvalidInput. */
async function readMapping(path: string): Promise<YamlValue> {
  const yaml = await readYamlFile(path);
  if (yaml.value === null)
    throw new InvalidInput([`${path}: is empty; "plumbline init" writes one to begin with`]);
  if (typeof yaml.value !== 'object' || Array.isArray(yaml.value))
    throw new InvalidInput([`${path}:1: must be a mapping with members such as target and keys`]);
  return yaml;
}

interface TakenValue extends GivenValue {
  readonly name: string;
}

// `$${` is a literal `${`; any other `${` without a name is a mistake.
const reference = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{/g;
const malformed = `has \${ without a name and }; write \${NAME}, or $\${ for the literal characters`;

/** Resolves `${NAME}` in every text, except in names of members. Values are never read as YAML. */
function fillFromEnvironment(profile: unknown, env: NodeJS.ProcessEnv) {
  const faults: FileFault[] = [];
  const taken: TakenValue[] = [];
  const fillText = (source: string, place: MemberPath): string =>
    source.replace(reference, (found, name: string | undefined) => {
      if (found === '$${') return '${';
      // An empty value counts as missing. `process.env` has members of Object.prototype.
      const text = name !== undefined && Object.hasOwn(env, name) ? env[name] || undefined : undefined;
      if (name !== undefined && text !== undefined) {
        taken.push({ name, text, place });
        return text;
      }
      const member = place[0] === 'keys' ? 'key' : 'member';
      const unset = `environment variable ${name} is not set; set it or remove this ${member}`;
      faults.push({ place, message: name === undefined ? malformed : unset });
      return found;
    });
  return { value: mapTexts(profile, fillText), faults, taken };
}

/** Whether a value of the environment may be a secret, by its place: addresses are not. */
function mayBeSecret({ place }: TakenValue): boolean {
  const text = place.join('.');
  return /^(?:keys|headers|store)\./.test(text) && !withoutSecret.test(text);
}

const withoutSecret = /^store\.(?:names\.|(?:scopes\.\w+\.)?http\.(?:url|path)$)/;
