import { create, type XMLElement } from 'xmlbuilder';
import { areaOf, areas } from '../spec/ledger.js';
import { countStatuses, type Report, type ReportedRequirement } from '../spec/report.js';
import { describeReport, type RenderOptions, type ReportView } from './report-view.js';
import { safeLine } from './sanitize.js';
import { listTestCases, type TestCase } from './test-case-view.js';

const packageName = 'plumbline';

/** Renders JUnit XML by the schemas of Ant and Jenkins: `verdict`, then a testcase per check, a suite per area. */
export function renderJUnit(report: Report, options: RenderOptions = {}): string {
  const view = describeReport(report, options.directory);
  const tests = listTestCases(view, options.tests);
  const { skipped: _, ...totals } = countResults(tests);
  const root = create('testsuites', { encoding: 'UTF-8' }).att({ name: packageName, ...totals });
  for (const [at, name] of (['run', ...areas] as const).entries()) {
    const own = tests.filter(({ suite }) => suite === name);
    const element = root.ele('testsuite', {
      ...{ name, package: packageName, id: String(at), timestamp: report.run.started_at.slice(0, 19) },
      // The schema requires it, and means this where the machine's name is private.
      hostname: 'localhost',
      ...countResults(own),
    });
    const rows = report.requirements.filter(({ id }) => areaOf(id) === name);
    const properties = element.ele('properties');
    for (const [property, value] of name === 'run'
      ? listRunProperties(report)
      : listTotals(countStatuses(rows)))
      properties.ele('property', { name: property, value: safeLine(String(value)) });
    for (const test of own) addTestcase(element, test);
    const output = name === 'run' ? listRunOutput(view) : rows.map(renderRow);
    element.ele('system-out').txt(output.join('\n'));
    element.ele('system-err');
  }
  return `${root.end({ pretty: true })}\n`;
}

/** Sanitized lines. */
function listRunOutput({ report, explanation, notes }: ReportView): readonly string[] {
  return [
    safeLine(`${report.verdict}: ${explanation}`),
    ...notes.map((note) => `note: ${safeLine(note)}`),
    ...report.run.left_behind.map(
      ({ scope, name, why }) => `left behind: ${safeLine(`${scope}/${name}: ${why}`)}`,
    ),
  ];
}

type Property = readonly [name: string, value: string | number | boolean];

function listRunProperties(report: Report): readonly Property[] {
  const { tool, document, target, run, verdict, gate, totals } = report;
  return [
    ['verdict', verdict],
    ['gate.exit_code', gate.exit_code],
    ['gate.waived', gate.waived.join(' ')],
    ['gate.excused', gate.excused.join(' ')],
    ...listTotals(totals),
    ['target.base_url', target.base_url ?? ''],
    ['target.control', target.control],
    ['run.seed', run.seed],
    ['run.depth', run.depth],
    ['run.shard', run.shard],
    ['run.selection.only', run.selection.only.join(' ')],
    ['run.selection.skip', run.selection.skip.join(' ')],
    ['run.complete', run.complete],
    ['run.requests', run.requests],
    ['run.cases', run.cases],
    ['run.duration_ms', run.duration_ms],
    ['document.version', document.version],
    ['document.openapi_sha256', document.openapi_sha256],
    ['tool.version', tool.version],
  ];
}

function listTotals(totals: Report['totals']): readonly Property[] {
  return Object.entries(totals).map(([status, count]) => [`totals.${status}`, count]);
}

function renderRow({ id, level, section, status, reason }: ReportedRequirement): string {
  const why = reason === null ? '' : `: ${safeLine(reason)}`;
  return `${status} ${id} (${level}, §${section})${why}`;
}

const elements = {
  pass: null,
  fail: 'failure',
  error: 'error',
  inconclusive: 'skipped',
  skipped: 'skipped',
} as const;

function countResults(tests: readonly TestCase[]) {
  const count = (element: string) => tests.filter(({ result }) => elements[result] === element).length;
  return {
    tests: tests.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
    time: toSeconds(tests.reduce((sum, { durationMs }) => sum + Math.round(durationMs), 0)),
  };
}

function addTestcase(suite: XMLElement, test: TestCase): void {
  const { id, result, type, message, detail, durationMs } = test;
  const testcase = suite.ele('testcase', {
    name: id,
    classname: `${packageName}.${test.suite}`,
    time: toSeconds(durationMs),
  });
  const element = elements[result];
  if (element === null) return;
  // The schema of Ant has no type of what was skipped; the message begins with it where it is inconclusive.
  const attributes =
    element === 'skipped'
      ? { message: `${result === 'inconclusive' ? 'inconclusive: ' : ''}${message}` }
      : { type, message };
  testcase.ele(element, attributes).txt(detail.join('\n'));
}

function toSeconds(ms: number): string {
  return (Math.round(ms) / 1000).toFixed(3);
}
