import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderAnnotations } from '../../reports/github-annotations.js';
import { requirement } from '../../spec/ledger.js';
import { everyHostileText, hostileReport, hostileTexts } from './hostile-report.js';
import { eventfulReport, mustIds, type SampleChanges, sampleFailure, sampleReport } from './sample-report.js';

/** A command as the runner of GitHub Actions reads a line: name, properties, data. */
function read(line: string) {
  const end = line.indexOf('::', 2);
  expect(line.startsWith('::') && end > 0, line).toBe(true);
  const [, name = '', told = ''] = /^(\w+) (.*)$/.exec(line.slice(2, end)) ?? [];
  const properties = told.split(',').map((pair) => /^([^=]*)=(.*)$/.exec(pair)?.slice(1) ?? ['', '']);
  const data = line
    .slice(end + 2)
    .replaceAll('%0A', '\n')
    .replaceAll('%0D', '\r')
    .replaceAll('%25', '%');
  return { name, properties: Object.fromEntries(properties) as Readonly<Record<string, string>>, data };
}

function commands(text: string) {
  expect(text === '' || text.endsWith('\n')).toBe(true);
  return text.split('\n').slice(0, -1).map(read);
}

const kinds = (text: string) => commands(text).map(({ name }) => name);
const titles = (text: string) => commands(text).map(({ properties }) => properties.title ?? '');

/** Rows that failed without evidence, of which nobody can say that they have one cause. */
function failedAlone(count: number) {
  return Object.fromEntries(mustIds.slice(0, count).map((id) => [id, ['fail', null] as const]));
}

test('the annotations of a run without problems are empty', () => {
  expect(renderAnnotations(sampleReport())).toBe('');
});

test('the annotations come most severe first: musts, derived, then warnings', () => {
  expect(titles(renderAnnotations(eventfulReport()))).toEqual([
    'plumbline%3A vault-delete.404.other-intern (must%2C §7.1)',
    'plumbline%3A envelope.error.message (must%2C §2.4)',
    'plumbline%3A key-info.usage.nested (derived%2C §2.2)',
    'plumbline%3A 3 requirements (3 must) inconclusive',
    'plumbline%3A 21 must requirements%3A not exercised',
    'plumbline%3A 1 advisory finding%3A not part of the verdict',
  ]);
  expect(kinds(renderAnnotations(eventfulReport()))).toEqual([
    ...['error', 'error', 'error'],
    ...['warning', 'warning', 'warning'],
  ]);
});

test('the annotations of a violation show the statement, what was expected and got, how to reproduce it, and the line that states it', () => {
  const id = 'vault-delete.404.other-intern';
  const failure = sampleFailure(id);
  const [first] = commands(renderAnnotations(sampleReport({ exitCode: 1, failures: [failure] })));
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
    titles(renderAnnotations(sampleReport({ verdict: 'non-conformant', rows })));
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
  const [first, ...others] = commands(renderAnnotations(sampleReport({ failures, rows, waived: [waived] })));
  expect(others.map(({ name }) => name)).toEqual(['error', 'warning']);
  expect(first?.properties.title).toMatch(
    new RegExp(`^plumbline%3A ${named.length} requirements%3A .+ Fix this first\\.$`),
  );
  const [ids, message] = first?.data.split('\n') ?? [];
  expect(ids).toBe(named.join(', '));
  expect(failures.map((one) => one.message)).toContain(message);
});

test('the annotations of a waived requirement are a warning', () => {
  const waived = ['auth.bearer'];
  const report = sampleReport({ failures: [sampleFailure('auth.bearer')], waived });
  expect(kinds(renderAnnotations(report))).toEqual(['warning']);
  expect(renderAnnotations(report)).toContain('auth.bearer');
});

test('the annotations begin with a failure of the suite, or with why nothing was judged', () => {
  const failures = [sampleFailure('auth.bearer')];
  const failed = renderAnnotations(sampleReport({ exitCode: 5, notes: ['no status'], failures }));
  expect(titles(failed)[0]).toBe('plumbline%3A the suite itself failed');
  expect(commands(failed)[0]?.data).toContain('no status');
  const unjudged = sampleReport({ verdict: 'unjudged', exitCode: 3, notes: ['refused'] });
  expect(commands(renderAnnotations(unjudged))).toMatchObject([{ name: 'error', data: 'refused' }]);
});

test('text from a server adds no command, and changes none', () => {
  const harmless = commands(renderAnnotations(hostileReport('harmless', 'harmless')));
  const isOfTarget = ({ data }: (typeof harmless)[number]) => data !== '';
  expect(harmless.filter(isOfTarget).length).toBeGreaterThan(3);
  for (const text of [...Object.values(hostileTexts), everyHostileText]) {
    const told = commands(renderAnnotations(hostileReport(text, text)));
    const heads = (some: typeof harmless) =>
      some.map(({ name, properties: { file, line } }) => ({ name, file, line }));
    expect(heads(told), text).toEqual(heads(harmless));
  }
});
