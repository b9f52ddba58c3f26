import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderAnnotations } from '../../reports/github-annotations.js';
import { requirement } from '../../spec/ledger.js';
import type { Report } from '../../spec/report.js';
import { everyHostileText, hostileReport, hostileTexts } from './hostile-report.js';
import { eventfulReport, mustIds, type SampleChanges, sampleFailure, sampleReport } from './sample-report.js';

/** The commands in the annotations of a report, as the runner of GitHub Actions reads them: name, properties, data. */
function commands(report: Report) {
  const text = renderAnnotations(report);
  expect(text === '' || text.endsWith('\n')).toBe(true);
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => {
    const [, name = '', given = '', data = ''] = /^::(\w+) (.*?)::(.*)$/.exec(line) ?? [];
    expect(name, line).not.toBe('');
    const properties = given.split(',').map((pair) => /^([^=]*)=(.*)$/.exec(pair)?.slice(1) ?? ['', '']);
    const decoded = data.replaceAll('%0A', '\n').replaceAll('%0D', '\r').replaceAll('%25', '%');
    const named = Object.fromEntries(properties) as Readonly<Record<string, string>>;
    return { name, data: decoded, properties: named };
  });
}

const titles = (report: Report) => commands(report).map(({ properties }) => properties.title ?? '');

/** Rows that failed without evidence, of which nobody can say that they have one cause. */
function failedAlone(count: number) {
  return Object.fromEntries(mustIds.slice(0, count).map((id) => [id, ['fail', null] as const]));
}

test('the annotations come most severe first: musts, derived, then warnings', () => {
  const found = commands(eventfulReport()).map(({ name, properties }) => [name, properties.title]);
  expect(found).toEqual([
    ['error', 'plumbline%3A vault-delete.404.other-intern (must%2C §7.1)'],
    ['error', 'plumbline%3A envelope.error.message (must%2C §2.4)'],
    ['error', 'plumbline%3A key-info.usage.nested (derived%2C §2.2)'],
    ['warning', 'plumbline%3A 3 requirements (3 must) inconclusive'],
    ['warning', 'plumbline%3A 19 must requirements%3A not exercised'],
    ['warning', 'plumbline%3A 1 advisory finding%3A not part of the verdict'],
  ]);
});

test('the annotations of a violation show the statement, what was expected and got, how to reproduce it, and the line that states it', () => {
  const id = 'vault-delete.404.other-intern';
  const failure = sampleFailure(id);
  const [first] = commands(sampleReport({ exitCode: 1, failures: [failure] }));
  expect(first?.data.split('\n')).toEqual([
    requirement(id).statement,
    failure.message,
    'Expected: 404',
    'Got: 204',
    'Confirmed: in 3 of 3 attempts',
    `Reproduce: ${failure.reproduce.command}`,
  ]);
  const lines = readFileSync(new URL('../../spec/requirements.yaml', import.meta.url), 'utf8').split('\n');
  expect(first?.properties.file).toBe('spec/requirements.yaml');
  expect(lines[Number(first?.properties.line) - 1]).toBe(`- id: ${id}`);
});

test('the annotations are ten at most, and count the failures that they leave out', () => {
  const titlesOf = (rows: SampleChanges['rows'] = {}) =>
    titles(sampleReport({ verdict: 'non-conformant', rows }));
  const told = titlesOf({ ...failedAlone(40), [mustIds[41] ?? '']: ['inconclusive', 'intermittent'] });
  expect(told).toHaveLength(10);
  expect(told[8]).toBe('plumbline%3A 32 more failed');
  expect(told[9]).toBe('plumbline%3A 1 requirement (1 must) inconclusive');
  expect(titlesOf(failedAlone(10)).filter((title) => !title.includes('more failed'))).toHaveLength(10);
});

test('the annotations of violations with one cause are one, which names them and shows the simplest', () => {
  const ofVault = mustIds.filter((id) => id.startsWith('vault-delete.404'));
  const mismatch = { wrong: 'status', due: [404] } as const;
  const situation_parts = { operation: 'vault-delete', outcome: 204 } as const;
  const failures = ofVault.map((id) => sampleFailure(id, { mismatch, situation_parts }));
  const [waived = '', ...named] = ofVault;
  const rows = { 'auth.bearer': ['fail', null] } as const;
  const [first, ...others] = commands(sampleReport({ failures, rows, waived: [waived] }));
  expect(others.map(({ name }) => name)).toEqual(['error', 'warning']);
  expect(first?.properties.title).toMatch(
    new RegExp(`^plumbline%3A ${named.length} requirements%3A .+ Fix this first\\.$`),
  );
  const [ids, message] = first?.data.split('\n') ?? [];
  expect(ids).toBe(named.join(', '));
  expect(failures.map((one) => one.message)).toContain(message);
});

test('the annotations of a waived requirement are a warning, those of a run without problems empty', () => {
  expect(renderAnnotations(sampleReport())).toBe('');
  const report = sampleReport({ failures: [sampleFailure('auth.bearer')], waived: ['auth.bearer'] });
  expect(commands(report)).toMatchObject([{ name: 'warning', data: 'auth.bearer' }]);
});

test('the annotations begin with a failure of the suite, or with why nothing was judged', () => {
  const failures = [sampleFailure('auth.bearer')];
  const [fault] = commands(sampleReport({ exitCode: 5, notes: ['no status'], failures }));
  expect(fault?.properties.title).toBe('plumbline%3A the suite itself failed');
  expect(fault?.data).toContain('no status');
  const unjudged = sampleReport({ verdict: 'unjudged', exitCode: 3, notes: ['refused'] });
  expect(commands(unjudged)).toMatchObject([{ name: 'error', data: 'refused' }]);
});

test('text from a server adds no command, and changes none', () => {
  const harmless = commands(hostileReport('harmless', 'harmless'));
  const isOfTarget = ({ data }: (typeof harmless)[number]) => data !== '';
  expect(harmless.filter(isOfTarget).length).toBeGreaterThan(3);
  for (const text of [...Object.values(hostileTexts), everyHostileText]) {
    const told = commands(hostileReport(text, text));
    const heads = (some: typeof harmless) =>
      some.map(({ name, properties: { file, line } }) => ({ name, file, line }));
    expect(heads(told), text).toEqual(heads(harmless));
  }
});
