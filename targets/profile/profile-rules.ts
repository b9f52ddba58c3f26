import { resolve } from 'node:path';
import { matchesOf, UnusablePattern } from '../../spec/id-patterns.js';
import { ledger } from '../../spec/ledger.js';
import { readFileBytes, UnreadableFile } from '../../spec/read-file.js';
import type { Intern } from '../../spec/vocabulary.js';
import { isLoopback } from '../agents.js';
import type { FileFault, MemberPath } from '../yaml-file.js';
import type { ProfileDraft } from './environment.js';
import { hasPlaceholder, hidePlaceholders, type Placeholder, placeholders } from './profile.js';

/**
 * Finds what the schema of a profile cannot see.
 * @param folder what the paths of files are relative to
 */
export async function findProfileFaults(draft: ProfileDraft, folder: string): Promise<readonly FileFault[]> {
  return [
    ...findAddressFaults(draft),
    ...findHeaderFaults(draft),
    ...findInternFaults(draft),
    ...findStoreFaults(draft),
    ...findPolicyFaults(draft),
    ...(await findTlsFaults(draft, folder)),
  ];
}

/** What may not be in an address, looked for in its text: the URL class drops some of it without a word. */
type AddressRule = readonly [isBroken: (text: string) => boolean, message: string];

const urlRules: readonly AddressRule[] = [
  [(text) => /[\s\\\p{Cc}]/u.test(text), 'must not hold a blank, a control character or a backslash'],
  [(text) => !URL.canParse(text), 'is not a valid URL; check the host and the port'],
  [
    (text) => /^[^/]*\/\/[^/?#]*@/.test(text),
    'must not hold a user name or a password; keys belong under keys',
  ],
  [(text) => text.includes('#'), 'must not hold a fragment (#); remove it'],
];
const baseUrlRules: readonly AddressRule[] = [
  ...urlRules,
  [(text) => text.includes('?'), 'must not hold a query (?), since paths are appended to it; remove it'],
];

/** Addresses are whole, hold no password and nothing that a path could not follow. */
function findAddressFaults(draft: ProfileDraft): readonly FileFault[] {
  const storeUrl = hidePlaceholders(draft.text('store', 'http', 'url'));
  const given = [
    ...['base_url', 'regional_base_url'].flatMap((member) => {
      const text = draft.text('target', member);
      return text === undefined ? [] : [{ place: ['target', member], rules: baseUrlRules, text }];
    }),
    ...Object.keys(Object(draft.at('store', 'scopes'))).flatMap((scope) => {
      const place = ['store', 'scopes', scope, 'http', 'url'];
      const text = hidePlaceholders(draft.text(...place));
      return text === undefined ? [] : [{ place, rules: urlRules, text }];
    }),
    ...(storeUrl === undefined ? [] : [{ place: ['store', 'http', 'url'], rules: urlRules, text: storeUrl }]),
  ];
  // The schema finds another scheme, or none.
  const broken = given
    .filter(({ text }) => /^https?:\/\/[^/]/.test(text))
    .flatMap(({ place, rules, text }) =>
      rules.filter(([isBroken]) => isBroken(text)).map(([, message]) => ({ place, message })),
    );
  // Whoever accepts any certificate is to meet nobody but this machine.
  const insecure = given
    .filter(({ text }) => draft.at('tls', 'insecure') === true && URL.canParse(text) && !isLoopback(text))
    .map(({ place }) => ({
      place: ['tls', 'insecure'],
      message: `is for targets on loopback only, and ${place.join('.')} is not; trust its certificate with tls.ca`,
    }));
  return [...broken, ...insecure];
}

const setByClient = 'is made by the client for each request; remove it';

/** Headers that the suite sets itself: another value would be sent in their stead or break the message. */
const ownHeaders: ReadonlyMap<string, string> = new Map([
  ['host', 'is made of the address for each request; put the address under target'],
  ['content-length', setByClient],
  ['transfer-encoding', setByClient],
  ['connection', setByClient],
]);

function findHeaderFaults(draft: ProfileDraft): readonly FileFault[] {
  const authorization = 'is made of the keys for each request; put the key under keys';
  return [
    ...findHeaderFaultsAt(draft, ['headers'], new Map([...ownHeaders, ['authorization', authorization]])),
    ...findHeaderFaultsAt(draft, ['store', 'http', 'headers'], ownHeaders),
  ];
}

function findHeaderFaultsAt(
  draft: ProfileDraft,
  place: MemberPath,
  reserved: ReadonlyMap<string, string>,
): readonly FileFault[] {
  const headers = draft.at(...place);
  const names = Array.isArray(headers) || typeof headers !== 'object' ? [] : Object.keys(headers ?? {});
  const seen = new Set<string>();
  return names.flatMap((name) => {
    const lower = name.toLowerCase();
    // Names that differ in their case alone are one header.
    const repeated = seen.has(lower) ? 'is already given in another case; keep one' : undefined;
    seen.add(lower);
    const messages = [reserved.get(lower), repeated].filter((message) => message !== undefined);
    return messages.map((message) => ({ place: [...place, name], message }));
  });
}

const interns: readonly Intern[] = ['own', 'sibling', 'foreign'];

/** Lists whose entries name interns; a scope `workspace` names none. */
const namingInterns: readonly MemberPath[] = [
  ['disposable_interns'],
  ['store', 'http', 'scopes'],
  ['store', 'command', 'scopes'],
];

/** Interns differ, and those that other members name have an id. */
function findInternFaults(draft: ProfileDraft): readonly FileFault[] {
  const listed = namingInterns.flatMap((place) => draft.texts(...place));
  const scopes = interns
    .map((intern) => [['store', 'scopes', intern], intern] as const)
    .filter(([place]) => draft.has(...place));
  const stored = interns
    .map((intern) => [['store', 'names', intern], intern] as const)
    .filter(([place]) => draft.has(...place));
  const unnamed = [...listed, ...stored, ...scopes]
    .filter(([, intern]) => interns.some((known) => known === intern) && !draft.has('interns', intern))
    .map(([place, intern]) => ({ place, message: `interns gives no id for ${intern}; add it there` }));
  const ids = interns.map((intern) => draft.text('interns', intern)?.toLowerCase());
  // A sibling that is the intern itself would make every refusal look broken.
  const alike = interns.flatMap((intern, index) => {
    const first = ids.indexOf(ids[index]);
    if (ids[index] === undefined || first === index) return [];
    return [
      { place: ['interns', intern], message: `is the same as interns.${interns[first]}; they must differ` },
    ];
  });
  return [...unnamed, ...alike];
}

/** A recipe stores under the name it is given, and where it is told to. */
function findStoreFaults(draft: ProfileDraft): readonly FileFault[] {
  const scopes = Object.keys(Object(draft.at('store', 'scopes')));
  const ofScopes = scopes.flatMap((scope) => {
    const place = ['store', 'scopes', scope];
    const hasOwn = draft.has(...place, 'http') || draft.has(...place, 'command');
    const isMissing = !hasOwn && draft.has('store', 'names');
    const message = 'needs http or command: names store nothing';
    return [
      ...(isMissing ? [{ place, message }] : []),
      ...findRecipeFaults(draft, [...place, 'http'], [scope]),
    ];
  });
  return [...findRecipeFaults(draft, ['store', 'http']), ...ofScopes];
}

/** @param only the scopes that the recipe is for, if its place says so */
function findRecipeFaults(
  draft: ProfileDraft,
  recipe: MemberPath,
  only?: readonly string[],
): readonly FileFault[] {
  const faults: FileFault[] = [];
  const given = ['url', 'path', 'body'].filter((member) => draft.has(...recipe, member));
  // What is not known yet may hold them.
  if (given.length > 0 && !given.some((member) => draft.isUnfilled(...recipe, member))) {
    const has = (...words: readonly Placeholder[]) =>
      given.some((member) => words.some((word) => hasPlaceholder(draft.at(...recipe, member), word)));
    const scopes: unknown =
      only ??
      draft.at(...recipe, 'scopes') ??
      ['own', 'sibling'].filter((intern) => draft.has('interns', intern));
    if (!has('{name}'))
      faults.push({ place: recipe, message: 'must hold {name} in its address or in its body' });
    if (Array.isArray(scopes) && scopes.length > 1 && !has('{intern}', '{scope}')) {
      const message = 'must hold {intern} or {scope}, or name one scope in scopes: all would be one';
      faults.push({ place: recipe, message });
    }
  }
  // A mistyped placeholder in an address would be stored as it stands.
  const message = `holds a brace that is none of ${placeholders.join(', ')}; write %7B or %7D for a brace itself`;
  for (const place of ['url', 'path'].map((member) => [...recipe, member]))
    if (/[{}]/.test(hidePlaceholders(draft.text(...place)) ?? '')) faults.push({ place, message });
  const role = draft.text(...recipe, 'key');
  if (role !== undefined && !draft.has('keys', role))
    faults.push({ place: [...recipe, 'key'], message: 'keys gives no key for this role; add it there' });
  return faults;
}

/** What is excused is in the ledger: a pattern that matches nothing would excuse nothing, silently. */
function findPolicyFaults(draft: ProfileDraft): readonly FileFault[] {
  const excused = draft.at('policy', 'excused');
  if (!Array.isArray(excused)) return [];
  const rows = excused.flatMap((_row, index) => {
    const place = ['policy', 'excused', String(index), 'requirement'];
    const pattern = draft.text(...place);
    const listed = pattern === undefined ? draft.texts(...place) : [[place, pattern] as const];
    return listed.flatMap(([at, text]) => (text.trim() === '' ? [] : [{ place: at, pattern: text }]));
  });
  try {
    const patterns = rows.map(({ pattern }) => pattern);
    const matches = matchesOf(
      patterns,
      ledger.map(({ id }) => id),
    );
    const unmatched = rows.filter(({ pattern }) => matches.get(pattern)?.length === 0);
    const message = 'matches no requirement; "plumbline requirements" lists their ids';
    return unmatched.map(({ place }) => ({ place, message }));
  } catch (error) {
    if (!(error instanceof UnusablePattern)) throw error;
    const { place = [] } = rows.find(({ pattern }) => pattern === error.pattern) ?? {};
    return [{ place, message: error.why }];
  }
}

/** The members of `tls` that name files. */
export const tlsFiles = ['ca', 'cert', 'key'] as const;

/** The most bytes of such a file: a bundle of every authority there is has a quarter of it. */
export const mostTlsBytes = 1_000_000;

/** The files of `tls` are there and can be read. */
async function findTlsFaults(draft: ProfileDraft, folder: string): Promise<readonly FileFault[]> {
  const faults = await Promise.all(
    tlsFiles.map(async (member) => {
      const path = draft.text('tls', member);
      if (path === undefined || path.trim() === '') return [];
      return readFileBytes(resolve(folder, path), mostTlsBytes).then(
        () => [],
        (error: unknown) => {
          if (!(error instanceof UnreadableFile)) throw error;
          return [{ place: ['tls', member], message: `its file ${error.message}` }];
        },
      );
    }),
  );
  return faults.flat();
}
