import { expect, it } from 'vitest';
import { reportFiles } from '../../reports/formats.js';
import { toolVersion } from '../../spec/version.js';
import { command } from '../cli/plumbline-process.js';
import { folder } from '../folders.js';
import { serveReference } from '../servers.js';
import { readCheckoutFile } from './example-files.js';
import { runScript } from './run-script.js';

const jenkinsfile = readCheckoutFile('examples/jenkins/Jenkinsfile');

/** The script that judges, as Groovy hands it to the shell. */
const [, judging = ''] = /sh '''(.*?)'''/s.exec(jenkinsfile.replaceAll('\\\n', '')) ?? [];
const script = judging.replace('node_modules/plumbline-conformance/dist/cli/plumbline.js', `"${command}"`);

it('the pipeline for Jenkins installs this version and shows its JUnit report', () => {
  expect(jenkinsfile).toContain(`PLUMBLINE_VERSION = '${toolVersion}'`);
  expect(jenkinsfile).toContain(`testResults: 'plumbline-report/${reportFiles.junit}'`);
});

it.each([
  ['fails with 2 while STAGING_CONTROL is unset', 2, ''],
  ['judges staging', 0, 'set'],
])('the pipeline for Jenkins %s', async (_title, expected, set) => {
  const { controlUrl } = await serveReference();
  const env = set === '' ? {} : { STAGING_CONTROL: controlUrl };
  const only = `${script.trimEnd()} --only 'key-info.200.*' --cases 1`;
  const { code, log } = await runScript(only, { cwd: folder(), env });
  expect(code, log).toBe(expected);
});
