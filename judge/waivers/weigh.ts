import type { RequirementId } from '../../spec/ledger.js';
import {
  type Failure,
  isLeftOut,
  type Report,
  type ReportedRequirement,
  type ReportedWaiver,
} from '../../spec/report.js';
import { isOfDrawnCases, isSameViolation } from '../../spec/situation.js';
import { depths } from '../plan.js';

/** What waivers are weighed against. */
export type WeighedRun = Pick<Report, 'requirements' | 'checks'> & {
  readonly depth: Report['run']['depth'];
  /** One shard of a run: another one may see the violation that a waiver is for. */
  readonly isShard?: boolean;
};

/** What became of waivers in a run. */
export interface Weighed {
  /** Violated requirements of which every violation is covered. */
  readonly waived: readonly RequirementId[];
  /** Waivers that must go or be put right, a line each: `waivers.yaml:3: …`. */
  readonly faults: readonly string[];
  /** Waivers that the run says nothing about, a line each. */
  readonly notes: readonly string[];
}

/** Finds out which violations are waived, and which waivers are stale or name a violation that the run does not show. */
export function weighed(waivers: readonly ReportedWaiver[], run: WeighedRun): Weighed {
  const failures = run.checks.flatMap(({ failure, further_failures: further }) =>
    failure === null ? further : [failure, ...further],
  );
  const seen = run.requirements.map((row) => ({
    row,
    failures: failures.filter(({ requirement }) => requirement === row.id),
  }));
  const tellings = seen.flatMap((one) =>
    waivers.filter(({ id }) => id === one.row.id).map((waiver) => told(waiver, one, run.depth)),
  );
  return {
    waived: seen.filter((one) => isWaived(one, waivers)).map(({ row }) => row.id),
    faults: run.isShard === true ? [] : tellings.flatMap(({ fault }) => fault ?? []),
    notes: tellings.flatMap(({ note }) => note ?? []),
  };
}

/** A requirement with its violations. */
interface WeighedRow {
  readonly row: ReportedRequirement;
  readonly failures: readonly Failure[];
}

/** Whether every violation of a violated requirement is covered: one that is not decides for all. */
function isWaived({ row, failures }: WeighedRow, waivers: readonly ReportedWaiver[]): boolean {
  if (row.status !== 'fail' || failures.length === 0) return false;
  return failures.every((failure) => waivers.some((waiver) => covers(waiver, failure)));
}

function covers({ id, ...named }: ReportedWaiver, failure: Failure): boolean {
  return isSameViolation({ requirement: id, ...named }, failure);
}

interface Telling {
  readonly fault?: string;
  readonly note?: string;
}

function told(waiver: ReportedWaiver, { row, failures }: WeighedRow, depth: Report['run']['depth']): Telling {
  const { id, at } = waiver;
  // Not every seed meets what only drawn cases show.
  const mayBeUnseen = isOfDrawnCases(waiver);
  const isPartial = !depths[depth].goesBeyondOpening;
  switch (row.status) {
    case 'pass': {
      if (mayBeUnseen)
        return {
          note: `${at}: ${id} holds in this run; its waiver is of a drawn case, which not every seed meets`,
        };
      const atDepth = isPartial ? ` at depth ${depth}` : '';
      return { fault: `${at}: the waiver is stale: ${id} holds now${atDepth}; remove it` };
    }
    case 'fail': {
      if (failures.some((failure) => covers(waiver, failure))) return {};
      const named = waiver.case === undefined ? 'situation' : 'case';
      const others = [...new Set(failures.map((failure) => `"${failure[named]}"`))].join(', ');
      const unmatched = `${id} is violated, but not in the ${named} "${waiver[named]}"`;
      // The opening holds some of the checks only.
      if (mayBeUnseen || isPartial) return { note: `${at}: ${unmatched} in this run` };
      return {
        fault: `${at}: ${unmatched}; it is in ${others}; remove the waiver, or name the ${named} that it is for`,
      };
    }
    case 'not-observable':
      return {};
    default:
      if (isLeftOut(row)) return {};
      return {
        note: `${at}: ${id} was not decided in this run (${row.reason ?? row.status}); its waiver is left as it is`,
      };
  }
}
