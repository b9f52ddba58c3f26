import type { Policy } from '../../spec/report.js';
import type { Intern, Role, Scope } from '../../spec/vocabulary.js';
import { trimSlashes } from '../agents.js';
import type { InferenceRoute } from '../control-client.js';
import { isShownHeader, keyName, looksLikeCredential, type Redactor } from '../redaction.js';
import type { MemberPath } from '../yaml-file.js';
import { shortestKey } from './given-values.js';

/** A deployment as its profile describes it: checked, defaults filled in, `${NAME}` replaced. */
export interface Profile {
  /** Where it is; at most one of the two regional members (§5). */
  readonly target: {
    /** `{base_url}` as it is written, with or without a slash at its end. */
    readonly base_url: string;
    readonly regional_host?: string;
    readonly regional_base_url?: string;
  };
  /** A key by role. */
  readonly keys: Readonly<Partial<Record<Role, string>>>;
  /** The ids of the interns, UUIDs that differ from each other. */
  readonly interns: Readonly<Partial<Record<Intern, string>>>;
  /** The interns in which everything may be stored and deleted under any name; each of them has an id. */
  readonly disposable_interns: readonly StoredIntern[];
  /** The guardrail that can be read (§4.2). */
  readonly guardrail?: { readonly id: string; readonly workspace_id?: string };
  readonly store?: StoreRecipe;
  readonly inference?: InferenceRoute;
  /** Headers that every request to the target carries besides its own. */
  readonly headers: Readonly<Record<string, string>>;
  /** How connections are secured; the paths are absolute. */
  readonly tls: {
    readonly ca?: string;
    /** Given where `key` is. */
    readonly cert?: string;
    readonly key?: string;
    /** Whether any certificate is accepted; then every address of the profile is on loopback. */
    readonly insecure: boolean;
  };
  /** Requests in flight, requests per second, requests of one run, seconds of one run. */
  readonly limits: Readonly<Partial<Record<'concurrency' | 'rate' | 'requests' | 'time', number>>>;
  /** What the gate is decided by, and the requirements, or patterns over ids, that may stay unproven. */
  readonly policy: Policy;
  /** The roles whose keys are written in the file itself, which `doctor` points out. */
  readonly literal_keys: readonly Role[];
  /** The places of headers that look like credentials and are written in the file itself, such as `headers.X-Gate`. */
  readonly literal_headers: readonly string[];
  /**
   * The values of the environment that stand in keys, headers or the recipe of a store, by their names: the
   * redactor is to know them. A recipe's `url` and `path` hold no secret and are left out.
   */
  readonly secrets: Readonly<Record<string, string>>;
}

/** A profile as a file holds it once it is known to be good, defaults filled in: what follows from the rest is missing. */
export interface WrittenProfile
  extends Omit<Profile, 'policy' | 'literal_keys' | 'literal_headers' | 'secrets'> {
  readonly policy: Pick<Profile['policy'], 'decides'> & {
    readonly excused: readonly {
      readonly requirement: string | readonly string[];
      readonly reason: string;
    }[];
  };
}

/** The members of `tls` that name files. */
export const tlsFiles = ['ca', 'cert', 'key'] as const;

/** The most bytes of such a file: a bundle of every authority there is has a quarter of it. */
export const mostTlsBytes = 1_000_000;

/** The interns whose secrets the `member` key can delete. */
type StoredIntern = Exclude<Intern, 'foreign'>;

/** How a secret is stored: by a request or by a program. Neither is there where secrets are given, or stored as elsewhere. */
interface Recipe {
  readonly http?: HttpRecipe;
  readonly command?: CommandRecipe;
}

/** One of three ways to store a secret, and what differs in some scopes. */
export interface StoreRecipe extends Recipe {
  readonly names?: StoredNames;
  readonly scopes?: Readonly<Partial<Record<Scope, ScopeRecipe>>>;
}

/** The scopes that a recipe stores secrets in unless it lists others: the interns that the member key can delete from. */
export const usualScopes: readonly Scope[] = ['own', 'sibling'];

/** How a secret of one scope is stored; as elsewhere, with another key, where it has no recipe of its own. */
export interface ScopeRecipe extends Recipe {
  readonly key?: string;
}

/** A request that stores a secret; `{intern}`, `{name}`, `{value}` and `{scope}` in its texts are replaced. */
export interface HttpRecipe {
  readonly method: 'PUT' | 'POST' | 'PATCH';
  /** An `Authorization` among them stands in place of the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** The statuses that say the secret is stored. */
  readonly accept: readonly number[];
  /** Whose key the request carries; one of `keys` where the file names it, `member` otherwise. */
  readonly key: Role;
  readonly scopes?: readonly Scope[];
  /** The whole address, or the path below `{base_url}`: one of the two is given. */
  readonly url?: string;
  readonly path?: string;
}

/** A program that stores a secret, run without a shell. */
export interface CommandRecipe {
  /** The program and its arguments. */
  readonly run: readonly [program: string, ...args: string[]];
  /** Seconds that one call may take. */
  readonly timeout: number;
  readonly scopes?: readonly Scope[];
}

/** Names of secrets that are stored already, by intern; each may be used once. */
export type StoredNames = Readonly<Partial<Record<StoredIntern, readonly string[]>>>;

/** A recipe of a profile, and where it stands; `only` is the scope whose own it is. */
export interface PlacedRecipe extends Recipe {
  readonly place: MemberPath;
  readonly only?: string;
}

/** The ways to store that a profile gives, for all scopes and for some. */
export function listRecipes({ store }: Pick<Profile, 'store'>): readonly PlacedRecipe[] {
  if (store === undefined) return [];
  const ofScopes = Object.entries(store.scopes ?? {});
  return [
    { ...store, place: ['store'] },
    ...ofScopes.map(([only, recipe]) => ({ ...recipe, place: ['store', 'scopes', only], only })),
  ];
}

/** The headers that a profile configures, and where each stands in it. */
function listHeaders(
  profile: Pick<Profile, 'headers' | 'store'>,
): readonly (readonly [place: string, name: string, value: string])[] {
  const ofRecipes = listRecipes(profile).map(
    ({ place, http }) => [[...place, 'http', 'headers'], http?.headers ?? {}] as const,
  );
  return [[['headers'], profile.headers] as const, ...ofRecipes].flatMap(([place, headers]) =>
    Object.entries(headers).map(([name, value]) => [[...place, name].join('.'), name, value] as const),
  );
}

/** The places of headers that look like credentials and stand in the file itself. */
export function findLiteralCredentials(
  profile: Pick<Profile, 'headers' | 'store'>,
  fromEnvironment: ReadonlySet<string>,
): readonly string[] {
  return listHeaders(profile)
    .filter(
      ([place, name, value]) =>
        !fromEnvironment.has(place) && !isShownHeader(name) && looksLikeCredential(value),
    )
    .map(([place]) => place);
}

/**
 * Makes everything secret in a profile known: its keys, what it takes from the environment, and the values of its
 * headers. A header that is known to hold no secret is shown, and so is a text that stands in an address of the profile
 * or in the ledger. A value of less than 12 characters is hidden only as the value of its header: elsewhere it may stand
 * by chance.
 */
export function registerProfileSecrets(redactor: Redactor, profile: Profile): void {
  const { target, keys, secrets } = profile;
  const headers = listHeaders(profile);
  redactor.addPublic([
    ...[target.base_url, target.regional_base_url ?? ''].flatMap(publicAddresses),
    target.regional_host ?? '',
    ...listRecipes(profile).map(({ http }) => http?.url ?? http?.path ?? ''),
    ...Object.keys(secrets),
    ...headers.map(([, name]) => name),
  ]);
  // The user's own variable goes before the name of the role: a curl line should work when it is pasted.
  for (const [name, value] of Object.entries(secrets)) redactor.register(value, `$${name}`);
  for (const [role, key] of Object.entries(keys)) redactor.register(key, keyName(role));
  for (const [scope, { key }] of Object.entries(profile.store?.scopes ?? {}))
    if (key !== undefined) redactor.register(key, keyName(scope));
  for (const [, name, value] of headers) {
    if (isShownHeader(name) || redactor.isPublic(value)) continue;
    const standIn = `<value of ${name}>`;
    redactor.hideHeader(name, standIn);
    // What replaces a placeholder is registered elsewhere.
    for (const part of value.split(anyPlaceholder))
      if (part.trim().length >= shortestKey) redactor.register(part.trim(), standIn);
    const [, word = ''] = /^[a-z]+ (\S+)$/i.exec(value) ?? [];
    if (word.length >= shortestKey) redactor.register(word, standIn);
  }
}

/** An address, and the beginnings of what is asked for below it. */
export function publicAddresses(baseUrl: string): readonly string[] {
  const base = trimSlashes(baseUrl);
  return ['key', 'guardrails/', 'vault/interns/', 'chat/completions'].map((path) => `${base}/${path}`);
}

/** The words that stand in a recipe's texts for what differs from secret to secret. */
export const placeholders = ['{intern}', '{name}', '{value}', '{scope}'] as const;
export type Placeholder = (typeof placeholders)[number];
const anyPlaceholder = /\{(?:intern|name|value|scope)\}/g;

/** A text with a letter in place of each placeholder, to be read as the address it will become. */
export function hidePlaceholders(text: string | undefined): string | undefined {
  return text?.replaceAll(anyPlaceholder, 'x');
}

/** Whether some text of a value, however deep, holds a placeholder. */
export function hasPlaceholder(value: unknown, placeholder: Placeholder): boolean {
  if (typeof value === 'string') return value.includes(placeholder);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((inner) => hasPlaceholder(inner, placeholder));
}
