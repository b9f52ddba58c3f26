import type { Fault, Feature, Intern, Role, Scope } from './vocabulary.js';

/** Something a target must offer before a requirement can be seen. */
export type Need =
  | 'store'
  | 'store:named'
  | 'inspect'
  | 'worlds'
  | 'any-name'
  | 'guardrail'
  | 'regional'
  | 'regional-host'
  | 'host-name'
  | 'inference'
  | 'inference:free'
  | 'inference:paid'
  | 'blocked-origin'
  | `role:${Role}`
  | `intern:${Intern}`
  | `scope:${Scope}`
  | `fault:${Fault}`
  | `feature:${Feature}`;

const plain: Readonly<Record<string, string>> = {
  store: 'a way to store secrets (profile: store, control feature: secrets)',
  'store:named': 'a way to store secrets under names of its own (store.http or store.command of the profile)',
  inspect: 'a view of what is stored (control feature "inspect")',
  worlds: 'a second, isolated tenant (control protocol)',
  'any-name':
    'an intern in which any name may be stored and deleted (control protocol, or disposable_interns of the profile)',
  guardrail: 'the ID of a guardrail',
  regional: 'a regional hostname (regional_host or regional_base_url)',
  'regional-host': 'a regional hostname that can be sent as Host (regional_host)',
  'host-name': 'a base URL whose host is a name, not an address',
  inference: 'an inference route with a model',
  'inference:free': 'an inference route with a free model',
  'inference:paid': 'an inference route with a paid model',
  'blocked-origin': 'an origin that CORS blocks (blocked_origin of the control protocol)',
};

const families: Readonly<Record<string, (name: string) => string>> = {
  role: (name) => `a key of the role ${name}`,
  intern: (name) => `an intern "${name}"`,
  scope: (name) => `a way to store a secret for the scope "${name}"`,
  fault: (name) => `the fault ${name} (control protocol)`,
  feature: (name) => `the control feature "${name}"`,
};

/** Describes what a target would have to offer to meet a need, for the reader of a report. */
export function describeNeed(need: Need): string {
  const [family = '', name = ''] = need.split(':');
  return plain[need] ?? families[family]?.(name) ?? need;
}
