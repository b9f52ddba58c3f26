import type { Need } from '../spec/need.js';
import { inferenceFaults, vaultFaults } from '../spec/vocabulary.js';
import { invalidCredentials, isRole, openCredentials, otherSchemes, roleWords } from './credential.js';
import { guardrailGroups, internGroups, isElsewhere, type NamedIntern, resolveIntern } from './ids.js';
import {
  type Extras,
  type HostWord,
  hostGroups,
  otherMethods,
  type Situation,
  type StoredPlace,
  storedPlaces,
  type Vocabulary,
} from './situation.js';

// Values of the parts of a request other than credentials (credential.ts), IDs (ids.ts) and names (name-catalogue.ts).

// ── Hostnames ──

export const hostSpellings: Readonly<
  Record<Exclude<HostWord, 'global' | 'regional'>, (host: string) => string>
> = {
  'global-spelled': (host) => host.toUpperCase(),
  'regional-upper': (host) => host.toUpperCase(),
  'regional-mixed': (host) =>
    [...host].map((letter, at) => (at % 2 === 0 ? letter.toUpperCase() : letter)).join(''),
  'regional-port': (host) => setPort(host, ':8443'),
};

function setPort(host: string, port: string): string {
  return `${host.replace(/:\d+$/, '')}${port}`;
}

/** Gives a hostname other ports: those of HTTP and HTTPS, the highest one, and that of the global host where it has one. */
export function setPorts(host: string, globalHost: string): readonly string[] {
  const ports = [':443', ':80', ':65535', ...(/:\d+$/.exec(globalHost) ?? [])];
  return [...ports.map((port) => setPort(host, port)), setPort(host.toUpperCase(), ':443')];
}

/** Ends a hostname with a dot, before its port if it has one. */
export const addDot = (host: string): string => host.replace(/(?=:\d+$)|$/, '.');

/** Headers in which a proxy passes on the requested host. */
export const forwardHost = (host: string): readonly Extras[] =>
  [
    { 'X-Forwarded-Host': host },
    { Forwarded: `host=${host}` },
    { 'X-Host': host, 'X-Original-Host': host, 'X-Forwarded-Server': host },
  ].map((headers) => ({ headers }));

// ── Paths ──

export interface PathSpelling {
  readonly label: string;
  readonly spell: (path: string) => string;
}

/** Encodes a hyphen of the ID in a path. A router decodes it; a filter in front of the router may not. */
export const encodedHyphen: PathSpelling = {
  label: 'an encoded hyphen',
  spell: (path) => path.replace('-', '%2d'),
};

/** Spellings that are the same path once it is decoded. */
export const encodedSpellings: readonly PathSpelling[] = [
  {
    label: 'an encoded letter',
    spell: (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  },
  encodedHyphen,
];

/** Spellings that a router may take for the same path, and a filter before it for another. */
export const pathSpellings: readonly PathSpelling[] = [
  { label: 'a slash at its end', spell: (path) => `${path}/` },
  { label: 'a slash before it', spell: (path) => `/${path}` },
  { label: 'a doubled slash', spell: (path) => path.replace(/(?<=.)\//, '//') },
  { label: 'a dot segment', spell: (path) => `/.${path}` },
  {
    label: 'a letter in upper case',
    spell: (path) => path.replace(/[a-z]/, (letter) => letter.toUpperCase()),
  },
  ...encodedSpellings,
  { label: 'a parameter in it', spell: (path) => path.replace(/^\/\w+/, '$&;x=1') },
];

// ── Extras ──

/** Headers and a query that claim the method is DELETE. */
export const methodOverrides: readonly Extras[] = [
  ...['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'].map((header) => ({
    headers: { [header]: 'DELETE' },
  })),
  { query: '?_method=DELETE' },
];

const query = '?x=1';
const body = '{}';
export const aQuery: Extras = { query };
export const aBody: Extras = { body };
export const halfABody: Extras = { body: '{"name":' };
export const anOrigin: Extras = { headers: { Origin: 'https://elsewhere.test' } };

/** A query by which a server may be asked to say more than usual. */
export const debugQuery = '?debug=true&verbose=1&dry_run=true';
export const queries: readonly Extras[] = [
  query,
  '?name=other&q=100%25',
  '?internId=other&scope=workspace&workspace_id=other&workspaceId=other&force=true',
  // Some names of members of what is read, and the one in which a key may be sent to other services.
  '?key=other&id=other&limit=1&usage=1&name=other&access_token=other',
  '?_method=GET',
  // Parameters by which some frameworks choose the representation.
  '?callback=f&fields=id&locale=de&page=2&filter%5Ba%5D=1&q=a+%E2%82%AC',
  debugQuery,
  // With slashes, after the last of which a server may look for the name.
  '?x%5B%5D=1&x=2&x=3&__proto__=1&y=/a/b',
  // Parameters without an equals sign, without a name, and without a value.
  '?dry_run&=&x=',
  // Not UTF-8, and malformed.
  '?x=%FF&y=%zz',
].map((text) => ({ query: text }));
/** JSON with its charset, which is always UTF-8. */
export const jsonInUtf8 = 'application/json; charset=utf-8';
export const bodies: readonly Extras[] = [
  aBody,
  { body: '{"name":"other","label":7,"limit":"7"}', bodyType: jsonInUtf8 },
  { body: 'text', bodyType: 'text/plain' },
  { body, bodyType: 'application/octet-stream' },
  // A page of any origin may send these without a CORS preflight.
  { body: 'name=other', bodyType: 'application/x-www-form-urlencoded' },
  { body: '--x--\r\n', bodyType: 'multipart/form-data; boundary=x' },
];
/** Origins, the second of a sandboxed page or of a page in a file. */
export const origins: readonly Extras[] = [anOrigin, { headers: { Origin: 'null' } }];
/** Bodies that servers often refuse, kept apart from those above, whose other effects a refusal would hide. */
export const refusedBodies: readonly Extras[] = [
  // Announces a body, without one.
  { headers: { 'Content-Type': 'application/json' } },
  halfABody,
  ...['[]', 'text', 'null', '0'].map((text) => ({ body: text })),
];
/** Headers that only a proxy should set; from a client, they must have no effect. */
export const proxyOnlyHeaders: Extras = {
  headers: {
    'X-HTTP-Method-Override': 'GET',
    'X-Forwarded-Host': 'elsewhere.test',
    'X-Forwarded-For': '127.0.0.1',
    'X-Original-URL': '/',
  },
};
const acceptStream: Extras = { headers: { Accept: 'text/event-stream, */*;q=0.1' } };
// Many clients say with a DELETE that it has no body.
const noBody: Extras = { headers: { 'Content-Length': '0' } };
/** Headers that are not unrelated to an inference request: it has a body, and may ask for a stream. */
export const headersOfOtherRequests: readonly Extras[] = [acceptStream, noBody];
/** A browser's headers; errors must be JSON all the same. */
export const fromBrowser = {
  headers: {
    Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
    'Accept-Language': 'de-Latn-CH, es-419;q=0.5',
    'X-Requested-With': 'XMLHttpRequest',
    'Sec-Fetch-Site': 'same-origin',
    // No text once it is decoded, which nobody asked for.
    Cookie: 'session=plumbline; a=%zz',
  },
} satisfies Extras;
export const unrelatedHeaders: readonly Extras[] = [
  fromBrowser,
  acceptStream,
  {
    headers: {
      ...{ Accept: 'application/json', 'Accept-Encoding': 'identity', 'X-Request-Id': 'plumbline' },
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    },
  },
  // What the fetch of Node.js sends, and a proxy that does not say for whom.
  { headers: { Accept: '*/*', 'Accept-Language': '*', 'X-Forwarded-For': 'unknown' } },
  // The document describes no representation but JSON, and a successful delete has no body.
  { headers: { Accept: 'application/xml, application/json;q=0.5', Prefer: 'return=representation' } },
  noBody,
];

// Languages with another calendar, decimal mark or separator of times, or with other digits.
const languages = ['th-TH', 'fi-FI', 'ar-SA'];

/** Makes an `Accept-Language` header; successive numbers choose different languages. */
export function chooseLanguage(nth: number): Readonly<Record<string, string>> {
  return { 'Accept-Language': languages[nth % languages.length] ?? '' };
}

/** All extras. Each is also tried alone, since a refusal for another reason hides its effect in a generated situation. */
export const extras: readonly Extras[] = [
  ...[unrelatedHeaders, queries, origins, refusedBodies, bodies].flat(),
  proxyOnlyHeaders,
];

// ── What a target can arrange ──

type Offers = (need: Need) => boolean;

const needOfPlace: Readonly<Partial<Record<StoredPlace, Need>>> = {
  'at-the-other-intern': 'intern:sibling',
  'at-the-workspace': 'scope:workspace',
  'at-a-foreign-intern': 'scope:foreign',
};

const needOfHost: Readonly<Partial<Record<HostWord, Need>>> = {
  'global-spelled': 'host-name',
  regional: 'regional',
  'regional-upper': 'regional-host',
  'regional-mixed': 'regional-host',
  'regional-port': 'regional-host',
};

const needOfIntern = (word: NamedIntern): Need | undefined => {
  if (isElsewhere(word)) return 'worlds';
  const intern = resolveIntern(word);
  return intern && `intern:${intern}`;
};

/** Lists what a target must offer to receive the request of a situation, not what it takes to store the secret. */
export function listNeeds(situation: Situation): readonly Need[] {
  const { as, host } = situation;
  return [
    isRole(as) ? (`role:${as}` as const) : undefined,
    needOfHost[host],
    'intern' in situation ? needOfIntern(situation.intern) : undefined,
    'fault' in situation && situation.fault ? (`fault:${situation.fault}` as const) : undefined,
  ].filter((need) => need !== undefined);
}

/** Lists the values that a target can arrange. */
export function listOfferedWords(offers: Offers): Vocabulary {
  const isMet = (need: Need | undefined) => need === undefined || offers(need);
  const hasWorlds = offers('worlds');
  return {
    credentials: [
      ...roleWords.filter((role) => offers(`role:${role}`)),
      ...invalidCredentials,
      ...otherSchemes,
      ...openCredentials,
    ],
    hosts: hostGroups.flat().filter((host) => isMet(needOfHost[host])),
    interns: internGroups.flat().filter((word) => isMet(needOfIntern(word))),
    guardrails: guardrailGroups.flat().filter((word) => hasWorlds || !isElsewhere(word)),
    stored: storedPlaces.filter((place) => isMet(needOfPlace[place])),
    methods: hasWorlds ? otherMethods : [],
    // These may reach a secret that the run did not store, so they are sent only into disposable worlds.
    withoutNames: hasWorlds ? [] : ['routing-ambiguous', 'look-alike'],
    faults: [...vaultFaults, 'guardrail_internal_error' as const, ...inferenceFaults].filter((fault) =>
      offers(`fault:${fault}`),
    ),
  };
}
