import { FREE_MODEL, PAID_MODEL } from '../../reference/inference.js';
import type { Reference } from '../../reference/server.js';
import { type WorldView } from '../../reference/world-store.js';
import type { InferenceRoute } from '../../targets/control-client.js';
import type { Profile, StoreRecipe } from '../../targets/profile/profile.js';

/** The path of the reference's inference route. */
export const inferencePath = '/chat/completions';

/**
 * The hostname that the rehearsed reference takes for the regional one: a profile may give it as a name or as an
 * address, and this one is both.
 */
export const regionalHost = 'localhost';

/** A profile with every address, key and id replaced by those of a reference's world; what it leaves out stays out. */
export function rehearsalProfile(profile: Profile, reference: Reference, world: WorldView): Profile {
  const { keys, interns, guardrail, store, inference, target } = profile;
  const { workspace_id: workspace } = guardrail ?? {};
  return {
    target: {
      base_url: reference.baseUrl,
      ...(target.regional_host === undefined ? {} : { regional_host: regionalHost }),
      ...(target.regional_base_url === undefined
        ? {}
        : { regional_base_url: regionalBaseUrl(reference.baseUrl) }),
    },
    keys: onlyGiven(world.keys, keys),
    interns: onlyGiven(world.interns, interns),
    disposable_interns: profile.disposable_interns,
    ...(guardrail === undefined
      ? {}
      : {
          guardrail: {
            id: world.guardrail_id,
            ...(workspace === undefined ? {} : { workspace_id: world.workspace_id }),
          },
        }),
    ...(store === undefined ? {} : { store: rehearsalStore(store, storeUrl(reference, world)) }),
    ...(inference === undefined ? {} : { inference: rehearsalInference(inference) }),
    headers: {},
    tls: { insecure: false },
    limits: profile.limits,
    policy: profile.policy,
    literal_keys: [],
    literal_headers: [],
    secrets: {},
  };
}

/** The regional address of a rehearsed reference. */
export function regionalBaseUrl(baseUrl: string): string {
  const url = new URL(baseUrl);
  return `${url.protocol}//${regionalHost}:${url.port}${url.pathname}`;
}

// The control stores in every scope, as a recipe of a profile may.
function storeUrl(reference: Reference, world: WorldView): string {
  return `${reference.controlUrl}/worlds/${world.id}/secrets/{scope}/{name}`;
}

/** A recipe that stores in the reference; names that are stored already stay as they are. */
function rehearsalStore(store: StoreRecipe, url: string): StoreRecipe {
  if ('names' in store) return store;
  const { scopes } = 'http' in store ? store.http : store.command;
  const body = { value: '{value}' };
  return { http: { method: 'PUT', url, headers: {}, body, accept: [204], key: 'member', scopes } };
}

function rehearsalInference({ free_model: free, paid_model: paid }: InferenceRoute): InferenceRoute {
  return {
    method: 'POST',
    path: inferencePath,
    ...(free === undefined ? {} : { free_model: FREE_MODEL }),
    ...(paid === undefined ? {} : { paid_model: PAID_MODEL }),
  };
}

/** The members of one object whose names stand in another. */
function onlyGiven<Name extends string>(
  values: Readonly<Partial<Record<Name, string>>>,
  given: Readonly<Partial<Record<Name, string>>>,
): Partial<Record<Name, string>> {
  const kept: Partial<Record<Name, string>> = {};
  for (const name of Object.keys(given) as Name[]) {
    const value = values[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
