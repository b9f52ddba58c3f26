import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { reportFiles } from '../../reports/formats.js';
import { toolVersion } from '../../spec/version.js';
import { command } from '../cli/plumbline-process.js';
import { serveReference } from '../servers.js';
import { folderOf } from '../targets/profile/profile-files.js';
import { readCheckoutFile, readYamlFile } from './example-files.js';
import { runScript } from './run-script.js';

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
  const only = `${script.trimEnd()} --only 'key-info.200.*' --cases 1`;
  const { code, log } = await runScript(only, { cwd, env });
  expect(code, log).toBe(0);
});
