import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { reportFiles } from '../../reports/formats.js';
import { toolVersion } from '../../spec/version.js';
import { command } from '../cli/plumbline-process.js';
import { folder } from '../folders.js';
import { readCheckoutFile, readYamlFile } from './example-files.js';
import { runScript } from './run-script.js';

const [pipeline] = readYamlFile('examples/gitlab/.gitlab-ci.yml') as readonly [Pipeline];

interface Pipeline {
  readonly 'deploy-to-staging': { readonly resource_group: string };
  readonly conformance: {
    readonly resource_group: string;
    readonly script: readonly string[];
    readonly variables: Readonly<Record<string, string>>;
    readonly artifacts: { readonly paths: readonly string[]; readonly reports: { readonly junit: string } };
  };
}

// The schema has formats and unions of types that a strict Ajv refuses.
const validate = new Ajv({ strict: false, validateFormats: false }).compile(
  JSON.parse(readCheckoutFile('test/examples/fixtures/gitlab-ci.schema.json')),
);

it('the pipeline for GitLab matches the schema of GitLab, and one with a misspelt member does not', () => {
  expect(validate(pipeline), JSON.stringify(validate.errors)).toBe(true);
  const { conformance } = pipeline;
  expect(validate({ ...pipeline, conformance: { ...conformance, artefacts: {} } })).toBe(false);
});

it('the pipeline for GitLab installs this version, and shows its JUnit report', () => {
  expect(pipeline.conformance.variables).toEqual({ PLUMBLINE_VERSION: toolVersion });
  const { paths, reports } = pipeline.conformance.artifacts;
  expect(`${paths[0]}${reportFiles.junit}`).toBe(reports.junit);
});

it('the pipeline for GitLab judges and deploys staging in one resource group', () => {
  const { 'deploy-to-staging': deploy, conformance } = pipeline;
  expect([deploy.resource_group, conformance.resource_group]).toEqual(['staging', 'staging']);
});

it('the pipeline for GitLab fails with 2 while STAGING_CONTROL is unset', async () => {
  const script = pipeline.conformance.script
    .join('\n')
    .replace('node_modules/plumbline-conformance/dist/cli/plumbline.js', `"${command}"`);
  const { code, log } = await runScript(script, { cwd: folder(), env: {} });
  expect([code, log]).toEqual([2, expect.stringContaining('--control')]);
});
