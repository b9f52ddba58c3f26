import { dirname, resolve } from 'node:path';
import { UsageError } from '../../spec/thrown.js';
import { pointerOf } from '../yaml/place.js';
import type { YamlValue } from '../yaml/read-yaml.js';
import { faultLines, readYamlFile } from '../yaml/read-yaml-file.js';
import { schemaFaults } from '../yaml/schema-faults.js';
import { ProfileDraft } from './draft.js';
import { withEnvironment } from './environment.js';
import type { Profile } from './profile.js';
import { addressFaults } from './rules/address-rules.js';
import { headerFaults } from './rules/header-rules.js';
import { internFaults } from './rules/intern-rules.js';
import { policyFaults } from './rules/policy-rules.js';
import { storeFaults } from './rules/store-rules.js';
import { tlsFaults } from './rules/tls-rules.js';
import { type ProfileMembers, withDefaults } from './with-defaults.js';

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
 */
export async function readProfile(path: string, env: NodeJS.ProcessEnv): Promise<Profile> {
  const yaml = await yamlAt(path);
  const { value, faults, unfilled, taken } = withEnvironment(yaml.value, env);
  const draft = new ProfileDraft(value, unfilled);
  const folder = dirname(resolve(path));
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
  if (found.length > 0) throw new ProfileError(faultLines(path, found, yaml));
  return withDefaults(value as ProfileMembers, { folder, taken });
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
