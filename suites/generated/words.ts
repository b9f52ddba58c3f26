import {
  type CredentialWord,
  isRoleWord,
  openCredentials,
  otherSchemes,
  spoiltCredentials,
} from '../../generators/credential.js';
import type { InvalidNameClass } from '../../generators/secret-name.js';
import {
  type HostWord,
  hosts,
  internNamed,
  namedGuardrails,
  namedInterns,
  otherMethods,
  type StoredPlace,
  storedPlaces,
  type Vocabulary,
} from '../../generators/situation.js';
import type { Need } from '../../spec/need.js';
import { inferenceFaults, roles, vaultFaults } from '../../spec/vocabulary.js';

const needOfPlace: Readonly<Partial<Record<StoredPlace, Need>>> = {
  'at-the-other-intern': 'intern:sibling',
  'at-the-workspace': 'scope:workspace',
  'at-a-foreign-intern': 'scope:foreign',
};

const needOfHost: Readonly<Partial<Record<HostWord, Need>>> = {
  'global-spelled': 'host-name',
  regional: 'regional',
};

/** Classes of illegal names that a target cannot be sent: what may be routed elsewhere, what must look like a name of its own. */
export function namesNotSent(offers: (need: Need) => boolean): readonly InvalidNameClass[] {
  return offers('worlds') ? [] : ['routing-ambiguous', 'look-alike'];
}

/** The words of situations that a target can make true. */
export function offeredWords(offers: (need: Need) => boolean): Vocabulary {
  const isOffered = (host: HostWord) => {
    const need = needOfHost[host] ?? 'regional-host';
    return host === 'global' || offers(need);
  };
  const credentials: readonly CredentialWord[] = [
    ...roles.filter(isRoleWord).filter((role) => offers(`role:${role}`)),
    ...spoiltCredentials,
    ...otherSchemes,
    ...openCredentials,
  ];
  return {
    credentials,
    hosts: hosts.filter(isOffered),
    interns: namedInterns.filter((word) => {
      const intern = internNamed(word);
      if (word === 'elsewhere') return offers('worlds');
      return intern === undefined || offers(`intern:${intern}`);
    }),
    guardrails: namedGuardrails.filter((word) => !word.startsWith('elsewhere') || offers('worlds')),
    stored: storedPlaces.filter((place) => {
      const need = needOfPlace[place];
      return need === undefined || offers(need);
    }),
    methods: offers('worlds') ? otherMethods : [],
    withoutNames: namesNotSent(offers),
    faults: [...vaultFaults, 'guardrail_internal_error' as const, ...inferenceFaults].filter((fault) =>
      offers(`fault:${fault}`),
    ),
    // Free models serve an account that others share too seldom.
    models: (offers('worlds') ? (['free', 'paid'] as const) : (['paid', 'free'] as const)).filter((model) =>
      offers(`inference:${model}`),
    ),
  };
}
