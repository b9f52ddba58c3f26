import { credentialScripts } from './corpus/credentials.js';
import { crossingScripts } from './corpus/crossings.js';
import { extraScripts } from './corpus/extras.js';
import { briefFaultScripts, faultScripts } from './corpus/faults.js';
import { figureScripts, guardrailScripts, keyFigureScripts } from './corpus/figures.js';
import { hostScripts } from './corpus/hosts.js';
import { limitScripts } from './corpus/limits.js';
import { nameScripts } from './corpus/names.js';
import { neighbourScripts } from './corpus/neighbours.js';
import { oddityScripts } from './corpus/oddities.js';
import { atOnceScripts, repeatedScripts } from './corpus/repeated.js';
import { briefRoleScripts, firstScripts, roleScripts, tempoScripts } from './corpus/roles.js';
import { routeScripts } from './corpus/routes.js';
import { scopeScripts } from './corpus/scopes.js';
import { malformedScripts, wireScripts } from './corpus/wire.js';
import type { Script } from './script.js';

const topics = {
  first: firstScripts,
  briefRoles: briefRoleScripts,
  briefFaults: briefFaultScripts,
  oddities: oddityScripts,
  tempo: tempoScripts,
  roles: roleScripts,
  faults: faultScripts,
  limits: limitScripts,
  keyFigures: keyFigureScripts,
  guardrail: guardrailScripts,
  figures: figureScripts,
  scopes: scopeScripts,
  crossings: crossingScripts,
  neighbours: neighbourScripts,
  hosts: hostScripts,
  names: nameScripts,
  credentials: credentialScripts,
  extras: extraScripts,
  routes: routeScripts,
  malformed: malformedScripts,
  wire: wireScripts,
  atOnce: atOnceScripts,
  repeated: repeatedScripts,
} as const;
type Topic = keyof typeof topics;

/** Every script. */
export const corpus: readonly Script[] = Object.values(topics).flat();

// Where the rows of an area show first: this saves time and decides nothing.
const FIRST: Readonly<Record<string, readonly Topic[]>> = {
  'vault-delete': [
    'briefRoles',
    'briefFaults',
    'oddities',
    'malformed',
    'scopes',
    'crossings',
    'neighbours',
    'hosts',
    'atOnce',
    'roles',
    'faults',
  ],
  'secret-name': ['names', 'neighbours'],
  'guardrail-read': ['guardrail', 'briefRoles', 'oddities', 'extras', 'roles'],
  'key-info': ['briefRoles', 'keyFigures', 'oddities', 'figures', 'credentials', 'extras'],
  auth: ['credentials', 'briefRoles', 'crossings', 'roles'],
  envelope: ['briefFaults', 'briefRoles', 'oddities', 'malformed', 'roles', 'names'],
  inference: ['briefFaults', 'limits', 'faults', 'extras'],
  'stream-error': ['briefFaults', 'faults', 'repeated'],
  'credit-limit': ['briefRoles', 'limits', 'faults', 'figures'],
  'rate-limit': ['briefFaults', 'limits', 'faults', 'repeated'],
  secrecy: ['briefRoles', 'briefFaults', 'oddities', 'scopes', 'faults', 'extras'],
};

// Variants mostly use freedoms of HTTP.
const OF_VARIANTS: readonly Topic[] = [
  'tempo',
  'oddities',
  'briefFaults',
  'briefRoles',
  'wire',
  'malformed',
  'atOnce',
  'limits',
  'figures',
];

/** The whole corpus, the scripts that the row with this id is most likely to show in first. */
export function corpusFor(id: string): readonly Script[] {
  const first: readonly Topic[] = ['first', ...(FIRST[id.split('.')[0] ?? ''] ?? OF_VARIANTS)];
  return [...new Set([...first.flatMap((topic) => topics[topic]), ...corpus])];
}
