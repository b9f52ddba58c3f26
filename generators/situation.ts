import type { Fault, Intern, Scope } from '../spec/vocabulary.js';
import type { CredentialWord } from './credential.js';
import type { NamedGuardrail, NamedIntern } from './ids.js';
import type { InvalidName, InvalidNameClass, ValidName } from './secret-name.js';

/**
 * The hostnames that a request may arrive on. Those of a group are alike, so that combinations take turns with them. `upper`,
 * `mixed` and `port` are other spellings of the regional one (§5.5).
 */
export const hostGroups = [
  ['global'],
  ['global-spelled'],
  ['regional'],
  ['regional-upper', 'regional-mixed'],
  ['regional-port'],
] as const;
export type HostWord = (typeof hostGroups)[number][number];

/** Where the secret is stored, seen from the intern that the path names: there, only elsewhere, or nowhere. */
export const storedPlaces = [
  'there',
  'at-the-other-intern',
  'at-the-workspace',
  'at-a-foreign-intern',
  'nowhere',
] as const;
export type StoredPlace = (typeof storedPlaces)[number];

/** Says where a secret of a scope is, seen from an intern. A foreign intern is refused whatever it has. */
export function locateSecret(intern: Intern, scope: Scope): StoredPlace {
  if (scope === 'workspace') return 'at-the-workspace';
  if (scope === intern || intern === 'foreign') return 'there';
  return scope === 'foreign' ? 'at-a-foreign-intern' : 'at-the-other-intern';
}

/** Methods that the document does not define for the path of the delete. */
export const otherMethods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH'] as const;
type OtherMethod = (typeof otherMethods)[number];

/** Parts of a request that the server may ignore or refuse (§7.1). */
export interface Extras {
  readonly query?: string;
  readonly body?: string;
  /** The media type of the body; JSON where absent. */
  readonly bodyType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent over a new connection; over a kept one where absent. */
  readonly connection?: 'fresh';
}

/** Who sends a request, to which host, and with which extras. */
interface Sent extends Extras {
  readonly as: CredentialWord;
  readonly host: HostWord;
}

/** The facts about a vault delete that decide which responses are permitted (§4.1). */
export interface VaultSituation extends Sent {
  readonly operation: 'vault-delete';
  readonly intern: NamedIntern;
  readonly name: ValidName | InvalidName;
  readonly stored: StoredPlace;
  readonly fault?: Fault;
  /** DELETE where absent. */
  readonly method?: OtherMethod;
}

/** The facts about a guardrail read (§4.2). */
export interface GuardrailSituation extends Sent {
  readonly operation: 'guardrail-read';
  readonly id: NamedGuardrail;
  readonly fault?: Fault;
}

/** The facts about a key read (§4.3). */
export interface KeySituation extends Sent {
  readonly operation: 'key-info';
}

/** The facts about an inference request (§6 to §8). */
export interface InferenceSituation extends Sent {
  readonly operation: 'inference';
  readonly model: 'free' | 'paid';
  readonly stream: boolean;
  readonly fault?: Fault;
}

/** The facts about a request that decide which responses are permitted. */
export type Situation = VaultSituation | GuardrailSituation | KeySituation | InferenceSituation;

/** The values that a target can arrange; what it does not offer is not generated. */
export interface Vocabulary {
  readonly credentials: readonly CredentialWord[];
  readonly hosts: readonly HostWord[];
  readonly interns: readonly NamedIntern[];
  readonly guardrails: readonly NamedGuardrail[];
  readonly stored: readonly StoredPlace[];
  readonly faults: readonly Fault[];
  /** Methods that may be tried in place of DELETE. */
  readonly methods: readonly OtherMethod[];
  /** Classes of names that may not be sent. */
  readonly withoutNames: readonly InvalidNameClass[];
}

/** A vault delete with nothing wrong: the plain success. */
export function makePlainVault(name: ValidName, intern: 'own' | 'sibling' = 'own'): VaultSituation {
  return { operation: 'vault-delete', as: 'member', host: 'global', intern, name, stored: 'there' };
}

/** A guardrail read with nothing wrong. */
export const plainGuardrail: GuardrailSituation = {
  operation: 'guardrail-read',
  as: 'management',
  host: 'global',
  id: 'own',
};

/** A key read with nothing wrong. */
export const plainKey: KeySituation = { operation: 'key-info', as: 'member', host: 'global' };

/**
 * Whether a request may reach no route, or another one: then any status is allowed, and its world is not used again. For
 * regional hostnames, the document defines only the vault's routes (§5.5).
 */
export function mayBeRoutedElsewhere(situation: Situation): boolean {
  if (situation.operation !== 'vault-delete') return situation.host.startsWith('regional');
  return situation.method !== undefined || situation.name.class === 'routing-ambiguous';
}
