import type { Invocation, Log, Notification, Run } from 'sarif';
import { isLeftOut, type Report, type ReportedRequirement } from '../spec/report.js';
import { inertJson } from './inert-json.js';
import { packageBase, resultsOf } from './sarif-results.js';
import { ledgerFile, ruleOf } from './sarif-rules.js';
import { messageOf, plainLine } from './sarif-text.js';
import { isMust } from './unproven.js';
import { verdictReason } from './verdict-reason.js';
import { violationsOf } from './violations.js';
import { waiverFaults } from './waiver-faults.js';

/**
 * A report as a SARIF 2.1.0 log: a rule for every requirement, a result for every violation. What was left undecided or
 * not exercised is told as notifications: of results GitHub makes alerts, whatever their kind. `run.properties` has the
 * totals and the status of every requirement.
 */
export function sarifLog(report: Report): string {
  const log: Log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [runOf(report)],
  };
  return `${inertJson(log)}\n`;
}

function runOf(report: Report): Run {
  const { tool, document, run, requirements, totals, verdict, gate, target } = report;
  const indexes = new Map(requirements.map(({ id }, index) => [id, index]));
  return {
    tool: {
      driver: {
        name: 'plumbline',
        fullName: `${tool.name} ${plainLine(tool.version)}`,
        version: plainLine(tool.version),
        rules: requirements.map(ruleOf),
      },
    },
    automationDetails: automation(report),
    invocations: [invocationOf(report, indexes)],
    originalUriBaseIds: {
      [packageBase]: { description: messageOf('the folder of the package plumbline-conformance') },
    },
    artifacts: [{ location: { uri: ledgerFile, uriBaseId: packageBase } }],
    results: violationsOf(report).flatMap((violation) =>
      resultsOf(violation, { report, ruleIndex: indexes.get(violation.requirement.id) ?? -1 }),
    ),
    columnKind: 'utf16CodeUnits',
    properties: {
      verdict,
      reason: plainLine(verdictReason(report)),
      totals,
      statuses: Object.fromEntries(requirements.map(({ id, status }) => [id, status])),
      gate: { exit_code: gate.exit_code, waived: gate.waived, excused: gate.excused },
      target: target.base_url === null ? null : plainLine(target.base_url),
      document,
      depth: run.depth,
      seed: run.seed,
      shard: run.shard,
      requests: run.requests,
      cases: run.cases,
      complete: run.complete,
    },
  };
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** What comes before the last slash tells kinds of runs apart: the shards of one run must not replace one another. */
function automation({ run: { id, shard } }: Report): NonNullable<Run['automationDetails']> {
  const kind = shard === '1/1' ? 'plumbline' : `plumbline/shard-${plainLine(shard).replace('/', '-of-')}`;
  return { id: `${kind}/${plainLine(id)}`, ...(uuid.test(id) ? { guid: id } : {}) };
}

const suiteFailed = 5;

function invocationOf(report: Report, indexes: ReadonlyMap<string, number>): Invocation {
  const { run, gate, verdict } = report;
  const startMs = Date.parse(run.started_at);
  const endMs = startMs + run.duration_ms;
  const faults = waiverFaults(report);
  return {
    executionSuccessful:
      run.complete && verdict !== 'unjudged' && gate.exit_code !== suiteFailed && faults.length === 0,
    exitCode: gate.exit_code,
    exitCodeDescription: verdict,
    ...(Number.isNaN(endMs)
      ? {}
      : { startTimeUtc: new Date(startMs).toISOString(), endTimeUtc: new Date(endMs).toISOString() }),
    ...(faults.length === 0
      ? {}
      : {
          toolConfigurationNotifications: faults.map(
            (fault): Notification => ({ level: 'error', message: messageOf(fault) }),
          ),
        }),
    toolExecutionNotifications: [
      ...run.notes.map((note): Notification => ({ level: 'error', message: messageOf(note) })),
      ...report.requirements.flatMap((row) => unproven(row, indexes.get(row.id) ?? -1)),
    ],
  };
}

/** What kept a requirement from being decided, or what would unlock it; nothing of those that were not selected. */
function unproven(row: ReportedRequirement, index: number): readonly Notification[] {
  const { id, status, reason } = row;
  if ((status !== 'inconclusive' && status !== 'not-exercised') || isLeftOut(row)) return [];
  const word = status === 'inconclusive' ? 'undecided' : 'not exercised';
  return [
    {
      level: isMust(row) ? 'warning' : 'note',
      message: messageOf(`${id} ${word}: ${reason ?? 'no reason was given'}`),
      associatedRule: { id, index },
      properties: { status },
    },
  ];
}
