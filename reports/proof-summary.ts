import { ledger } from '../spec/ledger.js';
import type { ProvenServer } from '../spec/proof.js';
import type { Report } from '../spec/report.js';
import { toolVersion } from '../spec/version.js';

const curveAt = [50, 150, 300, 500, 1_000, 2_000, 4_000, 8_000] as const;

/** proof.json: what shows that the suite can be trusted. */
export type Proof = ReturnType<typeof summarizeProof>;

type ProofRun = Pick<Report['run'], 'started_at' | 'duration_ms' | 'complete' | 'depth'> & {
  readonly seeds: readonly number[];
  readonly jobs: number;
  readonly only: readonly string[];
};

/** Sums up the runs of a proof. */
export function summarizeProof(servers: readonly ProvenServer[], run: ProofRun) {
  const mutants = servers.filter(({ kind }) => kind === 'mutant');
  const requirements = listCoverage(mutants);
  const count = (selected: readonly ProvenServer[]) => new Set(selected.map(({ id }) => id)).size;
  const all = (kind: ProvenServer['kind']) => count(servers.filter((server) => server.kind === kind));
  const withAny = (...outcomes: readonly ProvenServer['outcome'][]) =>
    count(servers.filter(({ outcome }) => outcomes.includes(outcome)));
  return {
    format: 'plumbline-proof/1',
    tool: { name: 'plumbline-conformance', version: toolVersion },
    run,
    totals: {
      mutants: all('mutant'),
      // With several seeds a server counts as caught, or accepted, if it was so with every one of them.
      caught: all('mutant') - withAny('misnamed', 'survived'),
      misnamed: withAny('misnamed'),
      survived: withAny('survived'),
      variants: all('variant'),
      accepted: all('variant') - withAny('accused', 'unsettled'),
      accused: withAny('accused'),
      unsettled: withAny('unsettled'),
      /** Runs, each a server with a seed. */
      runs: sumByRun(servers, () => 1),
      requests: sumByRun(servers, ({ requests }) => requests),
      /** Failed requirements of a mutant, the median over all. */
      median_red: findMedian(mutants.map(({ red }) => red.length)),
      /** Mutants whose report named the violated section. */
      section_named: count(mutants.filter(({ section_named: named }) => named)),
    },
    servers,
    requirements,
    /** Observable `must` requirements that no mutant fails. */
    uncovered: requirements
      .filter(({ level, observable, mutants: by }) => level === 'must' && observable && by.length === 0)
      .map(({ id }) => id),
    /** For each number of requests, how many runs against mutants had confirmed a violation by then. */
    curve: curveAt.map((requests) => ({
      requests,
      caught: mutants.filter(({ first_red_at: at }) => at !== null && at <= requests).length,
    })),
  };
}

/** Sums over runs: servers that were judged in one run share it. */
function sumByRun(servers: readonly ProvenServer[], of: (server: ProvenServer) => number): number {
  const share = (server: ProvenServer) => of(server) / (1 + (server.together_with?.length ?? 0));
  return Math.round(servers.reduce((sum, server) => sum + share(server), 0));
}

/** Lists the mutants that fail each requirement. */
function listCoverage(mutants: readonly ProvenServer[]) {
  return ledger.map(({ id, level, unseen }) => ({
    id,
    level,
    observable: unseen === undefined && level !== 'silent',
    mutants: [
      ...new Set(mutants.filter(({ red }) => red.some((row) => row.id === id)).map((mutant) => mutant.id)),
    ],
  }));
}

function findMedian(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
