import fc from 'fast-check';
import type { Fault } from '../spec/vocabulary.js';
import { type CredentialWord, openCredentials, spoiltCredentials } from './credential.js';
import { type InvalidName, secretName, type ValidName } from './secret-name.js';

/** The hostname that a request arrives on; the spelled ones are the regional name written otherwise (§5.5). */
export const hosts = [
  'global',
  'global-spelled',
  'regional',
  'regional-upper',
  'regional-mixed',
  'regional-port',
  'regional-dot',
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

const extras: fc.Arbitrary<Extras> = fc.oneof(
  fc.constantFrom('?x=1', '?name=other', '?internId=other&force=true', '?').map((query) => ({ query })),
  fc.constantFrom('{}', '{"name":"other"}', '{"name":', '[]', 'text').map((body) => ({ body })),
  fc
    .constantFrom<Readonly<Record<string, string>>>(
      { Origin: 'https://elsewhere.test' },
      { Accept: '*/*' },
      { 'Accept-Language': 'de, en;q=0.5' },
    )
    .map((headers) => ({ headers })),
);

/** The arbitraries of situations, by how many things are wrong in them. */
export function situations(words: Vocabulary) {
  const vaultChanges = vaultChangesOf(words);
  const guardrailChanges = readChangesOf<GuardrailSituation>(words, [
    fc.constantFrom<NamedGuardrail>('unknown', 'malformed').map((id) => ({ id })),
    ...faultsAmong(words, ['guardrail_internal_error']),
  ]);
  const keyChanges = readChangesOf<KeySituation>(words, []);
  return {
    /** A vault delete with one thing wrong: `{ as: 'provisioning', intern: 'sibling', … }`. */
    vaultOneWrong: (): fc.Arbitrary<VaultSituation> => changed(vaultStart(words), vaultChanges, 1, 1),
    /** A vault delete with up to four things wrong; it can shrink to one, which says whose rule is broken. */
    vaultManyWrong: (): fc.Arbitrary<VaultSituation> => changed(vaultStart(words), vaultChanges, 1, 4),
    /** A guardrail read with up to three things wrong. */
    guardrail: (): fc.Arbitrary<GuardrailSituation> =>
      changed(fc.constant(plainGuardrail), guardrailChanges, 0, 3),
    /** A key read with up to two things wrong. */
    key: (): fc.Arbitrary<KeySituation> => changed(fc.constant(plainKey), keyChanges, 0, 2),
  };
}

function vaultStart({ interns }: Vocabulary): fc.Arbitrary<VaultSituation> {
  const intern = interns.includes('sibling')
    ? fc.constantFrom<'own' | 'sibling'>('own', 'sibling')
    : fc.constant<'own'>('own');
  return fc.tuple(secretName.valid(), intern).map(([name, named]) => plainVault(name, named));
}

/** What can be wrong with a vault delete; what is wrong most often in practice is drawn most often. */
function vaultChangesOf(words: Vocabulary): readonly fc.Arbitrary<Change<VaultSituation>>[] {
  const elsewhere = words.stored.filter((place) => place !== 'there');
  const others = words.interns.filter((intern) => intern !== 'own' && intern !== 'sibling');
  return [
    ...credentialChanges(words),
    ...hostChanges(words),
    fc.constantFrom(...others).map((intern) => ({ intern })),
    fc.constantFrom(...elsewhere).map((stored) => ({ stored })),
    secretName.invalid().map((name) => ({ name })),
    ...faultsAmong(words, vaultFaults),
    extras,
  ];
}

const vaultFaults: readonly Fault[] = [
  'vault_rate_limited',
  'scope_lookup_failed',
  'vault_unreachable',
  'vault_bad_response',
  'vault_writes_disabled',
  'vault_not_configured',
  'vault_timeout',
  'route_deadline',
];

function readChangesOf<S extends GuardrailSituation | KeySituation>(
  words: Vocabulary,
  own: readonly fc.Arbitrary<Change<S>>[],
): readonly fc.Arbitrary<Change<S>>[] {
  // Every kind of situation has a credential, a host and extras, which the type parameter cannot show.
  const shared = [
    ...credentialChanges(words),
    ...hostChanges(words),
    extras,
  ] as unknown as readonly fc.Arbitrary<Change<S>>[];
  return [...shared, ...own];
}

function credentialChanges({
  credentials,
}: Vocabulary): readonly fc.Arbitrary<{ readonly as: CredentialWord }>[] {
  const ofRoles = credentials.filter((word) => !isSpoilt(word) && !isOpen(word) && word !== 'member');
  const groups = [
    ofRoles,
    spoiltCredentials.filter((word) => credentials.includes(word)),
    openCredentials.filter((word) => credentials.includes(word)),
  ];
  return groups.flatMap((group: readonly CredentialWord[]) =>
    group.length === 0 ? [] : [fc.constantFrom(...group).map((as) => ({ as }))],
  );
}

function hostChanges({ hosts: offered }: Vocabulary): readonly fc.Arbitrary<{ readonly host: HostWord }>[] {
  const others = offered.filter((host) => host !== 'global');
  return others.length === 0 ? [] : [fc.constantFrom(...others).map((host) => ({ host }))];
}

function faultsAmong(
  { faults }: Vocabulary,
  wanted: readonly Fault[],
): readonly fc.Arbitrary<{ readonly fault: Fault }>[] {
  const offered = wanted.filter((fault) => faults.includes(fault));
  return offered.length === 0 ? [] : [fc.constantFrom(...offered).map((fault) => ({ fault }))];
}

/** A start with some different kinds of changes made to it. */
function changed<S extends Situation>(
  start: fc.Arbitrary<S>,
  kinds: readonly fc.Arbitrary<Change<S>>[],
  least: number,
  most: number,
): fc.Arbitrary<S> {
  const places = kinds.map((_, at) => at);
  return fc
    .tuple(start, fc.subarray(places, { minLength: least, maxLength: most }), fc.tuple(...kinds))
    .map(([plain, drawn, changes]) => Object.assign({}, plain, ...drawn.map((at) => changes[at])) as S);
}

/** Whether a word names a header that holds no known key. */
export function isSpoilt(word: CredentialWord): boolean {
  return (spoiltCredentials as readonly string[]).includes(word);
}

/** Whether a word names a spelling to which both answers are allowed. */
export function isOpen(word: CredentialWord): boolean {
  return (openCredentials as readonly string[]).includes(word);
}
