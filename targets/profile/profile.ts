import type { ScopeRecipe, WrittenProfile } from '../../spec/generated/profile.js';
import type { Policy } from '../../spec/report.js';
import { type Role, routes, type Scope } from '../../spec/vocabulary.js';
import { trimSlashes } from '../agents.js';
import { isShownHeader, looksLikeCredential, type Redactor } from '../redaction.js';
import type { MemberPath } from '../yaml-file.js';
import { keyVariable, shortestKey } from './given-values.js';

export type { CommandRecipe, HttpRecipe, ScopeRecipe, WrittenProfile } from '../../spec/generated/profile.js';

/** A validated profile, with defaults filled in, `${NAME}` resolved, and absolute paths of files. */
export interface Profile extends Omit<WrittenProfile, 'policy'> {
  /** What decides the gate, and the requirements, or patterns over ids, that are excused. */
  readonly policy: Policy;
  /** Roles whose keys are written in the file itself, which `doctor` reports. */
  readonly literal_keys: readonly Role[];
  /** Places of headers in the file that look like credentials, such as `headers.X-Gate`. */
  readonly literal_headers: readonly string[];
  /** Values of the environment in keys, headers or the recipe of a store, by name, for the redactor. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** One of three ways to store a secret, and exceptions for some scopes. */
export type StoreRecipe = NonNullable<WrittenProfile['store']>;

/** The members of `tls` that name files. */
export const tlsFiles = ['ca', 'cert', 'key'] as const;

/** The maximum size of such a file in bytes, four times that of a bundle of all authorities. */
export const mostTlsBytes = 1_000_000;

/** The default scopes of a recipe: the interns that the member key can delete from. */
export const defaultScopes: readonly Scope[] = ['own', 'sibling'];

/** Names of secrets that are stored already, by intern; each may be used once. */
export type StoredNames = NonNullable<StoreRecipe['names']>;

/** A recipe of a profile and its place; `only` is the scope that it is limited to. */
export interface PlacedRecipe extends Pick<ScopeRecipe, 'http' | 'command'> {
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
