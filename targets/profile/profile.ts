import type { Policy } from '../../spec/report.js';
import { type Intern, type Role, routes, type Scope } from '../../spec/vocabulary.js';
import { trimSlashes } from '../agents.js';
import type { Capabilities, InferenceRoute } from '../control-client.js';
import { isShownHeader, looksLikeCredential, type Redactor } from '../redaction.js';
import type { MemberPath } from '../yaml-file.js';
import { keyVariable, shortestKey } from './given-values.js';

/** A validated profile, with defaults filled in and `${NAME}` resolved. */
export interface Profile {
  /** Addresses as written, with or without a trailing slash. At most one of the regional ones is given (§5). */
  readonly target: Pick<Capabilities, 'base_url' | 'regional_host' | 'regional_base_url'>;
  readonly keys: Readonly<Partial<Record<Role, string>>>;
  /** UUIDs that differ from each other. */
  readonly interns: Readonly<Partial<Record<Intern, string>>>;
  /** Interns in which anything may be stored and deleted under any name; each has an id. */
  readonly disposable_interns: readonly StoredIntern[];
  readonly guardrail?: { readonly id: string; readonly workspace_id?: string };
  readonly store?: StoreRecipe;
  readonly inference?: InferenceRoute;
  /** Headers of every request to the target. */
  readonly headers: Readonly<Record<string, string>>;
  /** Absolute paths of files. */
  readonly tls: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    /** Whether any certificate is accepted; every address of the profile is then on loopback. */
    readonly insecure: boolean;
  };
  /** Requests in flight, requests per second, requests per run, seconds per run. */
  readonly limits: Readonly<Partial<Record<'concurrency' | 'rate' | 'requests' | 'time', number>>>;
  /** What decides the gate, and the requirements, or patterns over ids, that are excused. */
  readonly policy: Policy;
  /** Roles whose keys are written in the file itself, which `doctor` reports. */
  readonly literal_keys: readonly Role[];
  /** Places of headers in the file that look like credentials, such as `headers.X-Gate`. */
  readonly literal_headers: readonly string[];
  /** Values of the environment in keys, headers or the recipe of a store, by name, for the redactor. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** A valid profile as its file has it, with defaults but without derived members. */
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

/** The maximum size of such a file in bytes, four times that of a bundle of all authorities. */
export const mostTlsBytes = 1_000_000;

/** The interns whose secrets the `member` key can delete. */
type StoredIntern = Exclude<Intern, 'foreign'>;

/** How a secret is stored: by a request or by a program, or by neither where names are given. */
interface Recipe {
  readonly http?: HttpRecipe;
  readonly command?: CommandRecipe;
}

/** One of three ways to store a secret, and exceptions for some scopes. */
export interface StoreRecipe extends Recipe {
  readonly names?: StoredNames;
  readonly scopes?: Readonly<Partial<Record<Scope, ScopeRecipe>>>;
}

/** The default scopes of a recipe: the interns that the member key can delete from. */
export const usualScopes: readonly Scope[] = ['own', 'sibling'];

/** How a secret of one scope is stored; without a recipe of its own, like others but with another key. */
export interface ScopeRecipe extends Recipe {
  readonly key?: string;
}

/** A request that stores a secret. Its texts may contain `{intern}`, `{name}`, `{value}` and `{scope}`. */
export interface HttpRecipe {
  readonly method: 'PUT' | 'POST' | 'PATCH';
  /** An `Authorization` replaces the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  /** Statuses of a successful store. */
  readonly accept: readonly number[];
  /** Whose key the request carries. */
  readonly key: Role;
  readonly scopes?: readonly Scope[];
  /** Either the whole address or the path below `{base_url}` is given. */
  readonly url?: string;
  readonly path?: string;
}

/** A program that stores a secret, run without a shell. */
export interface CommandRecipe {
  readonly run: readonly [program: string, ...args: string[]];
  /** In seconds. */
  readonly timeout: number;
  readonly scopes?: readonly Scope[];
}

/** Names of secrets that are stored already, by intern; each may be used once. */
export type StoredNames = Readonly<Partial<Record<StoredIntern, readonly string[]>>>;

/** A recipe of a profile and its place; `only` is the scope that it is limited to. */
export interface PlacedRecipe extends Recipe {
  readonly place: MemberPath;
  readonly only?: string;
}

/** Lists the recipes of a profile, for all scopes and for single ones. */
export function listRecipes({ store }: Pick<Profile, 'store'>): readonly PlacedRecipe[] {
  if (store === undefined) return [];
  const ofScopes = Object.entries(store.scopes ?? {});
  return [
    { ...store, place: ['store'] },
    ...ofScopes.map(([only, recipe]) => ({ ...recipe, place: ['store', 'scopes', only], only })),
  ];
}

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

/** Finds the places of headers in the file that look like credentials. */
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
 * Registers every secret of a profile: its keys, values of the environment, and values of headers. Shown are headers that
 * hold no secret, and texts in an address of the profile or in the ledger. A value of fewer than 12 characters is hidden
 * only in its header: elsewhere it may appear by chance.
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
  // The user's own variable comes before the name of the role: a curl line should work when pasted.
  for (const [name, value] of Object.entries(secrets)) redactor.register(value, `$${name}`);
  for (const [role, key] of Object.entries(keys)) redactor.register(key, `$${keyVariable(role)}`);
  for (const [scope, { key }] of Object.entries(profile.store?.scopes ?? {}))
    if (key !== undefined) redactor.register(key, `$${keyVariable(scope)}`);
  for (const [, name, value] of headers) {
    if (isShownHeader(name) || redactor.isPublic(value)) continue;
    const standIn = `<value of ${name}>`;
    redactor.hideHeader(name, standIn);
    // The values of placeholders are registered elsewhere.
    for (const part of value.split(anyPlaceholder))
      if (part.trim().length >= shortestKey) redactor.register(part.trim(), standIn);
    const [, word = ''] = /^[a-z]+ (\S+)$/i.exec(value) ?? [];
    if (word.length >= shortestKey) redactor.register(word, standIn);
  }
}

/** Returns the URLs that requests to a base URL begin with. */
export function publicAddresses(baseUrl: string): readonly string[] {
  const base = trimSlashes(baseUrl);
  const fixed = Object.values(routes).map(({ path }) => path.replace(/\{.*/, ''));
  return [...fixed, '/chat/completions'].map((path) => `${base}${path}`);
}

/** The placeholders in a recipe's texts. */
export const placeholders = ['{intern}', '{name}', '{value}', '{scope}'] as const;
export type Placeholder = (typeof placeholders)[number];
const anyPlaceholder = /\{(?:intern|name|value|scope)\}/g;

/** Replaces each placeholder by a letter, so that the text can be parsed as an address. */
export function hidePlaceholders(text: string | undefined): string | undefined {
  return text?.replaceAll(anyPlaceholder, 'x');
}

/** Whether a text anywhere in a value contains a placeholder. */
export function hasPlaceholder(value: unknown, placeholder: Placeholder): boolean {
  if (typeof value === 'string') return value.includes(placeholder);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((inner) => hasPlaceholder(inner, placeholder));
}
