import { writeShard } from '../judge/plan.js';
import { maxWorlds, resolveLimits, vaultRequestsPerWorld } from '../judge/run-limits.js';
import { sanitizeLine } from '../reports/sanitize.js';
import { TerminalLayout } from '../reports/terminal-layout.js';
import { formatCount, formatDuration, formatNumber } from '../reports/wording.js';
import { exitCodes } from '../spec/exit-codes.js';
import type { Profile } from '../targets/profile/profile.js';
import { runPrefix } from '../targets/world.js';
import type { PlanFlags } from './flags.js';
import { ProcessDeadline } from './process-lifetime.js';
import { chooseLayout } from './publish.js';
import { type Rehearsal, rehearseRun } from './rehearsal.js';
import { planCases, selectRequirements } from './run-flags.js';
import { describeTarget } from './target-description.js';

/** Prints what `run` would send, as the embedded reference shows it. Returns the exit code; throws UsageError. */
export async function plan(flags: PlanFlags): Promise<number> {
  const { shard } = flags;
  const profile = await describeTarget(flags, shard);
  const selection = selectRequirements(flags);
  const limits = resolveLimits(flags, profile);
  const plan = planCases(flags);
  using deadline = new ProcessDeadline(limits.maxTimeMs);
  const permissions = { destructive: flags.allowDestructive, inference: flags.inference };
  const rehearsal = await rehearseRun({ profile, plan, selection, shard, limits, permissions, deadline });
  if (deadline.isInterrupted) return exitCodes.interrupted;
  process.stdout.write(renderPlan(rehearsal, new TerminalLayout(chooseLayout(flags))));
  return exitCodes.conformant;
}

function renderPlan(rehearsal: Rehearsal, layout: TerminalLayout): string {
  const { unjudged } = rehearsal;
  const section = (title: string, paragraphs: readonly string[]) => [
    '',
    layout.paint.bold(title),
    ...paragraphs.flatMap((paragraph) => layout.prose(paragraph, 2)),
  ];
  return `${[
    ...layout.prose(describeRun(rehearsal)),
    ...(unjudged === undefined
      ? []
      : layout.prose(`${unjudged.charAt(0).toUpperCase()}${unjudged.slice(1)}.`)),
    ...section('Requests', listRequests(rehearsal)),
    ...section('Writes', describeWrites(rehearsal)),
    ...section('Time', describeTime(rehearsal)),
    ...section('Coverage', [describeCoverage(rehearsal)]),
  ].join('\n')}\n`;
}

function describeRun({ requests, profile, plan, shard }: Rehearsal): string {
  const run = shard.of === 1 ? 'A run' : `Shard ${writeShard(shard)} of a run`;
  const sends = `${run} at depth ${plan.depth} with --seed ${plan.seed} would send about ${formatCount(requests, 'request')} to`;
  if (profile === undefined) return `${sends} the embedded reference server.`;
  return `${sends} ${sanitizeLine(profile.target.base_url)}, if it conforms. Nothing was sent to it for this plan.`;
}

function listRequests({ counts, requests }: Rehearsal): readonly string[] {
  const lines = [...counts].sort(([, one], [, other]) => other - one);
  const width = formatNumber(requests).length;
  return [['in total', requests] as const, ...lines].map(
    ([words, amount]) => `${formatNumber(amount).padStart(width)}  ${words}`,
  );
}

function describeWrites({ writes, profile }: Rehearsal): readonly string[] {
  if (profile === undefined)
    return [
      `Every world is deleted again; at most ${maxWorlds} are open at a time, with at most ${vaultRequestsPerWorld} vault requests in each.`,
    ];
  return writes === 0 ? ['None: the run would only read.'] : describeNames(profile);
}

function describeNames({ disposable_interns: disposable, store }: Profile): readonly string[] {
  if (store?.names !== undefined) return ['The names in store.names are deleted and not stored again.'];
  const letters = runPrefix.length - 'plumb'.length;
  const exception =
    disposable.length === 0 ? '' : `, except for intern ${disposable.join(' and ')} (disposable_interns)`;
  return [
    `Their names contain "plumb" and ${letters} random letters, so that they cannot clash with names of your own${exception}.`,
    'Leftovers are deleted; any that cannot be are listed in the report.',
  ];
}

/** How long a response is assumed to take, in milliseconds. */
const latencyMs = 50;

function describeTime({ requests, durationMs, stopped, profile, limits }: Rehearsal): readonly string[] {
  const { concurrency, rate, maxTimeMs, maxRequests } = limits;
  const pacedMs = rate === undefined ? 0 : (requests / rate) * 1_000;
  const expectedMs = Math.max((requests * latencyMs) / concurrency, pacedMs);
  const pace = rate === undefined ? '' : ` and ${formatNumber(rate)} per second`;
  const isLate = profile !== undefined && expectedMs > maxTimeMs;
  return [
    `At most ${formatDuration(maxTimeMs)} (--max-time); whatever has no result by then is inconclusive.`,
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

function describeCoverage({ musts, unjudged, profile }: Rehearsal): string {
  const { selected, unproven } = musts;
  const open = unjudged === undefined ? unproven : selected;
  if (open === 0) return `All ${formatNumber(selected)} selected must requirements would be exercised.`;
  const next = profile === undefined ? '' : ' "plumbline doctor" shows what would unlock them.';
  return `${formatNumber(open)} of the ${formatNumber(selected)} selected must requirements would not be exercised.${next}`;
}
