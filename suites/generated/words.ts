import { type CredentialWord, openCredentials, spoiltCredentials } from '../../generators/credential.js';
import {
  type HostWord,
  hosts,
  namedInterns,
  otherMethods,
  storedPlaces,
  type Vocabulary,
  vaultFaults,
} from '../../generators/situation.js';
import type { Need } from '../../spec/need.js';
import { roles } from '../../spec/vocabulary.js';

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
    methods: offers('worlds') ? otherMethods : [],
    faults: [...vaultFaults, 'guardrail_internal_error' as const].filter((fault) => offers(`fault:${fault}`)),
  };
}
