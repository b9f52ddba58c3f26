import type { Need } from '../spec/need.js';
import { inferenceFaults, vaultFaults } from '../spec/vocabulary.js';
import { isRole, openCredentials, otherSchemes, roleWords, spoiltCredentials } from './credential.js';
import { isElsewhere, type NamedIntern, namedGuardrails, namedInterns, resolveIntern } from './ids.js';
import {
  type Extras,
  type HostWord,
  hosts,
  otherMethods,
  type Situation,
  type StoredPlace,
  storedPlaces,
  type Vocabulary,
} from './situation.js';

// What a part of a request can be, credentials (credential.ts), ids (ids.ts) and names (name-catalogue.ts) aside.

// ── Hostnames ──

/** Ways to write a hostname, by the word that names them. */
export const hostSpellings: Readonly<
  Record<Exclude<HostWord, 'global' | 'regional'>, (host: string) => string>
> = {
  'global-spelled': (host) => host.toUpperCase(),
  'regional-upper': (host) => host.toUpperCase(),
  'regional-mixed': (host) =>
    [...host].map((letter, at) => (at % 2 === 0 ? letter.toUpperCase() : letter)).join(''),
  'regional-port': (host) => `${host}:8443`,
};

/** The hostname with the default ports of HTTP and HTTPS, and with the highest port there is. */
export const addUsualPorts = (host: string): readonly string[] => [
  `${host}:443`,
  `${host}:80`,
  `${host.toUpperCase()}:443`,
  `${host}:65535`,
];

/** Headers in which a proxy states the requested host. */
export const forwardHost = (host: string): readonly Extras[] =>
  [{ 'X-Forwarded-Host': host }, { Forwarded: `host=${host}` }, { 'X-Host': host }].map((headers) => ({
    headers,
  }));

// ── What may come along ──

/** What claims that the method is another one. */
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

export const queries: readonly Extras[] = [
  query,
  '?name=other&q=100%25',
  '?internId=other&scope=workspace&force=true',
  '?key=other&id=other',
  '?_method=GET',
  // Names that some frameworks take for a choice of representation.
  '?format=xml&callback=f&fields=id',
  '?debug=true&verbose=1&dry_run=true',
  '?x[]=1&x=2&x=3&__proto__=1',
].map((text) => ({ query: text }));
export const bodies: readonly Extras[] = [
  aBody,
  { body: '{"name":"other"}' },
  { body: 'text', bodyType: 'text/plain' },
  { body, bodyType: 'application/octet-stream' },
];
/** What a page of any origin may send without asking. */
export const forms: readonly Extras[] = [
  { body: 'name=other', bodyType: 'application/x-www-form-urlencoded' },
  { body: '--x--\r\n', bodyType: 'multipart/form-data; boundary=x' },
];
/** What is most likely refused, a body that is announced and not there too, so that it would mask what a body does otherwise. */
export const refusedExtras: readonly Extras[] = [
  anOrigin,
  // What a browser sends of a sandboxed page, or of one in a file.
  { headers: { Origin: 'null' } },
  { headers: { 'Content-Type': 'application/json' } },
  halfABody,
  ...['[]', 'text', 'null', '0'].map((text) => ({ body: text })),
];
/** Headers that a proxy may set about the request that it got; set by a client, they must change nothing. */
export const claims: Extras = {
  headers: {
    'X-HTTP-Method-Override': 'GET',
    'X-Forwarded-Host': 'elsewhere.test',
    'X-Forwarded-For': '127.0.0.1',
    'X-Original-URL': '/',
  },
};
export const unrelatedHeaders: readonly Extras[] = [
  // A browser's; errors are JSON all the same.
  {
    Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
    'Accept-Language': 'de, en;q=0.5',
    Cookie: 'session=plumbline',
  },
  { Accept: 'text/event-stream, */*;q=0.1' },
  { Accept: 'application/json', 'X-Request-Id': 'plumbline' },
  { Accept: '*/*' },
].map((headers) => ({ headers }));

// ── What a target can make true ──

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

/** What a target must offer so that a request of a situation can be sent; what is stored before is not looked at. */
export function listNeeds(situation: Situation): readonly Need[] {
  const { as, host } = situation;
  return [
    isRole(as) ? (`role:${as}` as const) : undefined,
    needOfHost[host],
    'intern' in situation ? needOfIntern(situation.intern) : undefined,
    'fault' in situation && situation.fault ? (`fault:${situation.fault}` as const) : undefined,
  ].filter((need) => need !== undefined);
}

function makeVocabulary(offers: Offers): Vocabulary {
  const isMet = (need: Need | undefined) => need === undefined || offers(need);
  const hasWorlds = offers('worlds');
  return {
    credentials: [
      ...roleWords.filter((role) => offers(`role:${role}`)),
      ...spoiltCredentials,
      ...otherSchemes,
      ...openCredentials,
    ],
    hosts: hosts.filter((host) => isMet(needOfHost[host])),
    interns: namedInterns.filter((word) => isMet(needOfIntern(word))),
    guardrails: namedGuardrails.filter((word) => hasWorlds || !isElsewhere(word)),
    stored: storedPlaces.filter((place) => isMet(needOfPlace[place])),
    methods: hasWorlds ? otherMethods : [],
    // What may be routed elsewhere, and what must look like a name of its own, is sent into disposable worlds only.
    withoutNames: hasWorlds ? [] : ['routing-ambiguous', 'look-alike'],
    faults: [...vaultFaults, 'guardrail_internal_error' as const, ...inferenceFaults].filter((fault) =>
      offers(`fault:${fault}`),
    ),
    // Free models serve an account that others share too seldom.
    models: (hasWorlds ? (['free', 'paid'] as const) : (['paid', 'free'] as const)).filter((model) =>
      offers(`inference:${model}`),
    ),
  };
}

const known = new Map<string, Vocabulary>();

/** The words of situations that a target can make true; the same object for the same offers. */
export function listOfferedWords(offers: Offers): Vocabulary {
  const made = makeVocabulary(offers);
  const key = JSON.stringify(made);
  const words = known.get(key) ?? made;
  known.set(key, words);
  return words;
}
