import { ledger } from '../../spec/ledger.js';
import type { CurvePoint, Proof, ProvenRequirement, ProvenServer } from '../../spec/proof.js';
import { toolVersion } from '../../spec/version.js';

const curveAt = [50, 150, 300, 500, 1_000, 2_000, 4_000, 8_000] as const;

/** Sums a proof up. */
export function proofOf(servers: readonly ProvenServer[], run: Proof['run']): Proof {
  const mutants = servers.filter(({ kind }) => kind === 'mutant');
  const requirements = coverage(mutants);
  const all = (kind: ProvenServer['kind']) =>
    new Set(servers.filter((server) => server.kind === kind).map(({ id }) => id)).size;
  return {
    format: 'plumbline-proof/1',
    tool: { name: 'plumbline-conformance', version: toolVersion },
    run,
    totals: {
      mutants: all('mutant'),
      // With several seeds a server counts as caught, or accepted, where it was so with every one of them.
      caught: all('mutant') - withAny(servers, 'misnamed', 'survived'),
      misnamed: withAny(servers, 'misnamed'),
      survived: withAny(servers, 'survived'),
      variants: all('variant'),
      accepted: all('variant') - withAny(servers, 'accused', 'unsettled'),
      accused: withAny(servers, 'accused'),
      unsettled: withAny(servers, 'unsettled'),
      runs: Math.round(sumByRun(servers, () => 1)),
      requests: Math.round(sumByRun(servers, ({ requests }) => requests)),
      median_red: median(mutants.map(({ red }) => red.length)),
      section_named: new Set(mutants.filter(({ section_named: named }) => named).map(({ id }) => id)).size,
    },
    servers,
    requirements,
    uncovered: requirements
      .filter(({ level, observable, mutants: by }) => level === 'must' && observable && by.length === 0)
      .map(({ id }) => id),
    curve: curve(mutants),
  };
}

/** A sum over runs: what was judged in one run counts once. */
function sumByRun(servers: readonly ProvenServer[], of: (server: ProvenServer) => number): number {
  return servers.reduce((sum, server) => sum + of(server) / (1 + (server.together_with?.length ?? 0)), 0);
}

/** Servers of which some run came to one of these. */
function withAny(servers: readonly ProvenServer[], ...outcomes: readonly ProvenServer['outcome'][]): number {
  return new Set(servers.filter(({ outcome }) => outcomes.includes(outcome)).map(({ id }) => id)).size;
}

/** Which mutants turned each requirement red. */
function coverage(mutants: readonly ProvenServer[]): readonly ProvenRequirement[] {
  return ledger.map(({ id, level, unseen }) => ({
    id,
    level,
    observable: unseen === undefined && level !== 'silent',
    mutants: [
      ...new Set(mutants.filter(({ red }) => red.some((row) => row.id === id)).map((mutant) => mutant.id)),
    ],
  }));
}

/** How many runs against a mutant had confirmed a violation by so many requests. */
function curve(mutants: readonly ProvenServer[]): readonly CurvePoint[] {
  return curveAt.map((requests) => ({
    requests,
    caught: mutants.filter(({ first_red_at: at }) => at !== null && at <= requests).length,
  }));
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
