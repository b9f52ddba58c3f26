import { create, type XMLElement } from 'xmlbuilder';
import { areaOf, areas } from '../spec/ledger.js';
import type { Report, ReportedRequirement } from '../spec/report.js';
import type { RenderOptions } from './render-options.js';
import { countStatuses, explainVerdict, listNotes } from './report-view.js';
import { safeLine } from './sanitize.js';
import { listRunTests, listTestCases, type RunTest, type TestCase } from './test-case-view.js';

/** Renders JUnit XML by the schemas of Ant and Jenkins: `verdict`, then a testcase per check, a suite per area. */
export function renderJUnit(report: Report, options: RenderOptions = {}): string {
  const suites = listSuites(report, options);
  const { skipped: _, ...totals } = countResults(suites.flatMap(({ testcases }) => testcases));
  const root = create('testsuites', { encoding: 'UTF-8' }).att({ name: packageName, ...totals });
  suites.forEach((suite, id) => {
    addSuite(root, suite, { id: String(id), timestamp: report.run.started_at.slice(0, 19) });
  });
  return `${root.end({ pretty: true })}\n`;
}

type Result = 'failure' | 'error' | 'skipped';

interface Testcase {
  readonly name: string;
  readonly durationMs: number;
  /** Null where it passed. */
  readonly result: Result | null;
  readonly type: string;
  readonly message: string;
  /** Sanitized lines. */
  readonly detail: readonly string[];
}

interface Suite {
  readonly name: string;
  readonly properties: Readonly<Record<string, string | number | boolean>>;
  readonly testcases: readonly Testcase[];
  /** Sanitized lines. */
  readonly output: readonly string[];
}

function listSuites(report: Report, options: RenderOptions): readonly Suite[] {
  const checks = listTestCases(report, options);
  return [
    buildRunSuite(report),
    ...areas.map((area) => {
      const rows = report.requirements.filter(({ id }) => areaOf(id) === area);
      return {
        name: area,
        properties: totalProperties(countStatuses(rows)),
        testcases: checks.filter((check) => check.area === area).map(toTestcase),
        output: rows.map(renderRow),
      };
    }),
  ];
}

function buildRunSuite(report: Report): Suite {
  return {
    name: 'run',
    properties: runProperties(report),
    testcases: listRunTests(report).map(toRunTestcase),
    output: [
      safeLine(`${report.verdict}: ${explainVerdict(report)}`),
      ...listNotes(report).map((note) => `note: ${safeLine(note)}`),
      ...report.run.left_behind.map(
        ({ scope, name, why }) => `left behind: ${safeLine(`${scope}/${name}: ${why}`)}`,
      ),
    ],
  };
}

const runResults = { pass: null, fail: 'failure', error: 'error' } as const;

function toRunTestcase({ result, ...test }: RunTest): Testcase {
  return { ...test, durationMs: 0, result: runResults[result] };
}

function toTestcase({ id, outcome, level, durationMs, message, detail }: TestCase): Testcase {
  const testcase = { name: id, durationMs, type: level, message: message ?? '', detail };
  if (outcome === 'pass') return { ...testcase, result: null };
  if (outcome === 'fail') return { ...testcase, result: 'failure' };
  const word = outcome === 'inconclusive' ? 'inconclusive: ' : '';
  return { ...testcase, result: 'skipped', message: `${word}${testcase.message}` };
}

function runProperties({ tool, document, target, run, verdict, gate, totals }: Report): Suite['properties'] {
  return {
    verdict,
    'gate.exit_code': gate.exit_code,
    'gate.waived': gate.waived.join(' '),
    'gate.excused': gate.excused.join(' '),
    ...totalProperties(totals),
    'target.base_url': target.base_url ?? '',
    'target.control': target.control,
    'run.seed': run.seed,
    'run.depth': run.depth,
    'run.shard': run.shard,
    'run.selection.only': run.selection.only.join(' '),
    'run.selection.skip': run.selection.skip.join(' '),
    'run.complete': run.complete,
    'run.requests': run.requests,
    'run.cases': run.cases,
    'run.duration_ms': run.duration_ms,
    'document.version': document.version,
    'document.openapi_sha256': document.openapi_sha256,
    'tool.version': tool.version,
  };
}

function totalProperties(totals: Report['totals']): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(totals).map(([status, count]) => [`totals.${status}`, count]));
}

function renderRow({ id, level, section, status, reason }: ReportedRequirement): string {
  const why = reason === null ? '' : `: ${safeLine(reason)}`;
  return `${status} ${id} (${level}, §${section})${why}`;
}

const packageName = 'plumbline';

function addSuite(
  root: XMLElement,
  { name, properties, testcases, output }: Suite,
  place: { readonly id: string; readonly timestamp: string },
): void {
  const suite = root.ele('testsuite', {
    name,
    package: packageName,
    ...place,
    // The schema requires it, and means this where the machine's name is private.
    hostname: 'localhost',
    ...countResults(testcases),
  });
  const list = suite.ele('properties');
  for (const [property, value] of Object.entries(properties))
    list.ele('property', { name: property, value: safeLine(String(value)) });
  for (const testcase of testcases) addTestcase(suite, `${packageName}.${name}`, testcase);
  suite.ele('system-out').txt(output.join('\n'));
  suite.ele('system-err');
}

function countResults(testcases: readonly Testcase[]) {
  const count = (result: Result) => testcases.filter((testcase) => testcase.result === result).length;
  return {
    tests: testcases.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
    time: toSeconds(testcases.reduce((sum, { durationMs }) => sum + Math.round(durationMs), 0)),
  };
}

function addTestcase(suite: XMLElement, classname: string, testcase: Testcase): void {
  const { name, durationMs, result, type, message, detail } = testcase;
  const element = suite.ele('testcase', { name, classname, time: toSeconds(durationMs) });
  if (result === null) return;
  // The schema of Ant has no type of what was skipped; the message begins with it where it is inconclusive.
  const attributes = result === 'skipped' ? { message } : { type, message };
  element.ele(result, attributes).txt(detail.join('\n'));
}

function toSeconds(ms: number): string {
  return (Math.round(ms) / 1000).toFixed(3);
}
