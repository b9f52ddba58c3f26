import { createHash } from 'node:crypto';
import type { Need } from '../spec/need.js';
import { inferenceFaults, vaultFaults } from '../spec/vocabulary.js';
import { isRole, openCredentials, otherSchemes, roleWords, spoiltCredentials } from './credential.js';
import {
  type Extras,
  type HostWord,
  hosts,
  type NamedIntern,
  namedGuardrails,
  namedInterns,
  otherMethods,
  resolveIntern,
  type Situation,
  type StoredPlace,
  storedPlaces,
  type Vocabulary,
} from './situation.js';

// Every value that a part of a request can take, credentials (credential.ts) and names (name-catalogue.ts) aside.

// ── Ids ──

/** What stands where the id of an intern or a guardrail should, made from a real one. */
export interface OddId {
  /** It is the id of nothing, no id at all, or no percent-encoded text. */
  readonly class: 'unknown' | 'malformed' | 'ill-encoded';
  readonly label: string;
  readonly of: (id: string) => string;
}

const makeOddId =
  (word: OddId['class']) =>
  (label: string, of: OddId['of']): OddId => ({ class: word, label, of });
const malform = makeOddId('malformed');
const misencode = makeOddId('ill-encoded');

/** An id that names nothing, always the same for a text. A version 4 UUID: other versions may be refused as malformed. */
export function makeUnknownId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export const makeUnknown = (what: 'intern' | 'guardrail'): OddId =>
  makeOddId('unknown')(`an unknown ${what}`, makeUnknownId);

/** An id with another hex digit at one place; those of version and variant stay, or it may be refused as malformed. */
export function changeDigit(place: number): OddId {
  const of = (id: string) => `${id.slice(0, place)}${id[place] === '7' ? '8' : '7'}${id.slice(place + 1)}`;
  return makeOddId('unknown')(`the id with another digit at place ${place + 1}`, of);
}

/** Names, in the words of a situation, what stands where an id should. */
export const nameOddId = ({ class: word }: OddId) => (word === 'unknown' ? 'unknown' : 'malformed');

export const cutId = malform('the id without its last digit', (id) => id.slice(0, -1));
export const aWord = malform('a word', () => 'not-a-uuid');

/** Things that stand where a UUID should; a lenient reader would find what it names in most of them. */
export const malformedIds: readonly OddId[] = [
  malform('the id with a letter that is no digit', (id) => `${id.slice(0, -1)}g`),
  malform('the id without dashes', (id) => id.replaceAll('-', '')),
  malform('a number', () => '12345'),
  malform('null', () => 'null'),
  malform('the id in braces', (id) => `%7B${id}%7D`),
  malform('the id as a URN', (id) => `urn:uuid:${id}`),
  malform('the id with one digit more', (id) => `${id}0`),
  malform('the id with underscores', (id) => id.replaceAll('-', '_')),
  malform('the id with a dash moved', (id) => `${id.slice(0, 7)}-${id.slice(7, 8)}${id.slice(9)}`),
  malform('the id after a blank', (id) => `%20${id}`),
  malform('the id before a blank', (id) => `${id}%20`),
  malform('the id before a line feed', (id) => `${id}%0A`),
  malform('the id before a NUL', (id) => `${id}%00`),
  malform('the id with a wildcard', (id) => `${id.slice(0, -1)}*`),
  malform('the id twice', (id) => `${id},${id}`),
  malform('a blank', () => '%20'),
  malform('a nil UUID and a letter', () => '00000000-0000-0000-0000-00000000000g'),
];

export const illEncodedIds: readonly OddId[] = [
  misencode('the id and a percent sign', (id) => `${id}%`),
  misencode('the id and half an escape', (id) => `${id}%2`),
  misencode('the id after a malformed escape', (id) => `%zz${id}`),
];

// ── Hostnames ──

/** Ways to write a hostname, by the word that names them. */
const spellings: Readonly<Record<Exclude<HostWord, 'global' | 'regional'>, (host: string) => string>> = {
  'global-spelled': (host) => host.toUpperCase(),
  'regional-upper': (host) => host.toUpperCase(),
  'regional-mixed': (host) =>
    [...host].map((letter, at) => (at % 2 === 0 ? letter.toUpperCase() : letter)).join(''),
  'regional-port': (host) => `${host}:8443`,
};

/** A hostname as a word writes it. */
export function spellHost(word: keyof typeof spellings, host: string): string {
  return spellings[word](host);
}

/** The hostname with the ports that its schemes stand for. */
export const addUsualPorts = (host: string): readonly string[] => [
  `${host}:443`,
  `${host}:80`,
  `${host.toUpperCase()}:443`,
];

/** Headers in which a proxy tells which host was asked for. */
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
  '?name=other',
  '?internId=other&force=true',
  '?key=other&id=other',
  '?_method=GET',
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
  { headers: { 'Content-Type': 'application/json' } },
  halfABody,
  ...['[]', 'text'].map((text) => ({ body: text })),
];
/** What a proxy may set to tell of the request that it got; whoever sets it from outside must change nothing. */
export const claims: Extras = {
  headers: {
    'X-HTTP-Method-Override': 'GET',
    'X-Forwarded-Host': 'elsewhere.test',
    'X-Forwarded-For': '127.0.0.1',
    'X-Original-URL': '/',
  },
};
export const unrelatedHeaders: readonly Extras[] = [
  { Accept: '*/*' },
  { 'Accept-Language': 'de, en;q=0.5' },
  { 'X-Request-Id': 'plumbline' },
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
  if (word === 'elsewhere') return 'worlds';
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
    guardrails: namedGuardrails.filter((word) => hasWorlds || !word.startsWith('elsewhere')),
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

const asked: Need[] = [];
makeVocabulary((need) => {
  asked.push(need);
  return true;
});
const known = new Map<string, Vocabulary>();

/** The words of situations that a target can make true; the same object for the same offers. */
export function listOfferedWords(offers: Offers): Vocabulary {
  const isOffered = new Map(asked.map((need) => [need, offers(need)]));
  const key = [...isOffered.values()].map(Number).join('');
  const words = known.get(key) ?? makeVocabulary((need) => isOffered.get(need) === true);
  known.set(key, words);
  return words;
}
