import fc from 'fast-check';
import { type Fault, type Role, vaultFaults } from '../spec/vocabulary.js';
import {
  type CredentialWord,
  openCredentials,
  otherSchemes,
  type RoleWord,
  spoiltCredentials,
} from './credential.js';
import {
  type InvalidName,
  type InvalidNameClass,
  secretName,
  type ValidName,
  validName,
} from './secret-name.js';

/** The hostname that a request arrives on; the spelled ones are the regional name written otherwise (§5.5). */
export const hosts = [
  'global',
  'global-spelled',
  'regional',
  'regional-upper',
  'regional-mixed',
  'regional-port',
] as const;
export type HostWord = (typeof hosts)[number];

/** The intern that a vault path names. */
export const namedInterns = ['own', 'sibling', 'foreign', 'unknown', 'malformed'] as const;
export type NamedIntern = (typeof namedInterns)[number];

/** Where the secret is stored, as seen from the path: there, only elsewhere, or nowhere. */
export const storedPlaces = [
  'there',
  'at-the-other-intern',
  'at-the-workspace',
  'at-a-foreign-intern',
  'nowhere',
] as const;
export type StoredPlace = (typeof storedPlaces)[number];

/** Methods that the document gives no meaning on the path of the delete. */
export const otherMethods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH'] as const;
type OtherMethod = (typeof otherMethods)[number];

/** What may come with a request and need not matter (§7.1). */
export interface Extras {
  readonly query?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The facts about a vault delete that decide what it may be answered (§4.1). */
export interface VaultSituation extends Extras {
  readonly operation: 'vault-delete';
  readonly as: CredentialWord;
  readonly host: HostWord;
  readonly intern: NamedIntern;
  readonly name: ValidName | InvalidName;
  readonly stored: StoredPlace;
  readonly fault?: Fault;
  /** DELETE where absent. */
  readonly method?: OtherMethod;
}

/** The guardrail that a path names. */
export const namedGuardrails = ['own', 'unknown', 'malformed'] as const;
export type NamedGuardrail = (typeof namedGuardrails)[number];

/** The facts about a guardrail read (§4.2). */
export interface GuardrailSituation extends Extras {
  readonly operation: 'guardrail-read';
  readonly as: CredentialWord;
  readonly host: HostWord;
  readonly id: NamedGuardrail;
  readonly fault?: Fault;
}

/** The facts about a key read (§4.3). */
export interface KeySituation extends Extras {
  readonly operation: 'key-info';
  readonly as: CredentialWord;
  readonly host: HostWord;
}

/** The facts about one request that decide what it may be answered. */
export type Situation = VaultSituation | GuardrailSituation | KeySituation;

/** The words that a target can make true; what it does not offer is not generated. */
export interface Vocabulary {
  readonly credentials: readonly CredentialWord[];
  readonly hosts: readonly HostWord[];
  readonly interns: readonly NamedIntern[];
  readonly stored: readonly StoredPlace[];
  readonly faults: readonly Fault[];
  /** Methods that may be tried in place of DELETE. */
  readonly methods: readonly OtherMethod[];
  /** Classes of names that may not be sent. */
  readonly withoutNames: readonly InvalidNameClass[];
}

const goodFor = { 'vault-delete': 'member', 'guardrail-read': 'management', 'key-info': 'member' } as const;

/** A situation in which the document leaves nothing wrong: the plain success. */
export function plainVault(name: ValidName, intern: 'own' | 'sibling' = 'own'): VaultSituation {
  return {
    operation: 'vault-delete',
    as: goodFor['vault-delete'],
    host: 'global',
    intern,
    name,
    stored: 'there',
  };
}

const plainGuardrail: GuardrailSituation = {
  operation: 'guardrail-read',
  as: goodFor['guardrail-read'],
  host: 'global',
  id: 'own',
};
const plainKey: KeySituation = { operation: 'key-info', as: goodFor['key-info'], host: 'global' };

/** One change of a situation for the worse, or for the unusual. */
type Change<S extends Situation> = Partial<Omit<S, 'operation'>>;

const queries = ['?x=1', '?name=other', '?internId=other&force=true', '?force=true'].map((query) => ({
  query,
}));
const bodies = ['{}', '{"name":"other"}', '{"name":', '[]', 'text'].map((body) => ({ body }));
const unrelatedHeaders: readonly Readonly<Record<string, string>>[] = [
  { Origin: 'https://elsewhere.test' },
  { Accept: '*/*' },
  { 'Accept-Language': 'de, en;q=0.5' },
  { 'X-Request-Id': 'plumbline' },
];
const headed = unrelatedHeaders.map((headers) => ({ headers }));
const everyExtra: readonly Extras[] = [...queries, ...bodies, ...headed];

const extras: fc.Arbitrary<Extras> = fc.oneof(
  fc.constantFrom(...queries),
  fc.constantFrom(...bodies),
  fc.constantFrom(...headed),
);

/** The arbitraries of situations, by how many things are wrong in them. */
export function situations(words: Vocabulary) {
  const vaultChanges = vaultChangesOf(words);
  const guardrailChanges: readonly fc.Arbitrary<Change<GuardrailSituation>>[] = [
    ...credentialChanges(words, 'management'),
    fc.constantFrom<NamedGuardrail>('unknown', 'malformed').map((id) => ({ id })),
    ...faultChanges(words, ['guardrail_internal_error']),
    extras,
  ];
  const keyChanges: readonly fc.Arbitrary<Change<KeySituation>>[] = [
    ...credentialChanges(words, 'member'),
    extras,
  ];
  return {
    /** A vault delete with one thing wrong: `{ as: 'provisioning', intern: 'sibling', … }`. */
    vaultOneWrong: (): fc.Arbitrary<VaultSituation> => changed(vaultStart(words), vaultChanges, 1, 1),
    /** A vault delete with up to four things wrong; it can shrink to one, which says whose rule is broken. */
    vaultManyWrong: (): fc.Arbitrary<VaultSituation> => changed(vaultStart(words), vaultChanges, 1, 4),
    /** A guardrail read with up to three things wrong; what the hostname does to a read is not stated. */
    guardrail: (): fc.Arbitrary<GuardrailSituation> =>
      changed(fc.constant(plainGuardrail), guardrailChanges, 0, 3),
    /** A key read with up to two things wrong. */
    key: (): fc.Arbitrary<KeySituation> => changed(fc.constant(plainKey), keyChanges, 0, 2),
  };
}

/** Names at both ends of what a server may treat differently: the shortest, and a long one of every kind of sign. */
const walkedNames = {
  short: validName('a'),
  long: validName('long_name_0_with_every_sign_1_in_it_and_more_than_64_characters_2_of_them'),
};

/**
 * Every single thing that can be wrong, once at the one intern with a short name, once at the other with a long one: a
 * trouble that only the intern or only the length brings about shows in either.
 */
export function walkVaultOneWrong(words: Vocabulary): readonly VaultSituation[] {
  const changes: readonly Change<VaultSituation>[] = [
    ...words.credentials.map((as) => ({ as })),
    ...words.hosts.map((host) => ({ host })),
    ...words.interns
      .filter((intern) => intern !== 'own' && intern !== 'sibling')
      .map((intern) => ({ intern })),
    ...words.faults.filter((fault) => vaultFaults.includes(fault)).map((fault) => ({ fault })),
    ...words.methods.map((method) => ({ method })),
  ];
  const other = words.interns.includes('sibling') ? 'sibling' : 'own';
  const [short, long] = [plainVault(walkedNames.short), plainVault(walkedNames.long, other)];
  // Where a secret is found depends on both.
  const everyPlace = [walkedNames.short, walkedNames.long].flatMap((name) =>
    (['own', other] as const).flatMap((intern) =>
      words.stored.map((stored) => ({ ...plainVault(name, intern), stored })),
    ),
  );
  return [
    ...everyPlace,
    ...[short, long].flatMap((plain) => changes.map((change) => ({ ...plain, ...change }))),
    ...everyExtra.map((extra) => ({ ...short, ...extra })),
    ...besideExtras(walkedNames.short, words),
  ];
}

/** Refusals beside a query string or a body: what may be ignored must not let a refusal be forgotten. */
function besideExtras(name: ValidName, words: Vocabulary): readonly VaultSituation[] {
  const credentials = words.credentials.filter((as) => as === 'none' || isRole(as));
  const changes: readonly Change<VaultSituation>[] = [
    ...credentials.map((as) => ({ as })),
    ...words.hosts.filter((host) => host === 'regional').map((host) => ({ host })),
    ...words.interns.filter((intern) => intern === 'foreign').map((intern) => ({ intern })),
    ...words.stored.filter((stored) => stored === 'nowhere').map((stored) => ({ stored })),
  ];
  const troubled: readonly Change<VaultSituation>[] = [
    ...words.credentials.filter((as) => as === 'write_disabled').map((as) => ({ as })),
    ...words.faults.filter((fault) => vaultFaults.includes(fault)).map((fault) => ({ fault })),
  ];
  return [
    ...changes.flatMap((change) =>
      [{ query: '?x=1' }, { body: '{}' }].map((extra) => ({ ...plainVault(name), ...change, ...extra })),
    ),
    ...troubled.map((change) => ({ ...plainVault(name), ...change, query: '?force=true' })),
  ];
}

/** A guardrail read with every credential and host. */
export function walkGuardrail({ credentials, hosts: offered }: Vocabulary): readonly GuardrailSituation[] {
  return [
    ...credentials.map((as) => ({ ...plainGuardrail, as })),
    ...offered.map((host) => ({ ...plainGuardrail, host })),
  ];
}

/** A key read with every credential and host. */
export function walkKey({ credentials, hosts: offered }: Vocabulary): readonly KeySituation[] {
  return [
    ...credentials.map((as) => ({ ...plainKey, as })),
    ...offered.map((host) => ({ ...plainKey, host })),
  ];
}

function vaultStart({ interns }: Vocabulary): fc.Arbitrary<VaultSituation> {
  const intern = fc.constantFrom<'own' | 'sibling'>(
    'own',
    ...(interns.includes('sibling') ? (['sibling'] as const) : []),
  );
  return fc.tuple(secretName.valid(), intern).map(([name, named]) => plainVault(name, named));
}

/** A change to one of the words, where there is any. */
function toOneOf<Word, Made>(
  words: readonly Word[],
  make: (word: Word) => Made,
): readonly fc.Arbitrary<Made>[] {
  return words.length === 0 ? [] : [fc.constantFrom(...words).map(make)];
}

function vaultChangesOf(words: Vocabulary): readonly fc.Arbitrary<Change<VaultSituation>>[] {
  const strange = words.interns.filter((intern) => intern !== 'own' && intern !== 'sibling');
  const elsewhere = words.stored.filter((place) => place !== 'there');
  return [
    ...credentialChanges(words, 'member'),
    ...hostChanges(words),
    ...toOneOf(strange, (intern) => ({ intern })),
    ...toOneOf(elsewhere, (stored) => ({ stored })),
    secretName.invalid(words.withoutNames).map((name) => ({ name })),
    ...faultChanges(words, vaultFaults),
    ...toOneOf(words.methods, (method) => ({ method })),
    extras,
  ];
}

/** Who sends it: another role, a spoilt header, another scheme or an open spelling, each kind as often as the others. */
function credentialChanges(
  { credentials }: Vocabulary,
  good: Role,
): readonly fc.Arbitrary<{ readonly as: CredentialWord }>[] {
  const others = credentials.filter((word) => word !== good);
  const groups = [
    others.filter(isRole),
    others.filter(isSpoilt),
    others.filter(isOtherScheme),
    others.filter(isOpen),
  ].flatMap((group) => toOneOf(group, (as) => ({ as })));
  return groups.length === 0 ? [] : [fc.oneof(...groups)];
}

/**
 * The regional hostname in some spelling. The global one in upper case comes alone: a server that takes it for regional
 * would be blamed for what else is wrong.
 */
function hostChanges({ hosts: offered }: Vocabulary): readonly fc.Arbitrary<{ readonly host: HostWord }>[] {
  return toOneOf(offered.filter(isRegional), (host) => ({ host }));
}

function faultChanges(
  { faults }: Vocabulary,
  wanted: readonly Fault[],
): readonly fc.Arbitrary<{ readonly fault: Fault }>[] {
  return toOneOf(
    wanted.filter((fault) => faults.includes(fault)),
    (fault) => ({ fault }),
  );
}

/** A start with some different kinds of changes made to it. */
function changed<S extends Situation>(
  start: fc.Arbitrary<S>,
  kinds: readonly fc.Arbitrary<Change<S>>[],
  least: number,
  most: number,
): fc.Arbitrary<S> {
  const places = kinds.map((_, at) => at);
  const drawn = fc.subarray(places, { minLength: least, maxLength: Math.min(most, kinds.length) });
  return fc
    .tuple(start, drawn, fc.tuple(...kinds))
    .map(([plain, at, changes]) => Object.assign({}, plain, ...at.map((place) => changes[place])) as S);
}

/**
 * Whether a request may reach no route, or another: then any status is allowed, and its world serves nothing else. The
 * document says what a regional hostname does to the vault's routes only (§5.5).
 */
export function mayBeRoutedElsewhere(situation: Situation): boolean {
  if (situation.operation !== 'vault-delete') return isRegional(situation.host);
  return situation.method !== undefined || situation.name.class === 'routing-ambiguous';
}

/** Whether a word names the regional hostname, in whatever spelling. */
function isRegional(host: HostWord): boolean {
  return host.startsWith('regional');
}

/** Whether a word names a role, whose key is sent as §5.1 says. */
export function isRole(word: CredentialWord): word is RoleWord {
  return !isSpoilt(word) && !isOtherScheme(word) && !isOpen(word);
}

/** Whether a word names a header that gives a good key in another way than §5.1 says. */
export function isOtherScheme(word: CredentialWord): boolean {
  return (otherSchemes as readonly string[]).includes(word);
}

/** Whether a word names a header that holds no known key. */
export function isSpoilt(word: CredentialWord): boolean {
  return (spoiltCredentials as readonly string[]).includes(word);
}

/** Whether a word names a spelling to which both answers are allowed. */
export function isOpen(word: CredentialWord): boolean {
  return (openCredentials as readonly string[]).includes(word);
}
