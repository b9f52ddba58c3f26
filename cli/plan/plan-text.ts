import { type Shard, writeShard } from '../../judge/plan.js';
import { type Limits, vaultRequestsPerWorld, worldsAtMost } from '../../judge/run-limits.js';
import { counted, durationText, numberText } from '../../reports/amount-text.js';
import { inertText } from '../../reports/inert-text.js';
import { Sheet } from '../../reports/sheet.js';
import type { Profile, StoreRecipe } from '../../targets/profile/profile.js';
import { runPrefix } from '../../targets/world.js';
import type { Rehearsal } from './rehearsal.js';
import type { RequestKind, Traffic, WritePlace } from './traffic.js';

/** What a plan is told with. */
export interface PlanTextOptions {
  readonly profile: Profile | undefined;
  readonly limits: Limits;
  readonly depth: string;
  readonly seed: number;
  readonly shard: Shard;
  readonly color: boolean;
  readonly width: number;
}

/** How long an answer is taken to need, in milliseconds, where nobody knows. */
const latencyMs = 50;

const kinds: readonly (readonly [kind: RequestKind, words: string])[] = [
  ['key-read', 'reads of /key'],
  ['guardrail-read', 'reads of guardrails'],
  ['delete', 'deletes of secrets'],
  ['store', 'secrets stored'],
  ['inference', 'inference requests'],
  ['vault-other', 'requests to vault paths by other methods'],
  ['control', 'calls of the control protocol'],
];

const places: Readonly<Record<WritePlace, string>> = {
  own: 'intern own',
  sibling: 'intern sibling',
  foreign: 'intern foreign',
  workspace: 'the workspace',
  elsewhere: 'ids that are no intern of the profile',
};

/** The plan of a run as text: what would be sent, what of it writes, and how long it can take. */
export function planText(rehearsal: Rehearsal, options: PlanTextOptions): string {
  const sheet = new Sheet(options);
  const heading = (text: string) => ['', sheet.paint.bold(text)];
  return `${[
    ...sheet.prose(headline(rehearsal, options)),
    ...(rehearsal.unjudged === undefined ? [] : sheet.prose(`${capital(rehearsal.unjudged)}.`)),
    ...heading('Requests'),
    ...requestLines(rehearsal, sheet),
    ...heading('Writes'),
    ...writeSentences(rehearsal.traffic, options.profile).flatMap((sentence) => sheet.prose(sentence, 2)),
    ...heading('Time'),
    ...timeSentences(rehearsal, options).flatMap((sentence) => sheet.prose(sentence, 2)),
    ...heading('Proof'),
    ...sheet.prose(proofSentence(rehearsal, options.profile), 2),
  ].join('\n')}\n`;
}

function headline({ requests }: Rehearsal, { profile, depth, seed, shard }: PlanTextOptions): string {
  const part = shard.of === 1 ? 'A' : `Shard ${writeShard(shard)} of a`;
  const sends = `${part} run at depth ${depth} with --seed ${seed} would send about ${counted(requests, 'request')} to`;
  if (profile === undefined) return `${sends} the embedded reference server.`;
  return `${sends} ${inertText(profile.target.base_url)}, where it conforms. Nothing was sent to it for this.`;
}

function requestLines({ traffic, requests }: Rehearsal, sheet: Sheet): readonly string[] {
  const known = kinds.map(([kind, words]) => [traffic.of(kind), wordsOf(kind, words, traffic)] as const);
  const rest = requests - known.reduce((sum, [amount]) => sum + amount, 0);
  const lines = [...known, [rest, 'others'] as const].filter(([amount]) => amount > 0);
  const width = numberText(requests).length;
  return [[requests, 'in all'] as const, ...lines].flatMap(([amount, words]) =>
    sheet.prose(`${numberText(amount).padStart(width)}  ${words}`, 2),
  );
}

function wordsOf(kind: RequestKind, words: string, traffic: Traffic): string {
  if (kind === 'inference') return `${words}, ${numberText(traffic.paid)} of them of a paid model`;
  if (kind === 'vault-other') return `${words} (${amounts(traffic.otherMethods, (method) => method)})`;
  return words;
}

function writeSentences(traffic: Traffic, profile: Profile | undefined): readonly string[] {
  const stores = traffic.of('store');
  const deletes = traffic.of('delete');
  if (profile === undefined)
    return [
      `${counted(traffic.controlMethods.get('POST') ?? 0, 'world')} (isolated tenants) opened, at most ${worldsAtMost} at a time and ${vaultRequestsPerWorld} vault requests in each, and deleted again.`,
    ];
  const told = [
    ...(stores > 0
      ? [
          `${counted(stores, 'secret')} stored by ${way(profile.store)}: ${amounts(traffic.stores, placeText)}.`,
        ]
      : []),
    ...(deletes > 0 ? [`${counted(deletes, 'delete')}: ${amounts(traffic.deletes, placeText)}.`] : []),
    ...otherWrites(traffic),
    ...(stores + deletes > 0 ? nameSentences(traffic, profile) : []),
  ];
  return told.length > 0 ? told : ['None: it would only read.'];
}

/** Other methods that may change something on a server that does not refuse them. */
function otherWrites({ otherMethods }: Traffic): readonly string[] {
  const writing = [...otherMethods].filter(([method]) => !['GET', 'HEAD', 'OPTIONS'].includes(method));
  return writing.map(([method, amount]) => `${counted(amount, `${method} request`)} to vault paths.`);
}

function nameSentences(traffic: Traffic, profile: Profile): readonly string[] {
  const { legalNamesOfOthers: others, malformedNames: malformed } = traffic;
  const letters = runPrefix.length - 'plumb'.length;
  const prefix = `"plumb" and ${letters} letters drawn anew for each run`;
  const anyName = profile.disposable_interns.map((intern) => `intern ${intern}`).join(' and ');
  const exception =
    anyName === ''
      ? 'names that the profile gives (store.names)'
      : `any name, in ${anyName} (disposable_interns)`;
  return [
    `Every legal name in them holds ${prefix}, so that no secret of anybody else is meant${others === 0 ? '.' : `; ${numberText(others)} of them do not: ${exception}.`}`,
    ...(malformed === 0
      ? []
      : [
          `${counted(malformed, 'delete')} among them with a text that is the name of no secret, such as a lone %.`,
        ]),
    ...(profile.store !== undefined && 'names' in profile.store
      ? ['The names of store.names are deleted, and not stored again.']
      : ['What is left of them at the end is deleted, or told.']),
  ];
}

function way(store: StoreRecipe | undefined): string {
  if (store === undefined) return 'nothing';
  if ('http' in store) return `the profile's request (store.http, ${store.http.method})`;
  return "the profile's command (store.command)";
}

function placeText(place: WritePlace): string {
  return places[place];
}

function amounts<Key>(counts: ReadonlyMap<Key, number>, text: (key: Key) => string): string {
  return [...counts].map(([key, amount]) => `${numberText(amount)} ${text(key)}`).join(', ');
}

function timeSentences(
  { requests, durationMs, stopped }: Rehearsal,
  { profile, limits }: PlanTextOptions,
): readonly string[] {
  const { concurrency, rate, maxTimeMs, maxRequests } = limits;
  const most = `At most ${durationText(maxTimeMs)} (--max-time); what is not decided by then is inconclusive.`;
  const ceiling =
    maxRequests === undefined ? [] : [`At most ${counted(maxRequests, 'request')} (--max-requests).`];
  const early = stopped === undefined ? [] : [`It would end before its end: ${stopped}.`];
  if (profile === undefined)
    return [most, ...ceiling, `About ${durationText(durationMs)} here, as it just did.`, ...early];
  const paced = rate === undefined ? 0 : (requests / rate) * 1_000;
  const expectedMs = Math.max((requests * latencyMs) / concurrency, paced);
  const pace = rate === undefined ? '' : ` and ${numberText(rate)} a second`;
  const late = expectedMs > maxTimeMs ? ' That is longer than it may: give --max-time, or ask for less.' : '';
  return [
    most,
    ...ceiling,
    `About ${durationText(expectedMs)} if an answer takes ${latencyMs} ms, with ${concurrency} requests in flight${pace}.${late}`,
    ...early,
  ];
}

function proofSentence({ musts, unjudged }: Rehearsal, profile: Profile | undefined): string {
  const { selected, unproven } = musts;
  const open = unjudged === undefined ? unproven : selected;
  if (open === 0) return `All ${numberText(selected)} musts that are selected would be exercised.`;
  const next = profile === undefined ? '' : ' "plumbline doctor" tells what would unlock them.';
  return `${numberText(open)} of the ${numberText(selected)} musts that are selected would stay unproven.${next}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
