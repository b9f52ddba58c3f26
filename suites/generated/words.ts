import { type CredentialWord, openCredentials, spoiltCredentials } from '../../generators/credential.js';
import {
  type HostWord,
  hosts,
  namedInterns,
  storedPlaces,
  type Vocabulary,
} from '../../generators/situation.js';
import type { Need } from '../../spec/need.js';
import type { Fault, Role } from '../../spec/vocabulary.js';

const roles: readonly Role[] = [
  'member',
  'management',
  'provisioning',
  'unscoped',
  'outsider',
  'disabled',
  'write_disabled',
  'exhausted',
  'overdrawn',
  'free_small',
  'free_large',
];

const faults: readonly Fault[] = [
  'vault_rate_limited',
  'scope_lookup_failed',
  'vault_unreachable',
  'vault_bad_response',
  'vault_writes_disabled',
  'vault_not_configured',
  'vault_timeout',
  'route_deadline',
  'guardrail_internal_error',
];

/** The words of situations that a target can make true. */
export function offeredWords(offers: (need: Need) => boolean): Vocabulary {
  const isOffered = (host: HostWord) =>
    host === 'global' ||
    host === 'global-spelled' ||
    offers(host === 'regional' ? 'regional' : 'regional-host');
  const credentials: readonly CredentialWord[] = [
    ...roles.filter((role) => offers(`role:${role}`)),
    ...spoiltCredentials,
    ...openCredentials,
  ];
  return {
    credentials,
    hosts: hosts.filter(isOffered),
    interns: namedInterns,
    stored: storedPlaces,
    faults: faults.filter((fault) => offers(`fault:${fault}`)),
  };
}
