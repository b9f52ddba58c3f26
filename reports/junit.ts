import { create } from 'xmlbuilder2';
import type { XMLBuilder } from 'xmlbuilder2/lib/interfaces.js';
import { areaOf, areas } from '../spec/ledger.js';
import type { Report, ReportedRequirement } from '../spec/report.js';
import { shownText } from './shown-text.js';
import { statusTotals } from './status-totals.js';
import { suiteFaultOf } from './suite-fault.js';
import { type ToldCheck, toldChecks } from './told-check.js';
import { verdictReason } from './verdict-reason.js';
import { buildVerdictTest } from './verdict-test.js';

/**
 * A report as JUnit XML that keeps to the schemas of Ant and of Jenkins: one testcase per check, in one suite per area,
 * all of them always there and in the same order. A suite of the name `run` comes first: its testcase `verdict` ends as
 * the gate does, and its properties are named by their paths in report.json. What no check decides is in the totals of
 * its area and on its `system-out`.
 */
export function junitXml(report: Report): string {
  const document = create({ version: '1.0', encoding: 'UTF-8' });
  const root = document.ele('testsuites');
  suitesOf(report).forEach((suite, id) => {
    addSuite(root, suite, { id: String(id), timestamp: report.run.started_at.slice(0, 19) });
  });
  return `${document.end({ prettyPrint: true })}\n`;
}

type Result = 'failure' | 'error' | 'skipped';

/** A testcase before it is written. */
interface Testcase {
  readonly name: string;
  readonly durationMs: number;
  /** Null where it passed. */
  readonly result: Result | null;
  readonly type: string;
  readonly message: string;
  /** Inert lines. */
  readonly detail: readonly string[];
}

/** A suite before it is written. */
interface Suite {
  readonly name: string;
  readonly properties: Readonly<Record<string, string | number | boolean>>;
  readonly testcases: readonly Testcase[];
  /** Inert lines. */
  readonly output: readonly string[];
}

function suitesOf(report: Report): readonly Suite[] {
  const checks = toldChecks(report);
  return [
    runSuite(report),
    ...areas.map((area) => {
      const rows = report.requirements.filter(({ id }) => areaOf(id) === area);
      return {
        name: area,
        properties: totalProperties(statusTotals(rows)),
        testcases: checks.filter((check) => check.area === area).map(testcaseOf),
        output: rows.map(rowLine),
      };
    }),
  ];
}

/** What is said of the run as a whole; the testcase `suite` is there only where the suite itself failed. */
function runSuite(report: Report): Suite {
  const reason = verdictReason(report);
  return {
    name: 'run',
    properties: runProperties(report),
    testcases: [verdictTestcase(report), ...faultTestcases(report)],
    output: [
      shownText(`${report.verdict}: ${reason}`),
      ...report.run.notes.filter((note) => note !== reason).map((note) => `note: ${shownText(note)}`),
      ...report.run.left_behind.map(
        ({ scope, name, why }) => `left behind: ${shownText(`${scope}/${name}: ${why}`)}`,
      ),
    ],
  };
}

const verdictResults = { pass: null, fail: 'failure', error: 'error' } as const;

function verdictTestcase(report: Report): Testcase {
  const { result, type, message, detail } = buildVerdictTest(report);
  return { name: 'verdict', durationMs: 0, result: verdictResults[result], type, message, detail };
}

function faultTestcases(report: Report): readonly Testcase[] {
  const fault = suiteFaultOf(report);
  return fault === null
    ? []
    : [{ name: 'suite', durationMs: 0, result: 'error', type: 'suite-fault', ...fault }];
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

function rowLine({ id, level, section, status, reason }: ReportedRequirement): string {
  const why = reason === null ? '' : `: ${shownText(reason)}`;
  return `${status} ${id} (${level}, §${section})${why}`;
}

function testcaseOf({ id, outcome, level, durationMs, message, detail }: ToldCheck): Testcase {
  const told = { name: id, durationMs, message: message ?? '', detail };
  if (outcome === 'pass') return { ...told, result: null, type: outcome };
  return outcome === 'fail'
    ? { ...told, result: 'failure', type: level }
    : { ...told, result: 'skipped', type: outcome };
}

const packageName = 'plumbline';

function addSuite(
  root: XMLBuilder,
  { name, properties, testcases, output }: Suite,
  placed: { readonly id: string; readonly timestamp: string },
): void {
  const count = (result: Result) => testcases.filter((testcase) => testcase.result === result).length;
  const suite = root.ele('testsuite', {
    name,
    package: packageName,
    ...placed,
    // The schema asks for it, and means this where the name of the machine is nobody's business.
    hostname: 'localhost',
    tests: testcases.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
    time: seconds(testcases.reduce((sum, { durationMs }) => sum + durationMs, 0)),
  });
  const list = suite.ele('properties');
  for (const [property, value] of Object.entries(properties))
    list.ele('property', { name: property, value: written(shownText(String(value))) });
  for (const testcase of testcases) addTestcase(suite, `${packageName}.${name}`, testcase);
  suite.ele('system-out').txt(written(output.join('\n')));
  suite.ele('system-err');
}

function addTestcase(suite: XMLBuilder, classname: string, testcase: Testcase): void {
  const { name, durationMs, result, type, message, detail } = testcase;
  const element = suite.ele('testcase', { name, classname, time: seconds(durationMs) });
  if (result === null) return;
  element.ele(result, { type, message: written(message) }).txt(written(detail.join('\n')));
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** The builder takes what looks like an entity for one and leaves it alone, declared or not. */
function written(text: string): string {
  return text.replaceAll('&', '&amp;');
}
