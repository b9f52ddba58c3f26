import type { Depth } from '../../judge/plan.js';
import { RunDeadline, resolveLimits } from '../../judge/run-limits.js';
import { Selection } from '../../judge/selection.js';
import { Session } from '../../judge/session.js';
import type { Mutant } from '../../reference/mutant.js';
import { startReference } from '../../reference/server.js';
import { combineVariants, type Variant } from '../../reference/variant.js';
import { exitCodes } from '../../spec/exit-codes.js';
import type { MutantOutcome, ProvenFailure, ProvenServer, VariantOutcome } from '../../spec/proof.js';
import { type Report, sumCoverage } from '../../spec/report.js';
import { isDeciding } from '../../spec/requirement.js';
import { allChecks } from '../../suites/all-checks.js';
import { type CatalogueRow, findServer } from './catalogue.js';

/** How every server of a proof is judged. */
export interface ServerPlan {
  readonly seed: number;
  readonly depth: Depth;
  /** Whether to go on after a mutant is caught, to see what else fails, and faults of the suite. */
  readonly toTheEnd: boolean;
  /** Cases per property, in place of the depth's. */
  readonly cases?: number;
}

/** One run of a proof: a server of the catalogue, or several variants in one server. */
export interface ServerOrder extends ServerPlan {
  readonly ids: readonly string[];
}

const timeoutMs = 10_000;
// Far longer than nearly every server needs; one that hangs must not hold up the others.
const maxTimeS = { quick: 60, standard: 120, deep: 600 } as const satisfies Record<Depth, number>;

/** Judges what an order names. If a server of several variants is not accepted, each is judged alone, to find which. */
export async function judgeServers({ ids, ...plan }: ServerOrder): Promise<readonly ProvenServer[]> {
  const rows = ids.map((id) => findServer(id));
  const [first] = rows;
  if (rows.length === 1 && first !== undefined) return [await judgeServer(first, plan)];
  const variants = rows.flatMap((row) => (row.kind === 'variant' ? [row] : []));
  const together = await judgeServer({ kind: 'variant', ...combineVariants(variants) }, plan);
  if (together.outcome === 'accepted')
    return variants.map(({ id, section, description }) => {
      return { ...together, id, section, description, together_with: ids.filter((other) => other !== id) };
    });
  const alone: ProvenServer[] = [];
  for (const variant of variants) alone.push(await judgeServer(variant, plan));
  return [...alone, together];
}

/** Judges one server as `run` would. A mutant that `cases` do not catch is judged again with as many as the depth sends. */
export async function judgeServer(row: CatalogueRow, plan: ServerPlan): Promise<ProvenServer> {
  const judged = await judgeOnce(row, plan);
  if (plan.cases === undefined || judged.outcome === 'caught') return judged;
  const { cases: _, ...withAllCases } = plan;
  const again = await judgeOnce(row, withAllCases);
  return { ...again, requests: judged.requests + again.requests };
}

async function judgeOnce(row: CatalogueRow, plan: ServerPlan): Promise<ProvenServer> {
  const start = performance.now();
  const { report, hasFaults, firstFailureAt, isStoppedAsCaught } = await judgeRow(row, plan);
  const pairs = sumCoverage(report.checks, 2);
  const failed = report.requirements
    .filter(({ status }) => status === 'fail')
    .map(({ id, section, level }): ProvenFailure => ({ id, section, level }));
  return {
    kind: row.kind,
    id: row.id,
    section: row.section,
    description: row.description,
    hardness: row.kind === 'mutant' ? row.hardness : null,
    turns_red: row.kind === 'mutant' ? row.violates : [],
    outcome: row.kind === 'mutant' ? rateMutant(row, report, failed) : rateVariant(row, report, failed),
    seed: plan.seed,
    verdict: report.verdict,
    // A violation hides an error of the suite from the gate; a proof must not miss it.
    exit_code: hasFaults ? exitCodes.suiteFault : report.gate.exit_code,
    red: failed,
    // Requirements that were still open when the mutant was caught say nothing about it.
    inconclusive: isStoppedAsCaught
      ? []
      : report.requirements.filter(({ status }) => status === 'inconclusive').map(({ id }) => id),
    to_the_end: !isStoppedAsCaught,
    section_named: row.kind === 'mutant' ? failed.some(({ section }) => section === row.section) : null,
    requests: report.run.requests,
    first_red_at: firstFailureAt,
    duration_ms: Math.round(performance.now() - start),
    pairs: { seen: pairs?.seen ?? 0, possible: pairs?.possible ?? 0 },
    notes: report.run.notes,
    message: report.checks.find(({ failure }) => failure !== null)?.failure?.message ?? null,
  };
}

async function judgeRow(row: CatalogueRow, { toTheEnd, ...plan }: ServerPlan) {
  const ownMaxTimeS = row.kind === 'variant' ? row.maxTimeS : undefined;
  using deadline = new RunDeadline((ownMaxTimeS ?? maxTimeS[plan.depth]) * 1_000);
  const server = await startReference({
    // A name, not an address, so that the comparison of host names can be tested.
    host: 'localhost',
    behaviour: row.mutation,
    capabilities: row.kind === 'variant' ? row.capabilities : undefined,
  });
  let firstFailureAt: number | null = null;
  const stopsAt = row.kind === 'mutant' && !toTheEnd ? row : undefined;
  const failed = new Set<string>();
  let isStoppedAsCaught = false;
  try {
    const session = await Session.open({
      address: { control: { url: server.controlUrl } },
      checks: allChecks,
      selection: new Selection({ only: [], skip: [] }),
      plan,
      limits: resolveLimits(plan, undefined),
      timeoutMs,
      deadline,
    });
    const record = await session.judge({
      onViolations: (violations) => {
        firstFailureAt ??= session.target?.client.sent ?? null;
        for (const { requirement } of violations) failed.add(requirement);
        if (deadline.signal.aborted || stopsAt?.violates.every((id) => failed.has(id)) !== true) return;
        isStoppedAsCaught = true;
        deadline.end('every violation of the mutant is confirmed');
      },
    });
    await session.close();
    const hasFaults = record.faults.length > 0;
    return { report: session.report(record), hasFaults, firstFailureAt, isStoppedAsCaught };
  } finally {
    await server.close();
  }
}

function rateMutant({ violates }: Mutant, { gate }: Report, failed: readonly ProvenFailure[]): MutantOutcome {
  const named = failed.filter(({ id }) => violates.includes(id));
  const isNamed = named.length === violates.length;
  // A violation of advisory requirements alone stops no gate.
  if (isNamed && named.every(({ level }) => level === 'advisory')) return 'caught';
  if (gate.exit_code !== 1) return 'survived';
  return isNamed ? 'caught' : 'misnamed';
}

function rateVariant(
  { mayEnd }: Variant,
  { verdict, run }: Report,
  failed: readonly ProvenFailure[],
): VariantOutcome {
  if (failed.some(isDeciding)) return 'accused';
  const isEnded = verdict === 'conformant' || verdict === mayEnd;
  return isEnded && run.complete ? 'accepted' : 'unsettled';
}
