import type { CTRFReport, Environment, Test, TestStatus } from 'ctrf';
import type { Outcome, Report } from '../spec/report.js';
import { inertJson } from './inert-json.js';
import { shownText } from './shown-text.js';
import { suiteFaultOf } from './suite-fault.js';
import { type ToldCheck, toldChecks } from './told-check.js';
import { verdictReason } from './verdict-reason.js';
import { buildVerdictTest } from './verdict-test.js';

/**
 * A report as CTRF (ctrf.io): one test per check, named by its id; what is inconclusive is `other`. The first test,
 * `verdict`, ends as the gate does. The verdict, the gate and every requirement, those that no check decides too, are in
 * `results.extra`. Every text is inert.
 */
export function ctrfJson(report: Report): string {
  return `${inertJson(ctrfReport(report), 2)}\n`;
}

const specVersion = '0.0.0';

function ctrfReport(report: Report): CTRFReport {
  const { tool, run } = report;
  return {
    reportFormat: 'CTRF',
    specVersion,
    runId: run.id,
    generatedBy: `${tool.name} ${tool.version}`,
    results: {
      tool: { name: tool.name, version: tool.version },
      ...testsOf(report),
      environment: environmentOf(report),
      extra: {
        verdict: report.verdict,
        reason: shownText(verdictReason(report)),
        gate: report.gate,
        notes: run.notes.map(shown),
        requirements: report.requirements.map(({ id, section, level, status, reason }) => ({
          id,
          section,
          level,
          status,
          reason: reason === null ? null : shownText(reason),
        })),
      },
    },
  };
}

function testsOf(report: Report): Pick<CTRFReport['results'], 'summary' | 'tests'> {
  const { run, totals } = report;
  const start = Date.parse(run.started_at);
  const tests = [
    buildVerdict(report),
    ...faultTests(report),
    ...toldChecks(report).map((check) => testOf(check, start)),
  ];
  const count = (status: TestStatus) => tests.filter((test) => test.status === status).length;
  return {
    summary: {
      tests: tests.length,
      passed: count('passed'),
      failed: count('failed'),
      skipped: count('skipped'),
      pending: count('pending'),
      other: count('other'),
      suites: new Set(tests.map(({ suite }) => suite?.[0])).size,
      start,
      stop: start + Math.round(run.duration_ms),
      duration: Math.round(run.duration_ms),
      extra: { requirements: totals, requests: run.requests, cases: run.cases },
    },
    tests,
  };
}

function buildVerdict(report: Report): Test {
  const { result, message, detail } = buildVerdictTest(report);
  return buildRunTest('verdict', result, { message, detail });
}

function faultTests(report: Report): readonly Test[] {
  const fault = suiteFaultOf(report);
  return fault === null ? [] : [buildRunTest('suite', 'error', fault)];
}

/** A test of the run as a whole. CTRF has no status for an error: it is `failed`, and its raw status says `error`. */
function buildRunTest(
  name: string,
  result: 'pass' | 'fail' | 'error',
  { message, detail }: { readonly message: string; readonly detail: readonly string[] },
): Test {
  return {
    testId: name,
    name,
    suite: ['run'],
    status: result === 'pass' ? 'passed' : 'failed',
    rawStatus: result,
    duration: 0,
    message,
    ...(detail.length === 0 ? {} : { trace: detail.join('\n') }),
  };
}

const statusOf: Readonly<Record<Outcome, TestStatus>> = {
  pass: 'passed',
  fail: 'failed',
  inconclusive: 'other',
  skipped: 'skipped',
};

function testOf(check: ToldCheck, runStart: number): Test {
  const { id, area, section, level, outcome, requirements, cases, requests, message, detail } = check;
  const start = runStart + Math.round(check.startedMs);
  const duration = Math.round(check.durationMs);
  return {
    testId: id,
    name: id,
    suite: [area],
    status: statusOf[outcome],
    rawStatus: outcome,
    duration,
    start,
    stop: start + duration,
    ...(message === null ? {} : { message }),
    ...(detail.length === 0 ? {} : { trace: detail.join('\n') }),
    tags: [level, `§${section}`, area],
    extra: { requirements, cases, requests },
  };
}

function environmentOf({ target, run, gate, document }: Report): Environment {
  return {
    reportName: 'plumbline',
    shardId: run.shard,
    healthy: gate.exit_code === 0,
    extra: {
      target: target.base_url === null ? null : shownText(target.base_url),
      control: target.control,
      seed: run.seed,
      depth: run.depth,
      complete: run.complete,
      selection: { only: run.selection.only.map(shown), skip: run.selection.skip.map(shown) },
      document,
    },
  };
}

function shown(text: string): string {
  return shownText(text);
}
