import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, subtle } from '../mutant.js';
import { countUp, dropGate, editGate, type Mutation } from '../mutation.js';
import { regionalHostGate } from '../vault.js';
import { onRegionalHost, withQuery } from './conditions.js';
import { deleteThough } from './vault-mutations.js';

/** Mutants of the area vault-delete: the refusal of regional hostnames (§5.5). */
export const vaultDeleteHostMutants: readonly Mutant[] = [
  ...makeMutants('vault-delete.403.regional-host', {
    'vault-delete.host-with-query-passes': everyday.subtle(
      'A delete on the regional hostname is done when it has a query string',
      dropGate('vault-delete', 'regional-host', withQuery),
      ['vault-delete.403.regional-host-spelling'],
    ),
    'vault-delete.host-served-now-and-then': everyday.intermittent(
      'Every second delete on the plain regional hostname is done',
      editGate('vault-delete', 'regional-host', (call, original) => {
        const isPlain = call.host === call.server.regionalHost;
        return isPlain && countUp(call, 'regional deletes') % 2 === 0 ? undefined : original(call);
      }),
    ),
  }),
  ...makeMutants('vault-delete.403.keeps', {
    'vault-delete.host-refused-but-deleted': everyday.subtle(
      'A delete on the regional hostname gets 403, but done all the same',
      deleteThough(403, onRegionalHost),
    ),
  }),
  ...makeMutants('vault-delete.403.regional-host-spelling', {
    'vault-delete.host-in-lower-case-only': everyday.subtle(
      'The regional hostname is compared with regard to case: with upper-case letters it passes',
      passWhen((host) => host !== host.toLowerCase()),
    ),
    'vault-delete.host-in-capitals-passes': everyday.subtle(
      'The regional hostname passes when it is all in upper case',
      passWhen((host) => host === host.toUpperCase()),
    ),
    'vault-delete.host-with-unusual-port-passes': subtle(
      'Of the ports after the regional hostname only 80 and 443 are looked past',
      passWhen((host) => /:\d+$/.test(host) && !/:(?:80|443)$/.test(host)),
    ),
  }),
  ...makeMutants('auth.host-spelling', {
    'vault-delete.global-host-in-capitals-refused': everyday.subtle(
      'Any hostname that is all in upper case is taken for regional, the global one too',
      { isRegionalHost: isRegionalOrInCapitals },
    ),
    'vault-delete.global-host-in-capitals-refused-everywhere': everyday.subtle(
      'Any hostname that is all in upper case is taken for regional, and every route refuses it',
      {
        isRegionalHost: isRegionalOrInCapitals,
        gates: {
          ...conforming.gates,
          'guardrail-read': [regionalHostGate, ...conforming.gates['guardrail-read']],
          'key-read': [regionalHostGate, ...conforming.gates['key-read']],
        },
      },
    ),
  }),
];

function isRegionalOrInCapitals(host: string | undefined, regionalHost: string): boolean {
  return conforming.isRegionalHost(host, regionalHost) || /^[^a-z]*[A-Z][^a-z]*$/.test(host ?? '');
}

/** The regional hostname, in some of its spellings, is taken for the global one. */
function passWhen(passes: (host: string) => boolean): Mutation {
  return {
    isRegionalHost: (host, regionalHost) =>
      host !== undefined && conforming.isRegionalHost(host, regionalHost) && !passes(host),
  };
}
