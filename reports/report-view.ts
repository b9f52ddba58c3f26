import { exitCodes } from '../spec/exit-codes.js';
import { areaOf, areas, type RequirementId } from '../spec/ledger.js';
import { readNeed } from '../spec/reasons.js';
import {
  type Failure,
  isLeftOut,
  isUnproven,
  listFailures,
  type Report,
  type ReportedRequirement,
  type Status,
  type Verdict,
} from '../spec/report.js';
import { type Level, levels } from '../spec/requirement.js';
import { quoteForShell, typedCommand } from '../spec/version.js';
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
  /** The folder of the report, for commands to type next. */
  readonly directory?: string | undefined;
}

/** A violation with its place among those of the report, by which `plumbline replay` finds it. */
export interface NumberedFailure {
  readonly number: number;
  readonly failure: Failure;
}

/** A failed requirement with every violation of it. */
export interface FailedRequirement {
  readonly requirement: ReportedRequirement;
  readonly failures: readonly NumberedFailure[];
}

/** Groups items by what they have in common, in the order in which each group begins. */
export function groupBy<Key, Item>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Lists the violations of every requirement. */
export function groupFailures({ checks }: Report): ReadonlyMap<string, readonly Failure[]> {
  return groupBy(checks.flatMap(listFailures), ({ requirement }) => requirement);
}

/** Lists the failed requirements that were selected, in the order of the ledger, the strictest level first. */
export function listFailed(report: Report): readonly FailedRequirement[] {
  const groups = groupFailures(report);
  const failed = report.requirements.filter(({ status }) => status === 'fail');
  let number = 0;
  return sortByLevel(failed).map((requirement) => {
    const failures = groups.get(requirement.id) ?? [];
    return { requirement, failures: failures.map((failure) => ({ number: ++number, failure })) };
  });
}

/** Lists every violation of a report in the order in which `plumbline replay` counts them. */
export function numberFailures(report: Report): readonly NumberedFailure[] {
  return listFailed(report).flatMap(({ failures }) => failures);
}

/** Sorts requirements by their level, the strictest first. */
export function sortByLevel<Row extends { readonly level: Level }>(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((one, other) => levels.indexOf(one.level) - levels.indexOf(other.level));
}

/** Tells whether a failed requirement makes a server non-conformant. */
export function isDeciding({ level }: { readonly level: Level }): boolean {
  return level === 'must' || level === 'derived';
}

/** The failed requirements of a report: those that decide the verdict, and the advisory ones. */
export function splitFailed(report: Report) {
  const failed = listFailed(report);
  return {
    deciding: failed.filter(({ requirement }) => isDeciding(requirement)),
    advisory: failed.filter(({ requirement }) => !isDeciding(requirement)),
  };
}

/** Explains why a failed requirement has no evidence. */
export function explainMissingEvidence({ reason }: ReportedRequirement): string {
  return reason ?? 'This report has no evidence of it.';
}

/** Tells whether the document itself states a requirement. */
export function isMust({ level }: ReportedRequirement): boolean {
  return level === 'must';
}

/** Lists every selected `must` that is inconclusive or not exercised. */
export function listUnproven(report: Report): readonly ReportedRequirement[] {
  return report.requirements.filter(isUnproven);
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

/** Groups the requirements that were not exercised by what they need, the most valuable group first. */
export function listCoverageHints(report: Report): readonly ReasonGroup[] {
  return [...groupByReason(report, 'not-exercised')].sort((one, other) => rateGroup(other) - rateGroup(one));
}

/** Musts count before the rest. A group that needs several things is worth less for each of them. */
function rateGroup({ need, requirements }: ReasonGroup): number {
  const things = need?.split('; ').length ?? 1;
  return (1_000 * requirements.filter(isMust).length + requirements.length) / things;
}

/** Describes what a group of requirements needs, or why it has no result, to follow its size. */
export function explainGroup({ need, reason, requirements, isExplainedByNotes }: ReasonGroup): string {
  if (isExplainedByNotes) return ': for the reason given at the top';
  return need === undefined ? `: ${reason}` : ` need${requirements.length === 1 ? 's' : ''} ${need}`;
}

/** Counts the requirements in some groups. */
export function countGrouped(groups: readonly ReasonGroup[]): number {
  return groups.reduce((sum, { requirements }) => sum + requirements.length, 0);
}

/** Counts the requirements that the selection of the run left out. */
export function countLeftOut({ requirements }: Report): number {
  return requirements.filter(isLeftOut).length;
}

/** Lists the requirements of each area, with the areas that have none. */
export function listByArea<Row extends Pick<ReportedRequirement, 'id'>>(rows: readonly Row[]) {
  return areas.map((area) => ({ area, rows: rows.filter(({ id }) => areaOf(id) === area) }));
}

/** The name of the command's own server. */
export const embeddedServer = 'the embedded reference server';

/** Returns the name of the judged server: its base URL, or the embedded one; undefined where it was never known. */
export function nameServer({ base_url: url, embedded }: Report['target']): string | undefined {
  return embedded === true ? embeddedServer : (url ?? undefined);
}

/** Returns the suffix of a verdict on the command's own server: no release may rely on that. */
export function embeddedSuffix({ embedded }: Report['target']): string {
  return embedded === true ? ` on ${embeddedServer}` : '';
}

/** Returns a note where any certificate was accepted, else undefined. */
export function noteInsecure({ insecure }: Report['target']): string | undefined {
  return insecure === true ? 'TLS certificates were not verified' : undefined;
}

const verdictReasons: Readonly<Record<Verdict, (report: Report) => string>> = {
  conformant: ({ totals, target }) => {
    const server = nameServer(target);
    return `${formatCount(totals.pass, 'requirement')} passed${server === undefined ? '' : ` on ${server}`}`;
  },
  'non-conformant': (report) => `${countFailedByLevel(report)} failed${embeddedSuffix(report.target)}`,
  incomplete: (report) =>
    `${formatCount(listUnproven(report).length, 'must requirement')} inconclusive or not exercised${embeddedSuffix(report.target)}`,
  unjudged: ({ run }) => run.notes[0] ?? 'nothing was judged',
};

/** Explains the verdict of a report in one clause. */
export function explainVerdict(report: Report): string {
  return verdictReasons[report.verdict](report);
}

function countFailedByLevel(report: Report): string {
  const { deciding } = splitFailed(report);
  const texts = (['must', 'derived'] as const).flatMap((level) => {
    const { length } = deciding.filter(({ requirement }) => requirement.level === level);
    return length > 0 ? [`${formatNumber(length)} ${level}`] : [];
  });
  return `${texts.join(' and ')} requirement${deciding.length === 1 ? '' : 's'}`;
}

/** Returns the warning that the suite itself failed; undefined where it did not. */
export function warnOfSuiteFault({ gate }: Report): string | undefined {
  if (gate.exit_code !== exitCodes.suiteFault) return undefined;
  return 'The suite itself failed: do not rely on this verdict, and please report it.';
}

/** Lists why a verdict should be read with care: the suite failed, the run stopped early. */
export function listWarnings(report: Report): readonly string[] {
  const fault = warnOfSuiteFault(report);
  const why = report.requirements.find(({ reason_code: code }) => code === 'stopped')?.reason;
  const early = `The run stopped early${why ? ` (${why})` : ''}; the results so far are below.`;
  return [...(fault === undefined ? [] : [fault]), ...(report.run.complete ? [] : [early])];
}

/** Lists the notes of a run that its verdict does not repeat. */
export function listNotes(report: Report): readonly string[] {
  const reason = explainVerdict(report);
  return report.run.notes.filter((note) => note !== reason);
}

/** Counts what the gate let pass: `2 waived`, `1 excused by the policy`; nothing where there is none. */
export function listExceptions({ waived, excused, newer }: Report['gate']): readonly string[] {
  const counts = [
    [waived, 'waived'],
    [excused, 'excused by the policy'],
    [newer, 'newer than its ledger'],
  ] as const;
  return counts.flatMap(([{ length }, words]) => (length === 0 ? [] : [`${length} ${words}`]));
}

/** Lists why the gate ends with 2 although the run was judged; empty where it ends otherwise. */
export function listWaiverFaults({ gate }: Report): readonly string[] {
  if (gate.exit_code !== exitCodes.usage) return [];
  return ['The waivers are out of date: the exit code is 2 until they are corrected.', ...gate.notes];
}

/** Suggests the command to type next where nothing failed and too little was proven; undefined where none would help. */
export function suggestNext(report: Report) {
  const { verdict, target, run, gate } = report;
  // What stopped a run early is among its warnings; no command explains it better.
  if (verdict === 'conformant' || verdict === 'non-conformant' || !run.complete) return undefined;
  if (target.control || target.embedded === true) {
    const open = listUnproven(report).find(({ id }) => !gate.excused.includes(id));
    if (verdict === 'unjudged' || open === undefined) return undefined;
    const lead = `What ${open.id} needs, and how it is checked:`;
    return { lead, command: `${typedCommand} explain ${open.id}` };
  }
  const { profile, base_url: url } = target;
  const command = `${typedCommand} doctor`;
  if (profile !== undefined)
    return { lead: 'Run this next:', command: `${command} --profile ${quoteForShell(profile)}` };
  if (url === null) return undefined;
  return { lead: 'Run this next, with the same keys:', command: `${command} ${quoteForShell(url)}` };
}

/** Renders the command that removes what a run left behind. */
export function renderCleanCommand({ run: { left_behind: left } }: Report, directory = 'DIR'): string {
  const flag = left.some(({ kind }) => kind === 'world') ? '--control URL' : '--profile FILE';
  return `plumbline clean --from ${quoteForShell(directory)} ${flag}`;
}

/** Explains that curl lines do not work alone where their keys are those of a world; undefined where they do. */
export function noteWorld({ target }: Report): string | undefined {
  return target.control ? 'The curl lines need a world of their own; replay opens one.' : undefined;
}
