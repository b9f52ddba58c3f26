import { additionScripts } from './corpus/additions.js';
import { combinationScripts } from './corpus/combinations.js';
import { credentialScripts } from './corpus/credentials.js';
import { crossingScripts } from './corpus/crossings.js';
import { extraScripts } from './corpus/extras.js';
import { briefFaultScripts, faultScripts } from './corpus/faults.js';
import { figureScripts, guardrailScripts, keyFigureScripts } from './corpus/figures.js';
import { hostScripts } from './corpus/hosts.js';
import { intermediaryScripts } from './corpus/intermediaries.js';
import { limitScripts } from './corpus/limits.js';
import { meaningScripts } from './corpus/meanings.js';
import { nameScripts } from './corpus/names.js';
import { neighbourScripts } from './corpus/neighbours.js';
import { oddityScripts } from './corpus/oddities.js';
import { atOnceScripts, repeatedScripts } from './corpus/repeated.js';
import { briefRoleScripts, firstScripts, roleScripts, tempoScripts } from './corpus/roles.js';
import { roundTripScripts } from './corpus/round-trips.js';
import { routeScripts } from './corpus/routes.js';
import { scopeScripts } from './corpus/scopes.js';
import { stateScripts } from './corpus/states.js';
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
  additions: additionScripts,
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
  combinations: combinationScripts,
  states: stateScripts,
  roundTrips: roundTripScripts,
  meanings: meaningScripts,
  intermediaries: intermediaryScripts,
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
    'combinations',
    'states',
    'intermediaries',
    'malformed',
    'scopes',
    'crossings',
    'neighbours',
    'hosts',
    'atOnce',
    'roles',
    'faults',
  ],
  'secret-name': ['names', 'neighbours', 'meanings'],
  'guardrail-read': [
    'guardrail',
    'briefRoles',
    'oddities',
    'roundTrips',
    'combinations',
    'intermediaries',
    'extras',
    'roles',
  ],
  'key-info': [
    'briefRoles',
    'keyFigures',
    'additions',
    'oddities',
    'roundTrips',
    'intermediaries',
    'figures',
    'credentials',
    'extras',
  ],
  auth: ['credentials', 'briefRoles', 'combinations', 'intermediaries', 'crossings', 'roles'],
  envelope: ['briefFaults', 'briefRoles', 'oddities', 'malformed', 'roles', 'names'],
  inference: ['briefFaults', 'additions', 'limits', 'faults', 'extras'],
  'stream-error': ['briefFaults', 'faults', 'repeated'],
  'credit-limit': ['briefRoles', 'combinations', 'additions', 'limits', 'faults', 'figures'],
  'rate-limit': [
    'briefFaults',
    'combinations',
    'additions',
    'intermediaries',
    'limits',
    'faults',
    'repeated',
  ],
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

// Rows that show late in those: like them, this saves time and decides nothing.
const SHOWN_BY: Readonly<Record<string, readonly string[]>> = {
  'wrong scopes': [
    'vault-delete.any-workspace',
    'vault-delete.every-third-foreign-intern-204',
    'vault-delete.foreign-secret-through-sibling',
    'vault-delete.other-workspace-204',
    'vault-delete.own-secret-through-sibling',
  ],
  'long names in wrong scopes': [
    'vault-delete.found-once-more',
    'vault-delete.sibling-secret-by-long-name',
    'vault-delete.workspace-fallback-by-long-name',
  ],
  'intern ids': [
    'vault-delete.400-deletes-by-malformed-id',
    'vault-delete.intern-by-first-block',
    'vault-delete.intern-by-four-blocks',
    'vault-delete.intern-id-36-characters',
  ],
  'stalled and malformed requests': [
    'stalled-body-refused',
    'vault-delete.host-in-capitals-passes',
    'vault-delete.stalled-body-500',
  ],
  'reasons and circumstances': [
    'noise-vault-120-a-minute',
    'vault-delete.403-deletes-with-unscoped-key',
    'vault-delete.body-lets-unscoped-key-in',
    'vault-delete.every-fourth-unscoped-key-in',
    'vault-delete.foreign-intern-with-query',
    'vault-delete.host-with-query-passes',
    'vault-delete.query-lets-outsider-in',
    'vault-delete.query-lets-provisioning-key-in',
  ],
  'faults and circumstances': [
    'vault-delete.every-second-rate-limit-204',
    'vault-delete.never-stored-with-body',
    'vault-delete.scope-lookup-403-at-the-sibling',
  ],
  'what happens later': [
    'vault-delete.404-deletes-for-outsiders',
    'vault-delete.503-deletes-for-write-disabled-key',
    'vault-delete.every-third-outsider-in',
  ],
  'the role provisioning': ['vault-delete.a-read-deletes'],
  'deletes at once': ['vault-delete.lost-among-others'],
  'nearly alike names': ['vault-delete.takes-names-that-end-alike'],
  'circumstances alone': ['vault-delete.last-secret-empties-the-sibling'],
  'unknown names of every length': ['secret-name.refuses-97-characters'],
  'every character first, inside, last and alone': [
    'secret-name.refuses-last-letter-q',
    'secret-name.strips-quotes',
  ],
  'every fault, briefly': ['guardrail-read.internal-error-502'],
  'every role, briefly': [
    'auth.disabled-key-deletes',
    'auth.disabled-key-served-once',
    'auth.key-of-the-request-before',
    'auth.key-without-scope-reads-guardrail',
    'auth.outsider-read-403',
  ],
  'the first second': ['auth.key-of-another-world'],
  'the edges of overdrawn': [
    'credit-limit.overdrawn-served-every-third-time',
    'credit-limit.overdrawn-streams-free-models',
  ],
  bytes: ['body-byte-by-byte', 'stream-left-open'],
  credentials: ['bearer-lenient'],
};

/** The whole corpus, the scripts that the row with this id is most likely to show in first. */
export function corpusFor(id: string): readonly Script[] {
  const first: readonly Topic[] = ['first', ...(FIRST[id.split('.')[0] ?? ''] ?? OF_VARIANTS)];
  const showing = corpus.filter(({ title }) => SHOWN_BY[title]?.includes(id));
  return [...new Set([...showing, ...first.flatMap((topic) => topics[topic]), ...corpus])];
}
