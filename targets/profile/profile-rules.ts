import { resolve } from 'node:path';
import { matchIds, UnusablePattern } from '../../spec/id-patterns.js';
import { ledger } from '../../spec/ledger.js';
import { readFileBytes } from '../../spec/read-file.js';
import { interns, roles } from '../../spec/vocabulary.js';
import { isLoopback, trimSlashes } from '../agents.js';
import type { FileFault, MemberPath } from '../yaml-file.js';
import { findKeyMistake } from './given-values.js';
import {
  hasPlaceholder,
  hidePlaceholders,
  listRecipes,
  mostTlsBytes,
  type PlacedRecipe,
  type Placeholder,
  placeholders,
  tlsFiles,
  type WrittenProfile,
} from './profile.js';

/**
 * Finds faults that the schema of a profile cannot express.
 * @param folder what file paths are relative to
 */
export async function findProfileFaults(
  profile: WrittenProfile,
  folder: string,
): Promise<readonly FileFault[]> {
  const recipes = listRecipes(profile);
  return [
    ...findAddressFaults(profile, recipes),
    ...findRegionalFaults(profile),
    ...findKeyFaults(profile),
    ...findForeignKeyFaults(profile),
    ...findHeaderFaults(['headers'], profile.headers, [...ownHeaders, 'authorization']),
    ...recipes.flatMap(({ place, http }) =>
      findHeaderFaults([...place, 'http', 'headers'], http?.headers ?? {}, ownHeaders),
    ),
    ...findInternFaults(profile, recipes),
    ...recipes.flatMap((recipe) => findRecipeFaults(profile, recipe)),
    ...findPolicyFaults(profile),
    ...(await findTlsFaults(profile, folder)),
  ];
}

function reportIf(isBroken: boolean, place: MemberPath, message: string): readonly FileFault[] {
  return isBroken ? [{ place, message }] : [];
}

/** Addresses must be complete, contain no password, and end so that a path can be appended. */
function findAddressFaults(
  { target, tls }: WrittenProfile,
  recipes: readonly PlacedRecipe[],
): readonly FileFault[] {
  const given: readonly (readonly [place: MemberPath, url: string | undefined, mayHaveQuery: boolean])[] = [
    [['target', 'base_url'], target.base_url, false],
    [['target', 'regional_base_url'], target.regional_base_url, false],
    ...recipes.map(
      ({ place, http }) => [[...place, 'http', 'url'], hidePlaceholders(http?.url), true] as const,
    ),
  ];
  return given.flatMap(([place, url, mayHaveQuery]) => {
    if (url === undefined) return [];
    const allowed = mayHaveQuery ? ' and fragment' : ', query and fragment, since paths are appended to it';
    if (!isPlainUrl(url) || (!mayHaveQuery && url.includes('?')))
      return [{ place, message: `must be a valid URL without user name, password${allowed}` }];
    // Accepting any certificate is safe on this machine only.
    const message = `is for targets on loopback only, and ${place.join('.')} is not; trust its certificate with tls.ca`;
    return reportIf(tls.insecure && !isLoopback(url), ['tls', 'insecure'], message);
  });
}

/** The regional address must differ from the global one, or every success there would look like a violation. */
function findRegionalFaults({ target }: WrittenProfile): readonly FileFault[] {
  const { base_url: base, regional_base_url: regional, regional_host: host } = target;
  if (base === undefined || !URL.canParse(base)) return [];
  const todo = 'give a regional address, or remove it';
  const isSameUrl = regional !== undefined && trimSlashes(regional) === trimSlashes(base);
  const isSameHost = host?.toLowerCase().replace(/:\d*$/, '') === new URL(base).hostname;
  return [
    ...reportIf(isSameUrl, ['target', 'regional_base_url'], `is the same as target.base_url; ${todo}`),
    ...reportIf(isSameHost, ['target', 'regional_host'], `is the hostname of target.base_url; ${todo}`),
  ];
}

/** The service would report a placeholder, or a key in quotes, only as an unknown key. */
function findKeyFaults({ keys }: WrittenProfile): readonly FileFault[] {
  return roles.flatMap((role) => {
    const mistake = keys[role] === undefined ? undefined : findKeyMistake(keys[role]);
    return mistake === undefined ? [] : [{ place: ['keys', role], message: mistake }];
  });
}

/** The key that stores for `foreign` is of another workspace, so no role has it. */
function findForeignKeyFaults({ keys, store }: WrittenProfile): readonly FileFault[] {
  const key = store?.scopes?.foreign?.key;
  const role = roles.find((one) => key !== undefined && keys[one] === key);
  const message = `is the same key as keys.${role}; give one of the workspace of interns.foreign`;
  return reportIf(role !== undefined, ['store', 'scopes', 'foreign', 'key'], message);
}

/** Checks the text, since the URL class silently drops blanks and some empty parts. */
function isPlainUrl(text: string): boolean {
  return URL.canParse(text) && !/[\s\\\p{Cc}#]/u.test(text) && !/^[^/]*\/\/[^/?]*@/.test(text);
}

/** Headers that the suite sets itself. */
const ownHeaders = ['host', 'content-length', 'transfer-encoding', 'connection'];

function findHeaderFaults(
  place: MemberPath,
  headers: Readonly<Record<string, string>>,
  reserved: readonly string[],
): readonly FileFault[] {
  const seen = new Set<string>();
  return Object.keys(headers).flatMap((name) => {
    const lower = name.toLowerCase();
    const isRepeated = seen.has(lower);
    seen.add(lower);
    const message = reserved.includes(lower)
      ? 'is set for each request; the address and the keys have fields of their own'
      : 'is already given in another case; keep one';
    return reportIf(reserved.includes(lower) || isRepeated, [...place, name], message);
  });
}

/** Interns must differ, and every named one must have an ID. */
function findInternFaults(
  { interns: ids, disposable_interns: disposable, store }: WrittenProfile,
  recipes: readonly PlacedRecipe[],
): readonly FileFault[] {
  const list = (place: MemberPath, names: readonly string[] = []) =>
    names.map((name, at) => ({ place: [...place, String(at)], name }));
  const members = (place: MemberPath, holder: object = {}) =>
    Object.keys(holder).map((name) => ({ place: [...place, name], name }));
  const named = [
    ...list(['disposable_interns'], disposable),
    ...members(['store', 'names'], store?.names),
    ...members(['store', 'scopes'], store?.scopes),
    ...recipes.flatMap(({ place, http, command }) => [
      ...list([...place, 'http', 'scopes'], http?.scopes),
      ...list([...place, 'command', 'scopes'], command?.scopes),
    ]),
  ];
  const unnamed = named.flatMap(({ place, name }) =>
    reportIf(name !== 'workspace' && !(name in ids), place, `interns has no ID for ${name}; add it there`),
  );
  // If two were the same, every refusal would look broken.
  const given = interns.flatMap((intern) => (ids[intern] === undefined ? [] : [intern]));
  const alike = given.flatMap((intern) => {
    const first = given.find((other) => ids[other]?.toLowerCase() === ids[intern]?.toLowerCase());
    const message = `is the same as interns.${first}; they must differ`;
    return reportIf(first !== intern, ['interns', intern], message);
  });
  return [...unnamed, ...alike];
}

/** A recipe must use the name and the scope of each secret. */
function findRecipeFaults(
  { keys, interns: ids, store }: WrittenProfile,
  { place, only, http, command }: PlacedRecipe,
): readonly FileFault[] {
  if (http === undefined) {
    const isMissing = only !== undefined && command === undefined && store?.names !== undefined;
    return reportIf(isMissing, place, 'needs http or command, since names stores nothing');
  }
  const { url, path, body, key } = http;
  const recipe = [...place, 'http'];
  const has = (...words: readonly Placeholder[]) =>
    words.some((word) => hasPlaceholder([url, path, body], word));
  const usual = Object.keys(ids).filter((intern) => intern !== 'foreign');
  const scopes = only === undefined ? (http.scopes ?? usual) : [only];
  return [
    ...reportIf(!has('{name}'), recipe, 'must contain {name} in its address or its body'),
    ...reportIf(
      scopes.length > 1 && !has('{intern}', '{scope}'),
      recipe,
      'must contain {intern} or {scope}, or list one scope in scopes: otherwise all scopes would share one secret',
    ),
    // A mistyped placeholder would be stored literally.
    ...reportIf(
      /[{}]/.test(hidePlaceholders(url ?? path) ?? ''),
      [...recipe, url === undefined ? 'path' : 'url'],
      `contains a brace that does not belong to one of ${placeholders.join(', ')}; write %7B or %7D for a literal brace`,
    ),
    // `member` is the default.
    ...reportIf(
      key !== 'member' && !(key in keys),
      [...recipe, 'key'],
      'keys has no key for this role; add it there',
    ),
  ];
}

/** Every pattern of an excuse must match a requirement. */
function findPolicyFaults({ policy }: WrittenProfile): readonly FileFault[] {
  const rows = policy.excused.flatMap(({ requirement }, at) => {
    const place = ['policy', 'excused', String(at), 'requirement'];
    return typeof requirement === 'string'
      ? [{ place, pattern: requirement }]
      : requirement.map((pattern, index) => ({ place: [...place, String(index)], pattern }));
  });
  try {
    const patterns = rows.map(({ pattern }) => pattern);
    const matches = matchIds(
      patterns,
      ledger.map(({ id }) => id),
    );
    const unmatched = rows.filter(({ pattern }) => matches.get(pattern)?.length === 0);
    const message = 'matches no requirement; "plumbline requirements" lists their IDs';
    return unmatched.map(({ place }) => ({ place, message }));
  } catch (error) {
    if (!(error instanceof UnusablePattern)) throw error;
    const { place = [] } = rows.find(({ pattern }) => pattern === error.pattern) ?? {};
    return [{ place, message: error.why }];
  }
}

/** The files of `tls` must exist and be readable. */
async function findTlsFaults({ tls }: WrittenProfile, folder: string): Promise<readonly FileFault[]> {
  const faults: FileFault[] = [];
  for (const member of tlsFiles) {
    const path = tls[member];
    if (path === undefined) continue;
    await readFileBytes(resolve(folder, path), mostTlsBytes).catch(({ message: why }: Error) => {
      faults.push({ place: ['tls', member], message: `its file ${why}` });
    });
  }
  return faults;
}
