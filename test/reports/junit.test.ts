import { readFileSync } from 'node:fs';
import { XmlDocument, XmlLibError, XsdValidator } from 'libxml2-wasm';
import { describe, expect, test } from 'vitest';
import { renderJUnit } from '../../reports/junit.js';
import { areas } from '../../spec/ledger.js';
import { statuses } from '../../spec/report.js';
import { everyHostileText, hostileReport, longestViolated } from './hostile-report.js';
import { reportsToRender } from './rendered-reports.js';
import { eventfulReport, sampleFailure, sampleReport } from './sample-report.js';
import { type FoundElement, findElements } from './xml-element.js';

function findOne(xml: string, path: string): FoundElement {
  const [found] = findElements(xml, path);
  if (found === undefined) throw new Error(`There is nothing at ${path}.`);
  return found;
}

function result(xml: string, name: string): FoundElement {
  return findOne(xml, `//testcase[@name="${name}"]/*`);
}

function properties(xml: string, suite: string): Readonly<Record<string, string>> {
  const found = findElements(xml, `//testsuite[@name="${suite}"]//property`);
  return Object.fromEntries(found.map(({ attributes: { name = '', value = '' } }) => [name, value]));
}

function outputOf(xml: string): readonly string[] {
  return findElements(xml, '//system-out').flatMap(({ text }) => text.split('\n'));
}

function namesOf(elements: readonly FoundElement[]): readonly (string | undefined)[] {
  return elements.map(({ attributes }) => attributes.name);
}

function sumOf(elements: readonly FoundElement[], attribute: string): number {
  return elements.reduce((sum, { attributes }) => sum + Number(attributes[attribute]), 0);
}

const schema = XsdValidator.fromDoc(
  XmlDocument.fromBuffer(readFileSync(new URL('junit.xsd', import.meta.url))),
);

/** Where XML breaks the schema of JUnit. Read with libxml2's usual limits, as most readers do: a text of 10 MB is refused. */
function schemaFaults(xml: string): string {
  try {
    const document = XmlDocument.fromString(xml);
    schema.validate(document);
    document.dispose();
    return '';
  } catch (error) {
    if (error instanceof XmlLibError) return error.message.slice(0, 2_000);
    throw error;
  }
}

test('the schema refuses what is not JUnit, and the parser what is too long', () => {
  const xml = renderJUnit(sampleReport());
  expect(schemaFaults(xml.replace(' hostname=', ' host='))).toContain("The attribute 'host' is not allowed");
  expect(schemaFaults(xml.replace('</testsuites>', ''))).toContain('testsuites');
  expect(schemaFaults(xml.replace('hostname="', `hostname="${'x'.repeat(11_000_000)}`))).toContain('limit');
});

test.each(reportsToRender)('the XML of the %s report is valid, and counts what it has', (_name, make) => {
  const report = make();
  const xml = renderJUnit(report);
  expect(schemaFaults(xml)).toBe('');
  const ofRun = properties(xml, 'run');
  const inAreas = areas.map((area) => properties(xml, area));
  const lines = outputOf(xml);
  for (const status of statuses) {
    const name = `totals.${status}`;
    expect(ofRun[name]).toBe(String(report.totals[status]));
    expect(inAreas.reduce((sum, one) => sum + Number(one[name]), 0)).toBe(report.totals[status]);
    expect(lines.filter((line) => line.startsWith(`${status} `))).toHaveLength(report.totals[status]);
  }
  const names = ['verdict', 'suite', ...report.checks.map(({ id }) => id)];
  expect(namesOf(findElements(xml, '//testcase')).toSorted()).toEqual(names.sort());
  const suites = findElements(xml, '//testsuite');
  const counts = { tests: 'testcase', failures: 'failure', errors: 'error', skipped: 'skipped' };
  for (const { attributes } of suites) {
    const path = `//testsuite[@name="${attributes.name}"]`;
    for (const [attribute, element] of Object.entries(counts))
      expect(Number(attributes[attribute])).toBe(findElements(xml, `${path}//${element}`).length);
    expect(Number(attributes.time)).toBeCloseTo(sumOf(findElements(xml, `${path}/testcase`), 'time'), 6);
  }
  const { exit_code: exitCode } = report.gate;
  const withOutcome = (...outcomes: readonly string[]) =>
    report.checks.filter(({ outcome }) => outcomes.includes(outcome)).length;
  expect(sumOf(suites, 'failures')).toBe(withOutcome('fail') + ([1, 4].includes(exitCode) ? 1 : 0));
  expect(sumOf(suites, 'skipped')).toBe(withOutcome('inconclusive', 'skipped'));
  expect(sumOf(suites, 'errors')).toBe({ 0: 0, 1: 0, 4: 0, 5: 2 }[exitCode] ?? 1);
  const root = findOne(xml, '/testsuites');
  for (const attribute of ['tests', 'failures', 'errors', 'time'])
    expect(Number(root.attributes[attribute])).toBeCloseTo(sumOf(suites, attribute), 6);
});

describe('the text for a reader', () => {
  const eventful = renderJUnit(eventfulReport());

  test('of the run, by the paths of report.json', () => {
    const totals = { 'run.seed': '-77', 'run.requests': '1234' };
    const ofRun = properties(eventful, 'run');
    expect(ofRun).toMatchObject({ verdict: 'non-conformant', 'gate.exit_code': '1', ...totals });
  });

  const violated = 'vault-delete.404.other-intern';

  test('of the attempts of an inconclusive check', () => {
    const report = eventfulReport();
    const numbers = Array.from({ length: 25 }, (_, at) => at);
    const attempts = numbers.map((at) => ({ attempt: at + 1, came: `got ${at}`, exchanges: [] }));
    const checks = report.checks.map((check) => ({ ...check, attempts }));
    const xml = renderJUnit({ ...report, checks });
    const lines = result(xml, 'auth.bearer').text.split('\n');
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([21, 'attempt 1: got 0', 'and 5 more attempts']);
    // A violation has its own exchanges to tell of.
    expect(result(xml, 'vault-delete.404.other-intern').text).not.toContain('attempt 1');
  });

  test('of a violation that does not count against the target', () => {
    const ids = ['vault-delete.403.regional-host-dot', violated, 'auth.bearer'] as const;
    const failures = ids.map((id) => sampleFailure(id));
    const rows = { 'auth.bearer': ['not-exercised', 'not selected'] } as const;
    const xml = renderJUnit(sampleReport({ failures, rows, waived: [violated] }));
    const messages = ids.map((id) => result(xml, id).attributes.message);
    expect(messages.map((message) => message?.match(/^\([^)]*\)/)?.[0])).toEqual([
      '(advisory, not part of the verdict)',
      '(waived)',
      '(not selected, so it does not count)',
    ]);
  });

  test('of the run: a failure of the suite is an error, and every note is shown but the one that is its reason', () => {
    const faulty = sampleReport({ exitCode: 5, complete: false, notes: ['auth.bearer: a stray rejection'] });
    const { name, attributes, text } = result(renderJUnit(faulty), 'suite');
    expect(name).toBe('error');
    expect(attributes.message).toContain('The suite itself failed');
    expect(text).toBe('note: auth.bearer: a stray rejection');
    const unjudged = sampleReport({ verdict: 'unjudged', exitCode: 3, notes: ['down', 'and out'] });
    expect(outputOf(renderJUnit(unjudged)).slice(0, 2)).toEqual(['unjudged: down', 'note: and out']);
  });

  test('in seconds that add up, also where an older report has fractions of a millisecond', () => {
    const report = sampleReport();
    const checks = report.checks.map((check) => ({ ...check, duration_ms: 0.4 }));
    const odd = renderJUnit({ ...report, checks });
    const timeOf = (xml: string, path: string) => findOne(xml, path).attributes.time;
    expect([timeOf(odd, '/*'), timeOf(odd, '//testsuite[@name="auth"]')]).toEqual(['0.000', '0.000']);
    expect(timeOf(eventful, '//testcase[@name="auth.missing-key"]')).toBe('0.003');
  });
});

test('a testcase is named by its check and its area, and every area has a suite', () => {
  const report = sampleReport();
  const cases = findElements(renderJUnit(report), '//testcase').slice(0, 3);
  expect(cases.map(({ attributes: { classname, name } }) => [classname, name])).toEqual([
    ['plumbline.run', 'verdict'],
    ['plumbline.run', 'suite'],
    ['plumbline.vault-delete', 'vault-delete.204.deleted'],
  ]);
  const suites = findElements(renderJUnit({ ...report, checks: [] }), '//testsuite');
  expect(namesOf(suites)).toEqual(['run', ...areas]);
});

test('hostile text is told without markup, as codes where it cannot be shown', () => {
  const xml = renderJUnit(hostileReport(everyHostileText, everyHostileText));
  const { attributes, text } = result(xml, longestViolated);
  expect(xml).not.toMatch(/<script|<img|<!DOCTYPE|CDATA/);
  const visible = everyHostileText.split(/[\p{C}\p{Zl}\p{Zp}]+/u).filter((part) => part !== '');
  expect(visible.filter((part) => !text.includes(part))).toEqual([]);
  expect(attributes.message).toContain('a\\u0000b⏎');
  expect(text).toContain('high \\ud800 and low \\udc00');
  expect(text).toContain('before ]]> after⏎&nobody; &nbsp; &#0; &#xFFFF; &amp;lt;⏎');
});
