import type { Depth } from '../../judge/plan.js';
import { requestsAtMost } from '../../judge/plan.js';
import { reportOf } from '../../judge/report.js';
import { Run } from '../../judge/run.js';
import { Selection } from '../../judge/selection.js';
import { overridden } from '../../reference/mutant.js';
import { startReference } from '../../reference/server.js';
import type { MutantOutcome, ProvenServer, RedRow, VariantOutcome } from '../../spec/proof.js';
import type { Report } from '../../spec/report.js';
import { checksAt } from '../../suites/all-checks.js';
import { openTarget } from '../../targets/target.js';
import type { CatalogueRow } from './catalogue.js';

/** How every server of a proof is judged. */
export interface JudgingPlan {
  readonly seed: number;
  readonly depth: Depth;
}

const concurrency = 16;
const timeoutMs = 10_000;
// Far longer than any server needs; one that hangs must not hold up the others.
const maxTimeMs = 60_000;

/** Starts a server of the catalogue, judges it as `run` would, and says what it came to. */
export async function judgedServer(row: CatalogueRow, plan: JudgingPlan): Promise<ProvenServer> {
  const start = performance.now();
  const { report, firstRedAt } = await judged(row, plan);
  const red = report.requirements
    .filter(({ status }) => status === 'fail')
    .map(({ id, section, level }): RedRow => ({ id, section, level }));
  return {
    kind: row.kind,
    id: row.id,
    section: row.section,
    description: row.description,
    hardness: row.kind === 'mutant' ? row.hardness : null,
    turns_red: row.kind === 'mutant' ? row.turnsRed : [],
    outcome:
      row.kind === 'mutant' ? mutantOutcome(row.turnsRed, report, red) : variantOutcome(row, report, red),
    seed: plan.seed,
    verdict: report.verdict,
    exit_code: report.gate.exit_code,
    red,
    inconclusive: report.requirements.filter(({ status }) => status === 'inconclusive').map(({ id }) => id),
    section_named: row.kind === 'mutant' ? red.some(({ section }) => section === row.section) : null,
    requests: report.run.requests,
    first_red_at: firstRedAt,
    duration_ms: Math.round(performance.now() - start),
    notes: report.run.notes,
    message: report.checks.find(({ failure }) => failure !== null)?.failure?.message ?? null,
  };
}

async function judged(
  row: CatalogueRow,
  { seed, depth }: JudgingPlan,
): Promise<{ readonly report: Report; readonly firstRedAt: number | null }> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(`out of time after ${maxTimeMs / 1000} s`), maxTimeMs);
  const server = await startReference({
    // A name: how host names compare does not show on an address.
    host: 'localhost',
    behaviour: overridden(row.override),
    ...(row.kind === 'variant' && row.offers !== undefined ? { offers: row.offers } : {}),
  });
  const startedAt = new Date();
  const start = performance.now();
  let firstRedAt: number | null = null;
  try {
    const maxRequests = requestsAtMost[depth];
    const target = await openTarget({
      control: { url: server.controlUrl },
      concurrency,
      timeoutMs,
      signal: stop.signal,
      ...(maxRequests === undefined
        ? {}
        : {
            maxRequests,
            onMaxRequests: () => stop.abort(`the ceiling of ${maxRequests} requests is reached`),
          }),
    });
    const selection = new Selection({ only: [], skip: [] });
    const record = await new Run(target, {
      selection,
      plan: { seed, depth },
      concurrency,
      signal: stop.signal,
      onProgress: ({ violations, requests }) => {
        if (violations > 0) firstRedAt ??= requests;
      },
    }).judgeAll(checksAt(depth));
    await target.close();
    const report = reportOf(record, target, {
      startedAt,
      durationMs: performance.now() - start,
      complete: !stop.signal.aborted,
      interrupted: false,
      selection,
      baseUrl: undefined,
      controlUrl: undefined,
      seed,
      depth,
    });
    return { report, firstRedAt };
  } finally {
    clearTimeout(timer);
    await server.close();
  }
}

function mutantOutcome(turnsRed: readonly string[], { gate }: Report, red: readonly RedRow[]): MutantOutcome {
  if (gate.exit_code !== 1) return 'survived';
  return turnsRed.every((id) => red.some((row) => row.id === id)) ? 'caught' : 'misnamed';
}

function variantOutcome(
  { mayEnd }: { readonly mayEnd?: 'incomplete' },
  { verdict, run }: Report,
  red: readonly RedRow[],
): VariantOutcome {
  // An advisory row never decides, and so accuses nobody.
  if (red.some(({ level }) => level === 'must' || level === 'derived')) return 'accused';
  const isEnded = verdict === 'conformant' || verdict === mayEnd;
  return isEnded && run.complete ? 'accepted' : 'unsettled';
}
