import { quoteForShell, typedCommand } from '../spec/command-line.js';
import { exitCodes } from '../spec/exit-codes.js';
import { areaOf, areas, type RequirementId } from '../spec/ledger.js';
import { groupBy } from '../spec/maps.js';
import { readNeed } from '../spec/reasons.js';
import {
  isLeftOut,
  isUnproven,
  type Report,
  type ReportedRequirement,
  type Status,
  type Verdict,
} from '../spec/report.js';
import { groupByCause } from './causes.js';
import { type FailedRequirement, splitFailed } from './failed-requirements.js';
import type { ResultLocation } from './result-location.js';
import { formatCount, formatNumber } from './wording.js';

/** A check that runs may have. */
export interface KnownTest {
  readonly id: string;
  /** The requirement that it is named after. */
  readonly requirement: RequirementId;
  readonly requirements: readonly RequirementId[];
}

/** What a format is rendered with, apart from the record of the run. */
export interface RenderOptions {
  /** Every test that a run may have, so that tests keep their names from run to run. */
  readonly tests?: readonly KnownTest[];
  /** The file of the user's repository into which findings are put. */
  readonly location?: ResultLocation | undefined;
  readonly directory?: string | undefined;
}

/** Whether the document itself states a requirement. */
export function isMust({ level }: ReportedRequirement): boolean {
  return level === 'must';
}

/** Lists what a gate let pass: `2 waived`, `1 excused by the policy`. */
export function listExceptions({ waived, excused, newer }: Report['gate']): readonly string[] {
  const exceptions = [
    [waived, 'waived'],
    [excused, 'excused by the policy'],
    [newer, 'newer than the ledger'],
  ] as const;
  return exceptions.flatMap(([{ length }, words]) => (length === 0 ? [] : [`${length} ${words}`]));
}

/** What every format says of a report. */
export type ReportView = ReturnType<typeof describeReport>;

/** Puts a report into the words that every format shows, which may repeat what a server sent. */
export function describeReport(report: Report, directory?: string) {
  const { gate, requirements, run, target } = report;
  const failed = splitFailed(report, directory);
  const explanation = verdictReasons[report.verdict](report, failed.deciding);
  const suiteFault =
    gate.exit_code === exitCodes.suiteFault
      ? 'The suite itself failed: do not rely on this verdict, and please report it.'
      : undefined;
  const whyStopped = [...requirements, ...report.checks].find(
    ({ reason_code: code }) => code === 'stopped',
  )?.reason;
  const early = `The run stopped early${whyStopped ? `: ${whyStopped}` : ''}. The results so far are below.`;
  const outOfDate = 'The waivers are out of date: the exit code is 2 until they are corrected.';
  return {
    report,
    checks: new Map(report.checks.map((check) => [check.id, check])),
    explanation,
    /** The judged server: its base URL, or the embedded one; undefined where it was never known. */
    server: nameServer(target),
    insecure: target.insecure === true ? 'TLS certificates were not verified' : undefined,
    suiteFault,
    /** Why the verdict should be read with care. */
    warnings: [suiteFault ?? [], run.complete ? [] : early].flat(),
    /** The notes of the run, without the one that is the explanation already. */
    notes: run.notes.filter((note) => note !== explanation),
    /** What the gate let pass. */
    exceptions: listExceptions(gate),
    /** Why the gate ends with 2 although the run was judged. */
    waiverFaults: gate.exit_code === exitCodes.usage ? [outOfDate, ...gate.notes] : [],
    ...failed,
    causes: groupByCause(report, directory),
    /** Every selected `must` that is inconclusive or not exercised. */
    unproven: requirements.filter(isUnproven),
    inconclusive: groupByReason(report, 'inconclusive'),
    /** By what they need, the most valuable group first. */
    notExercised: groupByReason(report, 'not-exercised').sort(
      (one, other) => rateGroup(other) - rateGroup(one),
    ),
    notObservable: groupByReason(report, 'not-observable'),
    leftOut: requirements.filter(isLeftOut).length,
    /** The requirements of each area, with the areas that have none. */
    areas: areas.map((area) => ({ area, rows: requirements.filter(({ id }) => areaOf(id) === area) })),
    /** The command to type next where nothing failed and too little was proven; undefined where none would help. */
    next: suggestNext(report),
    cleanCommand: renderCleanCommand(report, directory),
    /** Why curl lines do not work alone: their keys are those of a world. */
    worldNote: target.control ? 'The curl lines need a world of their own; replay opens one.' : undefined,
  };
}

/** Requirements that share a status and the reason for it. */
export type ReasonGroup = ReturnType<typeof groupByReason>[number];

/** Groups the selected requirements of one status by their reason, the largest group first. */
export function groupByReason(report: Report, status: Status) {
  const rows = report.requirements.filter((row) => row.status === status && !isLeftOut(row));
  const groups = groupBy(rows, ({ reason }) => reason ?? 'no reason was given');
  return [...groups]
    .map(([reason, alike]) => ({
      reason,
      /** What the target or the profile would have to provide; undefined if the reason is another one. */
      need: alike.map(readNeed).find((need) => need !== undefined),
      /** In the order of the ledger, every `must` first. */
      requirements: alike.toSorted((one, other) => Number(isMust(other)) - Number(isMust(one))),
      /** Whether the notes of the run give the reason already: most of the ledger is in the group then. */
      isExplainedByNotes: alike.some(({ reason_code: code }) => code === 'unjudged'),
    }))
    .sort((one, other) => other.requirements.length - one.requirements.length);
}

/** Rates a group: the more requirements for each thing that it needs, the higher. A must weighs as much as a thousand others. */
function rateGroup({ need, requirements }: ReasonGroup): number {
  const things = need?.split('; ').length ?? 1;
  const deciding = requirements.filter((row) => isMust(row) && row.optional !== true);
  return (1_000 * deciding.length + requirements.length) / things;
}

/** Describes what a group of requirements needs, or why it has no result, to follow its size. */
export function explainGroup({ need, reason, requirements, isExplainedByNotes }: ReasonGroup): string {
  if (isExplainedByNotes) return ': see the reason at the top';
  const isOptional = requirements.every(({ optional }) => optional === true);
  if (need === undefined) return isOptional ? `: optional, and ${reason}` : `: ${reason}`;
  return ` need${requirements.length === 1 ? 's' : ''} ${need}`;
}

/** Counts the requirements in some groups. */
export function countGrouped(groups: readonly ReasonGroup[]): number {
  return groups.reduce((sum, { requirements }) => sum + requirements.length, 0);
}

/** The name of the reference server that `run --reference` embeds. */
export const embeddedServer = 'the embedded reference server';

function nameServer({ base_url: url, embedded }: Report['target']): string | undefined {
  return embedded === true ? embeddedServer : (url ?? undefined);
}

/** Returns the suffix of a verdict on the embedded reference server, which no release may rely on. */
export function embeddedSuffix({ embedded }: Report['target']): string {
  return embedded === true ? ` on ${embeddedServer}` : '';
}

type Explain = (report: Report, deciding: readonly FailedRequirement[]) => string;

const verdictReasons: Readonly<Record<Verdict, Explain>> = {
  conformant: ({ totals, target }) => {
    const server = nameServer(target);
    return `${formatCount(totals.pass, 'requirement')} passed${server === undefined ? '' : ` on ${server}`}`;
  },
  'non-conformant': ({ target }, deciding) => `${countByLevel(deciding)} failed${embeddedSuffix(target)}`,
  incomplete: ({ requirements, target }) =>
    `${formatCount(requirements.filter(isUnproven).length, 'must requirement')} inconclusive or not exercised${embeddedSuffix(target)}`,
  unjudged: ({ run }) => run.notes[0] ?? 'nothing was judged',
};

function countByLevel(deciding: readonly FailedRequirement[]): string {
  const texts = (['must', 'derived'] as const).flatMap((level) => {
    const { length } = deciding.filter(({ requirement }) => requirement.level === level);
    return length > 0 ? [`${formatNumber(length)} ${level}`] : [];
  });
  return `${texts.join(' and ')} requirement${deciding.length === 1 ? '' : 's'}`;
}

function suggestNext({ verdict, target, run, gate, requirements, totals }: Report) {
  // What stopped a run early is among its warnings; no command explains it better.
  if (verdict === 'conformant' || verdict === 'non-conformant' || !run.complete) return undefined;
  if (target.control || target.embedded === true) {
    const open = requirements.find((row) => isUnproven(row) && !gate.excused.includes(row.id));
    if (verdict === 'unjudged' || open === undefined) return undefined;
    const lead = `What ${open.id} needs, and how it is checked:`;
    return { lead, command: `${typedCommand} explain ${open.id}` };
  }
  const { profile, base_url: url } = target;
  const command = `${typedCommand} doctor`;
  if (profile !== undefined)
    return { lead: 'Run this next:', command: `${command} --profile ${quoteForShell(profile)}` };
  if (url === null) return undefined;
  // Nothing is wrong with what was given; it is only too little.
  if (verdict === 'incomplete' && totals.inconclusive === 0)
    return {
      lead: 'To test more, write a profile and fill in what is missing:',
      command: `${typedCommand} init`,
    };
  return { lead: 'Run this next, with the same keys:', command: `${command} ${quoteForShell(url)}` };
}

function renderCleanCommand({ run: { left_behind: left } }: Report, directory = 'DIR'): string {
  const flag = left.some(({ kind }) => kind === 'world') ? '--control URL' : '--profile FILE';
  return `plumbline clean --from ${quoteForShell(directory)} ${flag}`;
}
