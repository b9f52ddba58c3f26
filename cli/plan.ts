import { type Shard, wholeRun, writeShard } from '../judge/plan.js';
import { type Limits, resolveLimits, vaultRequestsPerWorld, worldsAtMost } from '../judge/run-limits.js';
import { sanitizeLine } from '../reports/sanitize.js';
import { TerminalLayout } from '../reports/terminal-layout.js';
import { formatCount, formatDuration, formatNumber } from '../reports/wording.js';
import { exitCodes } from '../spec/exit-codes.js';
import { safeMethods } from '../spec/vocabulary.js';
import type { Profile, StoreRecipe } from '../targets/profile/profile.js';
import { runPrefix } from '../targets/world.js';
import { ProcessDeadline } from './process-lifetime.js';
import { chooseLayout, type OutputFlags } from './publish.js';
import { type Rehearsal, rehearseRun } from './rehearsal.js';
import type { RequestCounts, RequestKind } from './request-counts.js';
import { planCases, type RunFlags, selectRequirements } from './run-flags.js';
import { type DescriptionFlags, describeTarget } from './target-description.js';

/** The flags of `plumbline plan`, parsed: those of `run` that say what to send. */
export type PlanFlags = OutputFlags &
  DescriptionFlags &
  Pick<RunFlags, 'depth' | 'cases' | 'seed' | 'only' | 'skip' | 'shard' | 'runId'> &
  Pick<RunFlags, 'concurrency' | 'rate' | 'maxRequests' | 'maxTime' | 'allowDestructive' | 'inference'>;

interface PlanContext {
  readonly profile: Profile | undefined;
  readonly limits: Limits;
  readonly depth: string;
  readonly seed: number;
  readonly shard: Shard;
}

/**
 * Prints what `run` would send, and sends nothing to the target: the embedded reference stands in for it, and is the
 * target itself without a profile. Returns the exit code; throws UsageError.
 */
export async function plan(flags: PlanFlags): Promise<number> {
  const { shard = wholeRun, depth } = flags;
  const profile = await describeTarget(flags, shard);
  const selection = selectRequirements(flags);
  const limits = resolveLimits(flags, profile);
  const plan = planCases(flags);
  const deadline = new ProcessDeadline(limits.maxTimeMs);
  try {
    const permissions = { destructive: flags.allowDestructive, inference: flags.inference };
    const rehearsal = await rehearseRun({ profile, plan, selection, shard, limits, permissions, deadline });
    if (deadline.isInterrupted) return exitCodes.interrupted;
    const { seed } = plan;
    process.stdout.write(
      renderPlan(rehearsal, { profile, limits, depth, seed, shard }, new TerminalLayout(chooseLayout(flags))),
    );
    return exitCodes.conformant;
  } finally {
    deadline.release();
  }
}

function renderPlan(rehearsal: Rehearsal, context: PlanContext, sheet: TerminalLayout): string {
  const { counts, unjudged } = rehearsal;
  const section = (title: string, paragraphs: readonly string[]) => [
    '',
    sheet.paint.bold(title),
    ...paragraphs.flatMap((paragraph) => sheet.prose(paragraph, 2)),
  ];
  return `${[
    ...sheet.prose(describeRun(rehearsal, context)),
    ...(unjudged === undefined
      ? []
      : sheet.prose(`${unjudged.charAt(0).toUpperCase()}${unjudged.slice(1)}.`)),
    ...section('Requests', listRequests(rehearsal)),
    ...section('Writes', describeWrites(counts, context.profile)),
    ...section('Time', describeTime(rehearsal, context)),
    ...section('Proof', [describeProof(rehearsal, context.profile)]),
  ].join('\n')}\n`;
}

function describeRun({ requests }: Rehearsal, { profile, depth, seed, shard }: PlanContext): string {
  const run = shard.of === 1 ? 'A run' : `Shard ${writeShard(shard)} of a run`;
  const sends = `${run} at depth ${depth} with --seed ${seed} would send about ${formatCount(requests, 'request')} to`;
  if (profile === undefined) return `${sends} the embedded reference server.`;
  return `${sends} ${sanitizeLine(profile.target.base_url)}, if it conforms. Nothing was sent to it for this plan.`;
}

const kinds: readonly (readonly [kind: RequestKind, description: string])[] = [
  ['key-read', 'reads of /key'],
  ['guardrail-read', 'reads of guardrails'],
  ['delete', 'deletes of secrets'],
  ['store', 'secrets stored'],
  ['inference', 'inference requests'],
  ['vault-other', 'requests to vault paths with other methods'],
  ['control', 'calls of the control protocol'],
];

function listRequests({ counts, requests }: Rehearsal): readonly string[] {
  const known = kinds.map(
    ([kind, description]) => [counts.of(kind), describeKind(kind, description, counts)] as const,
  );
  const others = known.reduce((left, [amount]) => left - amount, requests);
  const lines = [...known, [others, 'others'] as const].filter(([amount]) => amount > 0);
  const width = formatNumber(requests).length;
  return [[requests, 'in total'] as const, ...lines].map(
    ([amount, description]) => `${formatNumber(amount).padStart(width)}  ${description}`,
  );
}

function describeKind(kind: RequestKind, description: string, counts: RequestCounts): string {
  const paid = counts.details(kind).get('paid') ?? 0;
  return kind === 'inference'
    ? `${description}, ${formatNumber(paid)} of them for a paid model`
    : description;
}

const places: Readonly<Record<string, string>> = {
  own: 'for intern own',
  sibling: 'for intern sibling',
  foreign: 'for intern foreign',
  workspace: 'for the workspace',
  elsewhere: "for IDs that are not the profile's interns",
};

function describeWrites(counts: RequestCounts, profile: Profile | undefined): readonly string[] {
  if (profile === undefined)
    return [
      `${formatCount(counts.details('control').get('POST') ?? 0, 'world')} (isolated tenants) opened and deleted again, at most ${worldsAtMost} at a time, with at most ${vaultRequestsPerWorld} vault requests in each.`,
    ];
  const [stores, deletes] = [counts.of('store'), counts.of('delete')];
  const lines = [
    ...(stores > 0
      ? [
          `${formatCount(stores, 'secret')} stored by ${describeRecipe(profile.store)}: ${listPlaces(counts.details('store'))}.`,
        ]
      : []),
    ...(deletes > 0 ? [`${formatCount(deletes, 'delete')}: ${listPlaces(counts.details('delete'))}.`] : []),
    ...[...counts.details('vault-other')]
      .filter(([method]) => !safeMethods.includes(method))
      .map(([method, amount]) => `${formatCount(amount, `${method} request`)} to vault paths.`),
    ...(stores + deletes > 0 ? describeNames(profile) : []),
  ];
  return lines.length > 0 ? lines : ['None: it would only read.'];
}

function describeNames({ disposable_interns: disposable, store }: Profile): readonly string[] {
  if (store !== undefined && 'names' in store)
    return ['The names in store.names are deleted and not stored again.'];
  const letters = runPrefix.length - 'plumb'.length;
  const exception =
    disposable.length === 0 ? '' : `, except for intern ${disposable.join(' and ')} (disposable_interns)`;
  return [
    `Their names contain "plumb" and ${letters} letters drawn for each run, so that they are nobody else's${exception}.`,
    'Leftovers are deleted; any that cannot be are listed in the report.',
  ];
}

function describeRecipe(store: StoreRecipe | undefined): string {
  if (store === undefined) return 'nothing';
  if ('http' in store) return `the profile's request (store.http, ${store.http.method})`;
  return "the profile's command (store.command)";
}

function listPlaces(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([place, amount]) => `${formatNumber(amount)} ${places[place]}`).join(', ');
}

/** How long a response is assumed to take, in milliseconds. */
const latencyMs = 50;

function describeTime(
  { requests, durationMs, stopped }: Rehearsal,
  { profile, limits: { concurrency, rate, maxTimeMs, maxRequests } }: PlanContext,
): readonly string[] {
  const pacedMs = rate === undefined ? 0 : (requests / rate) * 1_000;
  const expectedMs = Math.max((requests * latencyMs) / concurrency, pacedMs);
  const pace = rate === undefined ? '' : ` and ${formatNumber(rate)} per second`;
  const isLate = profile !== undefined && expectedMs > maxTimeMs;
  return [
    `At most ${formatDuration(maxTimeMs)} (--max-time); what is not decided by then is inconclusive.`,
    ...(maxRequests === undefined
      ? []
      : [`At most ${formatCount(maxRequests, 'request')} (--max-requests).`]),
    profile === undefined
      ? `About ${formatDuration(durationMs)} on this machine.`
      : `About ${formatDuration(expectedMs)} if a response takes ${latencyMs} ms, with ${concurrency} requests in flight${pace}.`,
    ...(isLate ? ['That exceeds the limit: raise --max-time, or select less.'] : []),
    ...(stopped === undefined ? [] : [`It would stop early: ${stopped}.`]),
  ];
}

function describeProof({ musts, unjudged }: Rehearsal, profile: Profile | undefined): string {
  const { selected, unproven } = musts;
  const open = unjudged === undefined ? unproven : selected;
  if (open === 0) return `All ${formatNumber(selected)} selected musts would be exercised.`;
  const next = profile === undefined ? '' : ' "plumbline doctor" shows what would unlock them.';
  return `${formatNumber(open)} of the ${formatNumber(selected)} selected musts would remain unproven.${next}`;
}
