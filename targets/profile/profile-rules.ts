import { resolve } from 'node:path';
import { fileBytes, UnreadableFile } from '../../spec/file-text.js';
import { matchesOf, UnusablePattern } from '../../spec/id-patterns.js';
import { ledger } from '../../spec/ledger.js';
import type { Intern } from '../../spec/vocabulary.js';
import { isLoopback } from '../agents.js';
import type { Place, YamlFault } from '../yaml-file.js';
import type { ProfileDraft } from './environment.js';
import { hidePlaceholders, holds, type Placeholder, placeholders } from './profile.js';

/** Addresses that paths are appended to. */
const baseUrls: readonly Place[] = [
  ['target', 'base_url'],
  ['target', 'regional_base_url'],
];
const storeUrl: Place = ['store', 'http', 'url'];

/** Addresses are whole, hold no password and nothing that a path could not follow. */
export function addressFaults(draft: ProfileDraft): readonly YamlFault[] {
  return [
    ...baseUrls.flatMap((place) => messages(draft.text(...place), baseUrlRules).map(at(place))),
    ...messages(hidePlaceholders(draft.text(...storeUrl)), urlRules).map(at(storeUrl)),
    ...insecureFaults(draft),
  ];
}

function at(place: Place): (message: string) => YamlFault {
  return (message) => ({ place, message });
}

/** What may not be in an address, looked for in its text: the URL class drops some of it without a word. */
type AddressRule = readonly [isBroken: (text: string) => boolean, message: string];

const urlRules: readonly AddressRule[] = [
  [(text) => /[\s\\\p{Cc}]/u.test(text), 'holds a blank, a control character or a backslash'],
  [(text) => !URL.canParse(text), 'is no URL; check the host and the port'],
  [(text) => authorityOf(text).includes('@'), 'holds a user name or a password; keys belong under keys'],
  [(text) => text.includes('#'), 'holds a fragment (#); take it out'],
];
const baseUrlRules: readonly AddressRule[] = [
  ...urlRules,
  [(text) => text.includes('?'), 'holds a query (?); paths are appended to it, so take the query out'],
];

function messages(text: string | undefined, rules: readonly AddressRule[]): readonly string[] {
  // Another scheme or none is the schema's to tell.
  if (text === undefined || !/^https?:\/\/[^/]/.test(text)) return [];
  return rules.filter(([isBroken]) => isBroken(text)).map(([, message]) => message);
}

function authorityOf(text: string): string {
  return text.split('//')[1]?.split(/[/?#]/)[0] ?? '';
}

/** Whoever accepts any certificate is to meet nobody but this machine. */
function insecureFaults(draft: ProfileDraft): readonly YamlFault[] {
  if (draft.at('tls', 'insecure') !== true) return [];
  const urls = [...baseUrls, storeUrl].map(
    (place) => [place, hidePlaceholders(draft.text(...place))] as const,
  );
  return urls
    .filter(([, text]) => text !== undefined && URL.canParse(text) && !isLoopback(text))
    .map(([place]) => ({
      place: ['tls', 'insecure'],
      message: `is for targets on loopback only, and ${place.join('.')} is not; trust its certificate with tls.ca`,
    }));
}

// What the client says itself; another value would be sent in its stead or break the message.
const ownHeaders = ['host', 'content-length', 'transfer-encoding', 'connection'];

/** Headers that the suite sets itself are not to be set by a profile. */
export function headerFaults(draft: ProfileDraft): readonly YamlFault[] {
  return [
    ...reserved(draft, ['headers'], [...ownHeaders, 'authorization']),
    ...reserved(draft, ['store', 'http', 'headers'], ownHeaders),
    ...repeatedNames(draft, ['headers']),
    ...repeatedNames(draft, ['store', 'http', 'headers']),
  ];
}

function namesAt(draft: ProfileDraft, place: Place): readonly string[] {
  const headers = draft.at(...place);
  return typeof headers === 'object' && headers !== null && !Array.isArray(headers)
    ? Object.keys(headers)
    : [];
}

function reserved(draft: ProfileDraft, place: Place, names: readonly string[]): readonly YamlFault[] {
  return namesAt(draft, place)
    .filter((name) => names.includes(name.toLowerCase()))
    .map((name) => ({ place: [...place, name], message: setElsewhere(name.toLowerCase()) }));
}

function setElsewhere(name: string): string {
  if (name === 'authorization') return 'is made of the keys for each request; put the key under keys';
  if (name === 'host') return 'is made of the address for each request; put the address under target';
  return 'is made by the client for each request; take it out';
}

/** Names that differ in their case alone are one header. */
function repeatedNames(draft: ProfileDraft, place: Place): readonly YamlFault[] {
  const seen = new Set<string>();
  return namesAt(draft, place).flatMap((name) => {
    const isRepeated = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    return isRepeated
      ? [{ place: [...place, name], message: 'is given before in another case; keep one' }]
      : [];
  });
}

const interns: readonly Intern[] = ['own', 'sibling', 'foreign'];

/** Lists whose entries name interns; a scope `workspace` names none. */
const naming: readonly Place[] = [
  ['disposable_interns'],
  ['store', 'http', 'scopes'],
  ['store', 'command', 'scopes'],
];

/** Interns are told apart, and those that other members speak of have an id. */
export function internFaults(draft: ProfileDraft): readonly YamlFault[] {
  const listed = naming.flatMap((place) => draft.texts(...place));
  const stored = interns
    .map((intern) => [['store', 'names', intern], intern] as const)
    .filter(([place]) => draft.has(...place));
  const unnamed = [...listed, ...stored]
    .filter(([, intern]) => interns.some((known) => known === intern) && !draft.has('interns', intern))
    .map(([place, intern]) => ({ place, message: `interns gives no id for ${intern}; add it there` }));
  return [...unnamed, ...sameInterns(draft)];
}

/** A sibling that is the intern itself would make every refusal look broken. */
function sameInterns(draft: ProfileDraft): readonly YamlFault[] {
  const ids = interns.map((intern) => draft.text('interns', intern)?.toLowerCase());
  return interns.flatMap((intern, index) => {
    const first = ids.indexOf(ids[index]);
    if (ids[index] === undefined || first === index) return [];
    return [
      { place: ['interns', intern], message: `is the same as interns.${interns[first]}; they must differ` },
    ];
  });
}

/** What is excused is in the ledger: a pattern that matches nothing would excuse nothing, silently. */
export function policyFaults(draft: ProfileDraft): readonly YamlFault[] {
  const excused = draft.at('policy', 'excused');
  if (!Array.isArray(excused)) return [];
  const rows = excused.flatMap((_row, index) => {
    const place = ['policy', 'excused', String(index), 'requirement'];
    const pattern = draft.text(...place);
    return pattern === undefined || pattern.trim() === '' ? [] : [{ place, pattern }];
  });
  try {
    const ids = ledger.map(({ id }) => id);
    const matches = matchesOf(
      rows.map(({ pattern }) => pattern),
      ids,
    );
    return rows
      .filter(({ pattern }) => matches.get(pattern)?.length === 0)
      .map(({ place }) => ({
        place,
        message: 'matches no requirement; "plumbline requirements" lists their ids',
      }));
  } catch (error) {
    if (!(error instanceof UnusablePattern)) throw error;
    const { place = [] } = rows.find(({ pattern }) => pattern === error.pattern) ?? {};
    return [{ place, message: error.why }];
  }
}

const storedInterns = ['own', 'sibling'];
const texts = ['url', 'path', 'body'] as const;

/** A recipe stores under the name it is given, and where it is told to. */
export function storeFaults(draft: ProfileDraft): readonly YamlFault[] {
  return [...recipeFaults(draft), ...unknownPlaceholders(draft), ...keyFaults(draft)];
}

function recipeFaults(draft: ProfileDraft): readonly YamlFault[] {
  const http = ['store', 'http'] as const;
  const given = texts.filter((member) => draft.has(...http, member));
  // What is not known yet may hold them.
  if (given.length === 0 || given.some((member) => draft.isUnfilled(...http, member))) return [];
  const holdsOne = (...words: readonly Placeholder[]) =>
    given.some((member) => words.some((word) => holds(draft.at(...http, member), word)));
  const scopes: unknown =
    draft.at(...http, 'scopes') ?? storedInterns.filter((intern) => draft.has('interns', intern));
  const faults: YamlFault[] = [];
  if (!holdsOne('{name}'))
    faults.push({ place: http, message: 'holds {name} neither in its address nor in its body' });
  if (Array.isArray(scopes) && scopes.length > 1 && !holdsOne('{intern}', '{scope}')) {
    const message =
      'holds neither {intern} nor {scope}, so that all scopes would be one; or give one in scopes';
    faults.push({ place: http, message });
  }
  return faults;
}

/** A brace in an address that opens no placeholder: a mistyped one would be stored as it stands. */
function unknownPlaceholders(draft: ProfileDraft): readonly YamlFault[] {
  const message = `holds a brace that is none of ${placeholders.join(', ')}; write %7B or %7D for a brace itself`;
  return (['url', 'path'] as const)
    .map((member) => ['store', 'http', member] as const)
    .filter((place) =>
      /[{}]/.test((draft.text(...place) ?? '').replace(/\{(?:intern|name|value|scope)\}/g, '')),
    )
    .map((place) => ({ place, message }));
}

function keyFaults(draft: ProfileDraft): readonly YamlFault[] {
  const role = draft.text('store', 'http', 'key');
  if (role === undefined || draft.has('keys', role)) return [];
  return [{ place: ['store', 'http', 'key'], message: 'keys gives no key for this role; add it there' }];
}

/** The members of `tls` that name files. */
export const tlsFiles = ['ca', 'cert', 'key'] as const;

/** The most bytes of such a file: a bundle of every authority there is has a quarter of it. */
export const mostTlsBytes = 1_000_000;

/** The files of `tls` are there and can be read; their paths are relative to `folder`. */
export async function tlsFaults(draft: ProfileDraft, folder: string): Promise<readonly YamlFault[]> {
  const faults = await Promise.all(
    tlsFiles.map(async (member) => {
      const path = draft.text('tls', member);
      if (path === undefined || path.trim() === '') return [];
      const trouble = await unreadable(resolve(folder, path));
      return trouble === undefined ? [] : [{ place: ['tls', member], message: `its file ${trouble}` }];
    }),
  );
  return faults.flat();
}

/** Why a file cannot be read; undefined where it can. */
async function unreadable(path: string): Promise<string | undefined> {
  try {
    await fileBytes(path, mostTlsBytes);
    return undefined;
  } catch (error) {
    if (error instanceof UnreadableFile) return error.message;
    throw error;
  }
}
