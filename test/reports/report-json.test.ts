import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { loadReport, UnreadableReport } from '../../reports/load-report.js';
import { areas, ledger } from '../../spec/ledger.js';
import { type Report, statuses } from '../../spec/report.js';
import { fileOf } from '../folders.js';
import { changeMember, compileSchema, listMembers, readSchema } from '../spec/schemas.js';
import { reportsToRender } from './rendered-reports.js';
import { eventfulReport, sampleFailure, sampleReport } from './sample-report.js';

const schema = readSchema('report');
const validate = compileSchema('report');

/** An eventful report with one violated check in front, one requirement and one silence, so that each path is short. */
function shortReport(): Report {
  const report = eventfulReport();
  const check = report.checks.find(({ further_failures }) => further_failures.length > 0);
  const row = report.requirements.find(({ status }) => status === 'fail');
  if (check === undefined || row === undefined) throw new Error('The sample has no check with two failures.');
  return { ...report, requirements: [row], checks: [check] };
}

test.each(reportsToRender)('the schema accepts a report that is %s', (_name, make) => {
  expect(validate(make()), JSON.stringify(validate.errors)).toBe(true);
});

const later = ['later', 'run.later', 'gate.later', 'requirements.0.later', 'checks.0.failure.later'];
test.each(later)('the schema accepts a member of a later version at %s', (path) => {
  expect(validate(changeMember(shortReport(), path, { any: 1 }))).toBe(true);
});

const exchange = 'checks.0.failure.exchanges.0';

test.each<readonly [string, string, unknown]>([
  ['another format', 'format', 'plumbline-report/2'],
  ['a hash of another length', 'document.openapi_sha256', 'abc'],
  ['an exit code that no run ends with', 'gate.exit_code', 6],
  ['a time with an offset', 'run.started_at', '2030-04-05T06:07:08+02:00'],
  ['a shard of none', 'run.shard', '0/1'],
  ['an id of no area', 'requirements.0.id', 'speed.first-byte'],
  ['a bare area as id', 'requirements.0.id', 'auth'],
  ['a section with its sign', 'requirements.0.section', '§7.1'],
  ['a violation where the document is silent', 'requirements.0.level', 'silent'],
  ['not exercised without a reason', 'requirements.0.status', 'not-exercised'],
  ['a failed check without its failure', 'checks.0.failure', null],
  ['a passed check with a failure', 'checks.0.outcome', 'pass'],
  ['a confirmation that is no count', 'checks.0.failure.confirmed', 'always'],
  ['a header without its value', `${exchange}.request.headers.0`, ['Authorization']],
  ['a header with two values', `${exchange}.request.headers.0`, ['A', 'b', 'c']],
  ['a status that is no status', `${exchange}.response.status`, 4200],
])('the schema refuses %s', (_name, path, value) => {
  expect(validate(shortReport())).toBe(true);
  expect(validate(changeMember(shortReport(), path, value))).toBe(false);
});

test('the schema refuses a report that lacks any one of the members that version 0.1 wrote', () => {
  // The counterexample has any members.
  const paths = listMembers(shortReport()).filter((path) => !path.includes('.counterexample.'));
  expect(paths.length).toBeGreaterThan(80);
  const optional = paths.filter((path) => validate(changeMember(shortReport(), path, undefined)));
  const names = new Set(optional.map((path) => path.split('.').at(-1)));
  expect([...names].sort()).toEqual(['grounds', 'reason_code']);
});

test('the schema agrees with the code on the statuses, the areas, and every id and section of the ledger', () => {
  expect(schema.$defs.requirement.properties.status.enum).toEqual(statuses);
  expect(schema.properties.totals.required).toEqual(statuses);
  for (const name of ['requirementId', 'checkId'])
    expect(schema.$defs[name].pattern).toContain(`(${areas.join('|')})`);
  const id = new RegExp(schema.$defs.requirementId.pattern, 'u');
  const section = new RegExp(schema.$defs.section.pattern, 'u');
  expect(ledger.filter((row) => !id.test(row.id) || !section.test(row.section))).toEqual([]);
});

test('a report is read from its file and from its folder', async () => {
  const file = fileOf(JSON.stringify(eventfulReport()), 'report.json');
  expect(await loadReport(file)).toEqual(eventfulReport());
  expect(await loadReport(dirname(file))).toEqual(eventfulReport());
});

test('members that an earlier writer did not know get their defaults', async () => {
  const { notes, left_behind, ...run } = sampleReport().run;
  const { newer, notes: reasons, ...gate } = sampleReport().gate;
  const [check] = sampleReport().checks;
  const { situation, ...failure } = sampleFailure('auth.bearer');
  const failed = { ...check, outcome: 'fail', failure, further_failures: [failure] };
  const old = {
    ...sampleReport(),
    run,
    gate,
    checks: [{ ...check, attempts: undefined, further_failures: undefined, started_ms: undefined }, failed],
  };
  const read = await loadReport(fileOf(JSON.stringify(old)));
  expect(read.run).toMatchObject({ notes: [], left_behind: [] });
  expect(read.gate).toMatchObject({ newer: [], notes: [] });
  expect(read.checks[1]).toMatchObject({ failure: { situation: '' }, further_failures: [{ situation: '' }] });
  expect(read.checks[0]).toMatchObject({ attempts: [], further_failures: [], started_ms: 0 });
});

test.each([
  ['not selected', 'not-selected'],
  ['needs a key of the role disabled', 'lacking'],
  ['no answer of this run showed it', 'not-shown'],
  ['intermittent, 5 of 10 attempts: got 502', 'intermittent'],
  ['nobody listens there', 'unjudged'],
  ['got 502', null],
  [null, null],
])('the reason %j of version 0.1, which wrote no codes, gets its code', async (reason, code) => {
  const { requirements, checks, run, ...report } = sampleReport();
  const uncoded = <Part extends { readonly reason_code?: unknown }>({ reason_code: _, ...part }: Part) => ({
    ...part,
    reason,
  });
  const old = {
    ...report,
    run: { ...run, notes: ['nobody listens there'] },
    requirements: requirements.slice(0, 1).map((row) => ({ ...uncoded(row), status: 'inconclusive' })),
    checks: checks.slice(0, 1).map((check) => ({
      ...uncoded(check),
      says: [{ requirement: 'auth.bearer', outcome: 'inconclusive', reason }],
    })),
  };
  const read = await loadReport(fileOf(JSON.stringify(old)));
  const [check] = read.checks;
  const parts = [read.requirements[0], check, check?.says?.[0]];
  expect(parts.map((part) => part?.reason_code)).toEqual([code, code, code]);
});

test.each([
  ['{"format":"else/1"}', 'is not a report of plumbline'],
  ['{"format":"plumbline-report/1"}', 'is not a valid report'],
])('%s is refused in a line that names its file', async (text, words) => {
  const file = fileOf(text);
  const refusal = loadReport(file);
  await expect(refusal).rejects.toThrow(UnreadableReport);
  await expect(refusal).rejects.toThrow(`${file} ${words}`);
});
