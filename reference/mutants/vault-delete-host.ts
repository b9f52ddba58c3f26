import { conforming } from '../behaviour.js';
import type { Call } from '../call.js';
import type { Mutant, Override } from '../mutant.js';
import { answers, counted, gate, gateStatus, noGate } from '../override.js';
import { regionalHostGate } from '../vault-gates.js';

/** Mutants of the area vault-delete: the refusal of regional hostnames (§5.5). */
export const vaultDeleteHostMutants: readonly Mutant[] = [
  {
    id: 'vault-delete.host-served',
    section: '7.1',
    turnsRed: ['vault-delete.403.regional-host'],
    description: 'Vault routes are served on the regional hostname',
    hardness: 'plain',
    override: { isRegionalHost: () => false },
  },
  {
    id: 'vault-delete.host-refused-for-reads-only',
    section: '7.1',
    turnsRed: ['vault-delete.403.regional-host'],
    description: 'Only vault reads are refused on the regional hostname, a delete is done',
    hardness: 'plain',
    override: noGate('vault-delete', 'regional-host'),
  },
  {
    id: 'vault-delete.host-404',
    section: '7.1',
    turnsRed: ['vault-delete.403.regional-host'],
    description: 'A delete on the regional hostname is answered 404',
    hardness: 'plain',
    override: gateStatus('vault-delete', 'regional-host', 404),
  },
  {
    id: 'vault-delete.host-421',
    section: '7.1',
    turnsRed: ['vault-delete.403.regional-host'],
    description: 'A delete on the regional hostname is answered 421, as a misdirected request',
    hardness: 'plain',
    override: gateStatus('vault-delete', 'regional-host', 421),
  },
  {
    id: 'vault-delete.host-400',
    section: '7.1',
    turnsRed: ['vault-delete.403.regional-host'],
    description: 'A delete on the regional hostname is answered 400',
    hardness: 'plain',
    override: gateStatus('vault-delete', 'regional-host', 400),
  },
  {
    id: 'vault-delete.host-401',
    section: '7.1',
    turnsRed: ['vault-delete.403.regional-host'],
    description: 'A delete on the regional hostname is answered 401',
    hardness: 'plain',
    override: gateStatus('vault-delete', 'regional-host', 401),
  },
  {
    id: 'vault-delete.host-503',
    section: '7.1',
    turnsRed: ['vault-delete.403.regional-host'],
    description: 'A delete on the regional hostname is answered 503',
    hardness: 'plain',
    override: gateStatus('vault-delete', 'regional-host', 503),
  },
  {
    id: 'vault-delete.host-refused-but-deleted',
    section: '7.1',
    turnsRed: ['vault-delete.403.keeps'],
    description: 'A delete on the regional hostname is answered 403, but done all the same',
    hardness: 'subtle',
    override: answers({ operation: 'vault-delete', status: 403, when: isRegional }, (answer, call) => {
      const place = conforming.findSecret(call);
      if (place !== undefined) conforming.removeSecret(call, place);
      return answer;
    }),
  },

  {
    id: 'vault-delete.host-in-lower-case-only',
    section: '5',
    turnsRed: ['vault-delete.403.regional-host-spelling'],
    description: 'The regional hostname is compared with regard to case: with upper-case letters it passes',
    hardness: 'subtle',
    override: passesWhen((host) => host !== host.toLowerCase()),
  },
  {
    id: 'vault-delete.host-in-capitals-passes',
    section: '5',
    turnsRed: ['vault-delete.403.regional-host-spelling'],
    description: 'The regional hostname passes when it is all in upper case',
    hardness: 'subtle',
    override: passesWhen((host) => host === host.toUpperCase()),
  },
  {
    id: 'vault-delete.host-in-mixed-case-passes',
    section: '5',
    turnsRed: ['vault-delete.403.regional-host-spelling'],
    description: 'The regional hostname passes when upper and lower case are mixed in it',
    hardness: 'subtle',
    override: passesWhen((host) => host !== host.toUpperCase() && host !== host.toLowerCase()),
  },
  {
    id: 'vault-delete.host-with-port-passes',
    section: '5',
    turnsRed: ['vault-delete.403.regional-host-spelling'],
    description: 'The regional hostname passes when a port follows it',
    hardness: 'subtle',
    override: passesWhen((host) => /:\d+$/.test(host)),
  },
  {
    id: 'vault-delete.host-with-default-port-passes',
    section: '5',
    turnsRed: ['vault-delete.403.regional-host-spelling'],
    description: 'The regional hostname passes when port 80 follows it',
    hardness: 'subtle',
    override: passesWhen((host) => /:80$/.test(host)),
  },
  {
    id: 'vault-delete.host-with-unusual-port-passes',
    section: '5',
    turnsRed: ['vault-delete.403.regional-host-spelling'],
    description: 'Of the ports after the regional hostname only 80 and 443 are looked past',
    hardness: 'subtle',
    override: passesWhen((host) => /:\d+$/.test(host) && !/:(?:80|443)$/.test(host)),
  },
  {
    id: 'vault-delete.host-in-capitals-with-port-passes',
    section: '5',
    turnsRed: ['vault-delete.403.regional-host-spelling'],
    description: 'The regional hostname passes when it is in upper case and a port follows it',
    hardness: 'subtle',
    override: passesWhen((host) => /^[^a-z]*:\d+$/.test(host)),
  },
  {
    id: 'vault-delete.host-only-with-port',
    section: '7.1',
    turnsRed: ['vault-delete.403.regional-host'],
    description: 'The regional hostname is refused only when a port follows it',
    hardness: 'subtle',
    override: passesWhen((host) => !/:\d+$/.test(host)),
  },

  {
    id: 'vault-delete.global-host-in-capitals-refused',
    section: '5',
    turnsRed: ['auth.host-spelling'],
    description: 'Any hostname that is all in upper case is taken for regional, the global one too',
    hardness: 'subtle',
    override: { isRegionalHost: isRegionalOrInCapitals },
  },
  {
    id: 'vault-delete.global-host-in-capitals-refused-everywhere',
    section: '5',
    turnsRed: ['auth.host-spelling'],
    description: 'Any hostname that is all in upper case is taken for regional, and every route refuses it',
    hardness: 'subtle',
    override: {
      isRegionalHost: isRegionalOrInCapitals,
      gates: {
        ...conforming.gates,
        'guardrail-read': [regionalHostGate, ...conforming.gates['guardrail-read']],
        'key-read': [regionalHostGate, ...conforming.gates['key-read']],
      },
    },
  },

  {
    id: 'vault-delete.host-with-query-passes',
    section: '7.1',
    turnsRed: ['vault-delete.403.regional-host'],
    description: 'A delete on the regional hostname is done when it has a query string',
    hardness: 'subtle',
    override: noGate('vault-delete', 'regional-host', ({ path }) => path.includes('?')),
  },
  {
    id: 'vault-delete.host-with-body-passes',
    section: '7.1',
    turnsRed: ['vault-delete.403.regional-host'],
    description: 'A delete on the regional hostname is done when it has a body',
    hardness: 'subtle',
    override: noGate('vault-delete', 'regional-host', ({ body }) => body.state === 'complete'),
  },
  {
    id: 'vault-delete.host-for-long-names-passes',
    section: '7.1',
    turnsRed: ['vault-delete.403.regional-host'],
    description: 'A delete on the regional hostname is done when the name has more than 64 characters',
    hardness: 'subtle',
    override: noGate(
      'vault-delete',
      'regional-host',
      ({ parameters }) => (parameters.name ?? '').length > 64,
    ),
  },
  {
    id: 'vault-delete.host-for-sibling-passes',
    section: '7.1',
    turnsRed: ['vault-delete.403.regional-host'],
    description: 'The regional hostname is refused for one intern of the workspace, not for another',
    hardness: 'subtle',
    override: noGate(
      'vault-delete',
      'regional-host',
      ({ key, parameters }) => key?.world.interns.sibling === parameters.internId,
    ),
  },
  {
    id: 'vault-delete.host-served-now-and-then',
    section: '7.1',
    turnsRed: ['vault-delete.403.regional-host'],
    description: 'Every second delete on the plain regional hostname is done',
    hardness: 'intermittent',
    override: gate('vault-delete', 'regional-host', (call, original) => {
      const isPlain = call.host === call.server.regionalHost;
      return isPlain && counted(call, 'regional deletes') % 2 === 0 ? undefined : original(call);
    }),
  },
];

function isRegional({ host, server }: Call): boolean {
  return conforming.isRegionalHost(host, server.regionalHost);
}

function isRegionalOrInCapitals(host: string | undefined, regionalHost: string): boolean {
  return conforming.isRegionalHost(host, regionalHost) || /^[^a-z]*[A-Z][^a-z]*$/.test(host ?? '');
}

/** The regional hostname, in some of its spellings, is taken for the global one. */
function passesWhen(passes: (host: string) => boolean): Override {
  return {
    isRegionalHost: (host, regionalHost) =>
      host !== undefined && conforming.isRegionalHost(host, regionalHost) && !passes(host),
  };
}
