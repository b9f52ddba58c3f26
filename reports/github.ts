import { requirementLines } from '../spec/ledger.js';
import type { Failure, Report } from '../spec/report.js';
import { counted } from './amount-text.js';
import { cutText } from './cut-text.js';
import { inertText } from './inert-text.js';
import { isMust, reasonGroups, unprovenMusts } from './unproven.js';
import { verdictReason } from './verdict-reason.js';
import { decides, type Violation, violationsOf } from './violations.js';
import { waiverFaults } from './waiver-faults.js';
import { commandLine, type WorkflowCommand } from './workflow-command.js';

/** GitHub shows no more of one step. */
const annotationsAtMost = 10;
const longestPart = 400;
const suiteFailed = 5;

/**
 * Workflow commands that annotate a job of GitHub Actions, each on its line, ten at most: what keeps the verdict from
 * being relied on, then the violations, `must` before `derived`, then warnings. Nothing where all is well.
 */
export function githubAnnotations(report: Report): string {
  const violations = violationsOf(report);
  const isWaived = ({ requirement }: Violation) => report.gate.waived.includes(requirement.id);
  const deciding = violations.filter((violation) => decides(violation) && !isWaived(violation));
  const alarms = alarmsOf(report);
  const warnings = warningsOf(report, violations.filter(isWaived));
  const room = annotationsAtMost - alarms.length - warnings.length;
  const told = deciding.length <= room ? deciding : deciding.slice(0, room - 1);
  return [...alarms, ...told.map(violated), ...moreViolated(deciding.slice(told.length)), ...warnings]
    .map(commandLine)
    .join('');
}

function alarmsOf(report: Report): readonly WorkflowCommand[] {
  if (report.gate.exit_code === suiteFailed)
    return [
      error('the suite itself failed', ['Do not rely on the verdict.', ...report.run.notes.slice(0, 3)]),
    ];
  const [outOfDate, ...reasons] = waiverFaults(report);
  if (outOfDate !== undefined) return [error('waivers out of date', [outOfDate, ...reasons])];
  return report.verdict === 'unjudged' ? [error('unjudged', [verdictReason(report)])] : [];
}

function violated({ requirement, failures }: Violation): WorkflowCommand {
  const { id, level, section, statement, reason } = requirement;
  const [failure] = failures;
  const line = requirementLines().get(id);
  const { name, properties, message } = error(`${id} (${level}, §${section})`, [
    statement,
    ...(failure === undefined ? [reason ?? 'No evidence of it is in the report.'] : shown(failure)),
  ]);
  const place = { file: 'spec/requirements.yaml', ...(line === undefined ? {} : { line }) };
  return { name, properties: { ...properties, ...place }, message };
}

function shown({ message, expected, actual, reproduce }: Failure): readonly string[] {
  return [message, `Expected: ${expected}`, `Came: ${actual}`, `Again: ${reproduce.command}`];
}

function moreViolated(left: readonly Violation[]): readonly WorkflowCommand[] {
  if (left.length === 0) return [];
  return [error(`${left.length} more violated`, [idsText(left.map(({ requirement }) => requirement.id))])];
}

function warningsOf(report: Report, waived: readonly Violation[]): readonly WorkflowCommand[] {
  const advice = violationsOf(report).filter((violation) => !decides(violation));
  const exercised = unprovenMusts(report).filter(({ status }) => status === 'not-exercised');
  return [
    ...idsWarning(
      'violated, and waived',
      waived.map(({ requirement }) => requirement.id),
    ),
    ...undecidedWarning(report),
    ...idsWarning(
      'not exercised, though a must',
      exercised.map(({ id }) => id),
    ),
    ...idsWarning(
      'not kept, though only advice',
      advice.map(({ requirement }) => requirement.id),
    ),
  ];
}

function undecidedWarning(report: Report): readonly WorkflowCommand[] {
  const groups = reasonGroups(report, 'inconclusive');
  const rows = groups.flatMap(({ requirements }) => requirements);
  if (rows.length === 0) return [];
  const reasons = groups
    .slice(0, 3)
    .map(({ reason, requirements }) => `${requirements.length}: ${cutText(reason, longestPart)}`);
  return [
    warning(`${counted(rows.length, 'requirement')} undecided`, [
      `${counted(rows.filter(isMust).length, 'must')} among them.`,
      ...reasons,
    ]),
  ];
}

function idsWarning(what: string, ids: readonly string[]): readonly WorkflowCommand[] {
  return ids.length === 0 ? [] : [warning(`${counted(ids.length, 'requirement')} ${what}`, [idsText(ids)])];
}

const idsShown = 8;

function idsText(ids: readonly string[]): string {
  const more = ids.length - idsShown;
  return `${ids.slice(0, idsShown).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

function error(title: string, lines: readonly string[]): WorkflowCommand {
  return annotation('error', title, lines);
}

function warning(title: string, lines: readonly string[]): WorkflowCommand {
  return annotation('warning', title, lines);
}

function annotation(name: 'error' | 'warning', title: string, lines: readonly string[]): WorkflowCommand {
  const message = lines.map((line) => inertText(cutText(line, longestPart))).join('\n');
  return { name, properties: { title: `plumbline: ${inertText(cutText(title, longestPart))}` }, message };
}
