import type { CTRFReport, Environment, Test, TestStatus } from 'ctrf';
import type { Report } from '../spec/report.js';
import { describeReport, type RenderOptions, type ReportView } from './report-view.js';
import { renderJson, safeLine } from './sanitize.js';
import { listTestCases, type TestCase } from './test-case-view.js';

/** Renders a report as CTRF (ctrf.io): one test per check, and first `verdict`, which ends as the gate does. */
export function renderCtrf(report: Report, options: RenderOptions = {}): string {
  const { tool, run } = report;
  const view = describeReport(report, options.directory);
  const document: CTRFReport = {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    runId: run.id,
    generatedBy: `${tool.name} ${tool.version}`,
    results: {
      tool: { name: tool.name, version: tool.version },
      ...buildTests(view, options),
      environment: buildEnvironment(report),
      extra: {
        verdict: report.verdict,
        reason: safeLine(view.explanation),
        gate: report.gate,
        notes: run.notes.map((note) => safeLine(note)),
        requirements: report.requirements.map(({ id, section, level, status, reason }) => ({
          ...{ id, section, level, status },
          reason: reason === null ? null : safeLine(reason),
        })),
      },
    },
  };
  return `${renderJson(document, 2)}\n`;
}

function buildTests(view: ReportView, { tests: known }: RenderOptions) {
  const { run, totals } = view.report;
  const start = Date.parse(run.started_at);
  const tests = listTestCases(view, known).map((test) => toTest(test, start));
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

// CTRF has no status for an error: it is `failed`, and its raw status says `error`.
const statusOf: Readonly<Record<TestCase['result'], TestStatus>> = {
  pass: 'passed',
  fail: 'failed',
  error: 'failed',
  inconclusive: 'other',
  skipped: 'skipped',
};

function toTest({ id, suite, result, message, detail, durationMs, check }: TestCase, runStart: number): Test {
  const duration = Math.round(durationMs);
  const { level: _level, section: _section, startedMs: _started, ...extra } = check ?? {};
  const start = runStart + Math.round(check?.startedMs ?? 0);
  return {
    testId: id,
    name: id,
    suite: [suite],
    status: statusOf[result],
    rawStatus: result,
    duration,
    ...(check === undefined ? {} : { start, stop: start + duration }),
    ...(message === null ? {} : { message }),
    ...(detail.length === 0 ? {} : { trace: detail.join('\n') }),
    ...(check === undefined ? {} : { tags: [check.level, `§${check.section}`, suite], extra }),
  };
}

function buildEnvironment({ target, run, gate, document }: Report): Environment {
  const { only, skip } = run.selection;
  return {
    reportName: 'plumbline',
    shardId: run.shard,
    healthy: gate.exit_code === 0,
    extra: {
      target: target.base_url === null ? null : safeLine(target.base_url),
      control: target.control,
      seed: run.seed,
      depth: run.depth,
      complete: run.complete,
      selection: { only: only.map((glob) => safeLine(glob)), skip: skip.map((glob) => safeLine(glob)) },
      document,
    },
  };
}
