import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CTRFReport, validateStrict } from 'ctrf';
import type { Log } from 'sarif';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderReportJson } from '../../reports/formats.js';
import { allTests } from '../../suites/all-checks.js';
import { folder } from '../folders.js';
import { sampleFailure, sampleReport } from '../reports/sample-report.js';
import { findElements } from '../reports/xml-element.js';
import { serveReference } from '../servers.js';
import { plumbline, runInto } from './plumbline-process.js';

const description = readFileSync(new URL('../../spec/openapi.yaml', import.meta.url), 'utf8');

const situation_parts = { operation: 'guardrail-read', outcome: 404 } as const;
const report = sampleReport({
  verdict: 'non-conformant',
  exitCode: 1,
  failures: [
    sampleFailure('vault-delete.404.other-intern'),
    sampleFailure('envelope.error.message', { situation_parts }),
    sampleFailure('auth.bearer'),
  ],
});

/** Renders the report in one folder of a checkout, with findings in a file of another folder. */
async function renderAt(name: string, text: string) {
  const root = folder();
  for (const made of ['.git', 'api', 'work']) mkdirSync(join(root, made));
  writeFileSync(join(root, 'api', name), text);
  writeFileSync(join(root, 'work', 'report.json'), renderReportJson(report));
  const args = ['report', '--from', '.', '--sarif-location', `../api/${name}`];
  const ended = await plumbline(args, { cwd: join(root, 'work'), env: { GITHUB_ACTIONS: 'true' } });
  const { runs } = JSON.parse(readFileSync(join(root, 'work', 'results.sarif'), 'utf8')) as Log;
  const lines = text.split('\n');
  const places = (runs[0]?.results ?? []).map(({ locations, relatedLocations }) => {
    const { artifactLocation, region } = locations?.[0]?.physicalLocation ?? {};
    expect(relatedLocations?.[0]?.physicalLocation?.artifactLocation?.uri).toBe('spec/requirements.yaml');
    return [artifactLocation?.uri, artifactLocation?.uriBaseId, lines[(region?.startLine ?? 0) - 1]?.trim()];
  });
  return { ...ended, places };
}

const inJson = JSON.stringify(parse(description), null, 2);
const renamed = description
  .replaceAll('/vault/interns/{internId}/secrets/{name}', '/api/v1/vault/interns/{intern}/secrets/{secret}')
  .replaceAll('/guardrails/{id}', '/api/v1/guardrails/{guardrail_id}');

it.each([
  ['an OpenAPI description', 'my api.yaml', description, 'delete:', 'get:'],
  ['an OpenAPI description in JSON', 'api.json', inJson, '"delete": {', '"get": {'],
  ['an OpenAPI description with other parameters below a prefix', 'api.yaml', renamed, 'delete:', 'get:'],
  ['a file that is not an OpenAPI description', 'routes.ts', 'export const routes = {{\n', '', ''],
  ['a file with a name that a URI takes apart', 'api#1?.txt', 'paths\n', '', ''],
])('--sarif-location places findings in %s, at operation or top', async (_, name, text, vault, read) => {
  const { code, stdout, places } = await renderAt(name, text);
  expect(code).toBe(0);
  const first = text.split('\n')[0];
  const uri = `api/${encodeURIComponent(name)}`;
  expect(places).toEqual([
    [uri, '%SRCROOT%', vault || first],
    // A report of 0.1.0 does not say where a rule for all operations failed.
    [uri, '%SRCROOT%', first],
    [uri, '%SRCROOT%', read || first],
  ]);
  const annotated = [...stdout.matchAll(/^::error title=[^:]*,file=([^,:]*),line=(\d+)::/gm)];
  expect(annotated.map(([, file, line]) => [file, text.split('\n')[Number(line) - 1]?.trim()])).toEqual(
    places.map(([, , line]) => [`api/${name}`, line]),
  );
});

it.each([
  ['the path of the base URL', '/v1'],
  ['no prefix', ''],
])('of paths that end alike, --sarif-location takes those with %s', async (_what, prefix) => {
  const others = ['/v2', '/v1/admin'].map((other) => `${other}/guardrails/{id}: { get: {} }`);
  const text = [
    'openapi: 3.1.0',
    'paths:',
    ...others.map((other) => `  ${other}`),
    '  /interns/vault/interns/{a}/secrets/{b}: { delete: {} }',
    `  ${prefix}/guardrails/{id}: { get: {} }`,
    `  ${prefix}/vault/interns/{a}/secrets/{b}: { delete: {} }`,
    `  ${prefix}/key: { get: {} }`,
  ].join('\n');
  const { places } = await renderAt('api.yaml', text);
  const [vault, , guardrail] = places.map(([, , line]) => line);
  expect(vault).toMatch(new RegExp(`^${prefix}/vault/`));
  expect(guardrail).toMatch(new RegExp(`^${prefix}/guardrails/`));
});

it('--sarif-location names a file alone that is neither in a checkout nor in the working directory', async () => {
  const [work, elsewhere] = [folder(), folder()];
  writeFileSync(join(work, 'report.json'), renderReportJson(report));
  writeFileSync(join(elsewhere, 'api.yaml'), description);
  const flags = ['--from', '.', '--sarif-location', join(elsewhere, 'api.yaml')];
  await plumbline(['report', ...flags], { cwd: work });
  expect(readFileSync(join(work, 'results.sarif'), 'utf8')).toMatch(/"uri": ?"api\.yaml"/);
});

function readReports(directory: string) {
  const cases = findElements(readFileSync(join(directory, 'junit.xml'), 'utf8'), '//testcase');
  const ctrf = JSON.parse(readFileSync(join(directory, 'ctrf.json'), 'utf8')) as CTRFReport;
  validateStrict(ctrf);
  return { cases, tests: ctrf.results.tests };
}

const few = '--only key-info.200.* --depth quick --seed 7';
const formats = '--format json,junit,ctrf';

it('test case names do not depend on depth, selection or verdict, and a case that did not run is skipped with a reason', async () => {
  const control = `--control ${(await serveReference()).controlUrl}`;
  const messagesOf = async (flags: string) => {
    const { cases, tests } = readReports((await runInto(`${flags} ${formats}`)).directory);
    const named = cases.map(({ attributes }) => `${attributes.classname} ${attributes.name}`);
    const names = tests.map(({ name, suite }) => `plumbline.${suite?.[0]} ${name}`);
    expect(named.sort()).toEqual(names.toSorted());
    const all = allTests.map(({ id }) => `plumbline.${id.split('.')[0]} ${id}`);
    expect(names.sort()).toEqual(['plumbline.run suite', 'plumbline.run verdict', ...all].sort());
    return new Map(tests.map(({ name, message }) => [name, message]));
  };
  const quick = await messagesOf(`${control} ${few}`);
  await messagesOf(`${control} --only key-info.200.* --cases 1`);
  const down = await messagesOf('--control http://127.0.0.1:9/control');
  const id = 'vault-delete.204.takes-effect';
  expect(quick.get(id)).toBe('not sent: not selected');
  expect([...quick.values()]).toContain('not sent: at depth quick other checks decide its requirements');
  expect(down.get('verdict')).toMatch(/^unjudged: /);
  expect(down.get(id)).toMatch(/^not sent: .*127\.0\.0\.1:9/);
});
