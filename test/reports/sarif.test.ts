import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import type { Log, Result, Run } from 'sarif';
import { describe, expect, test } from 'vitest';
import { renderSarif } from '../../reports/sarif.js';
import { ledger } from '../../spec/ledger.js';
import { type Report, statuses } from '../../spec/report.js';
import { everyHostileText, hostileReport, textsIn } from './hostile-report.js';
import { reportsToRender } from './rendered-reports.js';
import { eventfulReport, sampleFailure, sampleReport } from './sample-report.js';

// The published schema is of draft 04; but for the names of these two members it means the same in 2020-12.
const require = createRequire(import.meta.url);
const schemaFile = require.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
const { $schema: _draft, id: _id, ...schema } = JSON.parse(readFileSync(schemaFile, 'utf8'));
const ajv = new Ajv2020({ strict: false, allErrors: true, unicodeRegExp: false });
addFormatsModule.default(ajv);
const validate = ajv.compile(schema);

function runOf(report: Report): Run {
  const log = JSON.parse(renderSarif(report)) as Log;
  expect(validate(log), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
  expect(log.version).toBe('2.1.0');
  expect(log.runs).toHaveLength(1);
  const [run] = log.runs;
  if (run === undefined) throw new Error('The log has no run.');
  return run;
}

function resultsOf(report: Report): readonly Result[] {
  return runOf(report).results ?? [];
}

test('the published schema refuses what is no log', () => {
  expect(validate({ version: '2.1.0', runs: [{ results: [{ kind: 'violated' }] }] })).toBe(false);
});

describe('the rules', () => {
  const { rules = [] } = runOf(eventfulReport()).tool.driver;
  const find = (id: string) => rules.find((rule) => rule.id === id);

  test('are the ledger, in its order, each with its level, section and area, whatever a run found', () => {
    expect(rules.map(({ id }) => id)).toEqual(ledger.map(({ id }) => id));
    expect(find('vault-delete.404.other-intern')).toMatchObject({
      defaultConfiguration: { level: 'error' },
      properties: { level: 'must', section: '7.1', area: 'vault-delete' },
    });
    const levelOf = (id: string) => find(id)?.defaultConfiguration?.level;
    expect(levelOf('key-info.usage.nested')).toBe('error');
    expect(levelOf('secrecy.key-echo')).toBe('warning');
    expect(levelOf('guardrail-read.field.reset-interval-values')).toBe('none');
    expect(rules).toEqual(runOf(sampleReport()).tool.driver.rules);
  });

  test('have a name, a page, and the sentence and the usual repair to read', () => {
    expect(new Set(rules.map(({ name }) => name)).size).toBe(ledger.length);
    const name = expect.stringMatching(/^[A-Z][A-Za-z0-9]+$/);
    for (const rule of rules) expect(rule).toMatchObject({ name, helpUri: expect.stringMatching(/^https:/) });
    const { help, ...regional } = find('vault-delete.403.regional-host') ?? {};
    expect(regional).toMatchObject({ name: 'VaultDelete403RegionalHost' });
    for (const text of [
      '\n> Vault routes refuse requests made on regional hostnames, with 403. (§5)\n',
      '**How to fix it:** Compare the host of the request',
      '`plumbline explain vault-delete.403.regional-host`',
    ])
      expect(help?.markdown).toContain(text);
  });

  test('are rated for security where keys, secrets and tenants are concerned, and nowhere else', () => {
    const severityOf = (rule: (typeof rules)[number] | undefined) => rule?.properties?.['security-severity'];
    const tagged = rules.filter(({ properties }) => properties?.tags?.includes('security') === true);
    expect(tagged).toEqual(rules.filter((rule) => severityOf(rule) !== undefined));
    const expected = {
      'vault-delete.404.foreign-secret': '9.1',
      'guardrail-read.404.other-workspace': '9.1',
      'auth.missing-key': '7.5',
      'secrecy.body': '7.5',
      'secrecy.key-echo': '3.0',
      'auth.regional-host': undefined,
      'stream-error.other-errors': undefined,
      'vault-delete.204.deleted': undefined,
    };
    const severities = Object.keys(expected).map((id) => [id, severityOf(find(id))]);
    expect(Object.fromEntries(severities)).toEqual(expected);
  });
});

test.each(reportsToRender)('the totals of the %s report can be counted, and are stated', (_name, make) => {
  const report = make();
  const { properties, results = [] } = runOf(report);
  const told = Object.values<unknown>(properties?.statuses);
  const counted = statuses.map((status) => [status, told.filter((one) => one === status).length]);
  expect(Object.fromEntries(counted)).toEqual(report.totals);
  expect(properties?.totals).toEqual(report.totals);
  expect(new Set(results.map(({ ruleId }) => ruleId)).size).toBe(report.totals.fail);
});

test('the causes name every failed requirement that decides, with the simplest exchange', () => {
  const { properties } = runOf(eventfulReport());
  const causes = properties?.causes as readonly {
    readonly requirements: readonly string[];
    readonly replay?: string;
    readonly webResponse?: unknown;
  }[];
  expect(causes.flatMap(({ requirements }) => requirements).sort()).toEqual([
    'envelope.error.message',
    'key-info.usage.nested',
    'vault-delete.404.other-intern',
  ]);
  for (const { replay, webResponse } of causes)
    expect([replay, webResponse]).toEqual([expect.any(String), expect.any(Object)]);
});

describe('a violation', () => {
  const id = 'vault-delete.404.other-intern';

  test('names its rule and the line that states it, its severity, what came, and how to see it again', () => {
    const failure = sampleFailure(id, { exchanges: sampleFailure(id).exchanges.slice(0, 1) });
    const report = sampleReport({ exitCode: 1, failures: [failure] });
    const { results = [], tool } = runOf(report);
    const [result] = results;
    expect(results).toHaveLength(1);
    expect(tool.driver.rules?.[result?.ruleIndex ?? -1]?.id).toBe(id);
    expect(result).toMatchObject({
      ruleId: id,
      kind: 'fail',
      level: 'error',
      occurrenceCount: 1,
      webRequest: { method: 'DELETE', target: 'http://127.0.0.1:4010/v1/vault/interns/own/secrets/foo_bar' },
      webResponse: { statusCode: 204, headers: { Date: 'now' } },
      properties: { expected: '404', actual: '204', confirmed: '3/3' },
    });
    const place = result?.locations?.[0]?.physicalLocation;
    expect(place?.artifactLocation).toEqual({ uri: 'spec/requirements.yaml', uriBaseId: 'PLUMBLINE' });
    const lines = readFileSync(new URL('../../spec/requirements.yaml', import.meta.url), 'utf8').split('\n');
    expect(lines[(place?.region?.startLine ?? 0) - 1]).toBe(`- id: ${id}`);
    expect(result?.message.text).toContain(failure.message);
    expect(result?.message.text).toContain(failure.reproduce.command);
    expect(result?.properties?.reproduce).toMatchObject({ curl: failure.reproduce.curl });
  });

  test('that is advisory is a warning, that a waiver covers is suppressed, without evidence is shown', () => {
    const failures = [sampleFailure(id), sampleFailure('secrecy.key-echo')];
    const rows = { 'auth.bearer': ['fail', null] } as const;
    const results = resultsOf(sampleReport({ failures, rows, waived: [id] }));
    const idsOf = (some: readonly Result[]) => some.map(({ ruleId }) => ruleId);
    expect(idsOf(results.filter(({ level }) => level === 'warning'))).toEqual(['secrecy.key-echo']);
    expect(idsOf(results.filter(({ suppressions }) => suppressions !== undefined))).toEqual([id]);
    expect(results.find(({ ruleId }) => ruleId === 'auth.bearer')?.message.text).toBe(
      'This report has no evidence of it.',
    );
  });
});

describe('the fingerprint', () => {
  const id = 'envelope.error.message';
  const [exchange] = sampleFailure(id).exchanges;
  if (exchange?.response == null) throw new Error('The sample has no answered exchange.');
  const { request, response } = exchange;

  const resultsAt = (...seen: readonly (readonly [path: string, status: number])[]) => {
    const failures = seen.map(([path, status]) => {
      const url = `http://127.0.0.1:4010/v1${path}`;
      const asked = { ...exchange, request: { ...request, url }, response: { ...response, status } };
      return sampleFailure(id, { message: `of ${path}`, exchanges: [asked] });
    });
    return resultsOf(sampleReport({ failures }));
  };
  const hashes = (results: readonly Result[]) =>
    results.map((one) => one.partialFingerprints?.['situation/v1']);
  const path = '/vault/interns/2b8f0a52-7d5e-4c55-9a57-3c3c4a3c6c11/secrets/a';
  const [one] = resultsAt([path, 404]);

  test('is that of another run with other ids and names', () => {
    const [other] = resultsAt(['/vault/interns/9e1a77c0-0d0a-4b8e-8f51-6b8a0c3d2e10/secrets/b_c?x=1', 404]);
    expect(other?.partialFingerprints).toEqual(one?.partialFingerprints);
  });

  test('is another for another route, another status, another requirement', () => {
    const others = resultsAt([path, 404], ['/guardrails/x', 404], ['/vault/interns/a/secrets/b', 503]);
    const elsewhere = resultsOf(sampleReport({ failures: [sampleFailure('auth.bearer')] }));
    expect(new Set(hashes([...others, ...elsewhere])).size).toBe(4);
  });

  test('brings together what was seen in the same way, and keeps the rest apart', () => {
    const results = resultsAt([path, 404], [path, 404], [path, 503]);
    expect(results.map(({ occurrenceCount }) => occurrenceCount)).toEqual([2, 1]);
    expect(results[0]?.message.text).toContain('Seen 1 more time in the same place.');
    expect(new Set(hashes(results)).size).toBe(2);
  });
});

test('the invocation says how the run ended and when, of a shard in a category of its own', () => {
  const report = sampleReport();
  const { id } = report.run;
  const shard = { ...report, run: { ...report.run, shard: '2/3' } };
  expect(runOf(report).automationDetails?.id).toBe(`plumbline/${id}`);
  expect(runOf(shard).automationDetails?.id).toBe(`plumbline/shard-2-of-3/${id}`);
  const { invocations: [invocation] = [] } = runOf(eventfulReport());
  expect(invocation).toMatchObject({
    executionSuccessful: true,
    exitCode: 1,
    exitCodeDescription: 'non-conformant',
    startTimeUtc: '2030-04-05T06:07:08.901Z',
    endTimeUtc: '2030-04-05T06:07:11.041Z',
  });
});

test.each<readonly [string, Parameters<typeof sampleReport>[0]]>([
  ['that was interrupted', { complete: false, exitCode: 130 }],
  ['that judged nothing', { verdict: 'unjudged', exitCode: 3, notes: ['connection refused'] }],
  ['whose suite failed', { exitCode: 5, notes: ['a row without a status'] }],
])('the invocation of a run %s was not successful', (_name, changes) => {
  const { invocations: [invocation] = [] } = runOf(sampleReport(changes));
  expect(invocation?.executionSuccessful).toBe(false);
  const notes = invocation?.toolExecutionNotifications?.map(({ message }) => message.text);
  expect(notes).toEqual(changes?.notes ?? []);
});

test('the invocation notes what has no result, with its rule, and nothing that was not selected', () => {
  const report = eventfulReport();
  const { invocations: [invocation] = [], tool } = runOf(report);
  const notes = invocation?.toolExecutionNotifications ?? [];
  const due = report.requirements.filter(
    ({ status, reason }) => /^(inconclusive|not-exercised)$/.test(status) && reason !== 'not selected',
  );
  expect(notes.map(({ associatedRule }) => associatedRule?.id)).toEqual(due.map(({ id }) => id));
  for (const { associatedRule } of notes)
    expect(tool.driver.rules?.[associatedRule?.index ?? -1]?.id).toBe(associatedRule?.id);
  const id = 'vault-delete.503.writes-disabled';
  const text = `${id} not exercised: needs a key of the role write_disabled`;
  const note = notes.find(({ associatedRule }) => associatedRule?.id === id);
  expect(note).toMatchObject({ level: 'warning', message: { text } });
});

test('hostile text leaves the log valid, and has neither links nor placeholders', () => {
  const report = hostileReport(everyHostileText, everyHostileText);
  const { results = [], invocations = [] } = runOf(report);
  for (const text of textsIn(JSON.parse(renderSarif(report))))
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  const notes = invocations[0]?.toolExecutionNotifications ?? [];
  const texts = [...results, ...notes].map(({ message }) => message.text ?? '');
  expect(texts.length).toBeGreaterThan(20);
  // Brackets are escaped, braces doubled.
  for (const text of texts) {
    expect(text.replaceAll(/\\[\\[\]]/g, '')).not.toMatch(/[[\]]/);
    expect(text.replaceAll(/\{\{|\}\}/g, '')).not.toMatch(/[{}]/);
  }
});
