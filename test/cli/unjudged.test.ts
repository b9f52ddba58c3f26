import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { judge } from '../../library/plumbline.js';
import { ledger } from '../../spec/ledger.js';
import { folder } from '../folders.js';
import { htmlForEverything, serveReference, startServer } from '../servers.js';
import { startAlteredControl } from './altered-control.js';
import { plumbline, runInto, type Surroundings } from './plumbline-process.js';

// Nothing listens on port 1 of this machine.
const nowhere = 'http://127.0.0.1:1';

/** Runs against an unjudged target; returns the output and the only note of the report. */
async function runUnjudged(flags: string, surroundings?: Surroundings) {
  const run = await runInto(`--depth quick ${flags}`, surroundings);
  expect(run.code, run.words).toBe(3);
  const { verdict, gate, run: facts, totals, requirements } = run.report();
  expect([verdict, gate.exit_code, facts.complete]).toEqual(['unjudged', 3, true]);
  expect(totals).toMatchObject({ pass: 0, fail: 0, inconclusive: 0 });
  expect(requirements).toHaveLength(ledger.length);
  const [note = '', ...others] = facts.notes;
  expect(others).toEqual([]);
  for (const { status, reason } of requirements) {
    if (status === 'not-exercised') expect(reason).toBe(note);
    else expect(status).toBe('not-observable');
  }
  expect(run.words).toMatch(/^unjudged: /);
  expect(run.words).toContain(note);
  return { ...run, note };
}

async function startWithoutWorlds(): Promise<string> {
  const { url } = await startAlteredControl(await serveReference(), {
    answer: ({ method }) => (method === 'POST' ? { status: 500, body: { error: 'no' } } : undefined),
  });
  return url;
}

it.each<readonly [what: string, url: () => Promise<string>, note: string]>([
  [
    'with a port where nothing listens',
    async () => `${nowhere}/control`,
    '/control got no answer: connection lost (ECONNREFUSED): nothing listens there. Check the host and the port of the control URL, and that the service is up',
  ],
  ['with an unknown host name', async () => 'http://plumbline.invalid', 'plumbline.invalid got no answer'],
  [
    'with https:// where no TLS is spoken',
    async () => (await startServer(htmlForEverything)).replace('http:', 'https:'),
    'write http:// in the control URL if it is meant to be plain',
  ],
  ['that opens no worlds', startWithoutWorlds, '/worlds was answered 500 instead of 201'],
])('a control %s ends with 3 and says why', async (_what, url, note) => {
  expect((await runUnjudged(`--control ${await url()}`)).note).toContain(note);
});

it('a control behind a proxy that is down ends with 3 and names the proxy', async () => {
  const env = { HTTP_PROXY: nowhere, http_proxy: nowhere };
  const { note } = await runUnjudged('--control http://vault.example/control', { env });
  expect(note).toContain('on the way through the proxy that HTTP_PROXY');
});

it.each([
  ['where nothing listens', async () => `${nowhere}/v1`],
  ['that answers everything with HTML', () => startServer(htmlForEverything)],
])('a target %s behind a working control ends with 3 and says why', async (_what, target) => {
  const { controlUrl, worldCount } = await serveReference();
  const { note } = await runUnjudged(`--target ${await target()} --control ${controlUrl}`);
  expect(note).toMatch(/no positive control passed: the base URL: http:\S+ (?:cannot be|answers GET)/);
  expect(worldCount()).toBe(0);
});

/** A control that gives other keys, and perhaps another free model; a key that is undefined stays as it is. */
async function controlWith(
  keys: (world: number) => string | undefined,
  { freeModel, isRefusing = () => false }: { freeModel?: string; isRefusing?: () => boolean } = {},
) {
  let worlds = 0;
  const server = await serveReference();
  const { url: controlUrl, calls } = await startAlteredControl(server, {
    answer: ({ method }) => (method === 'DELETE' && isRefusing() ? { status: 500 } : undefined),
    rewrite: ({ path }, body) => {
      const given = body as { readonly keys: object; readonly inference: object };
      if (path === '' && freeModel !== undefined)
        return { ...given, inference: { ...given.inference, free_model: freeModel } };
      if (path !== '/worlds') return body;
      worlds += 1;
      const member = keys(worlds);
      return member === undefined ? body : { ...given, keys: { ...given.keys, member } };
    },
  });
  return { controlUrl, calls, worldCount: server.worldCount };
}

/** Returns the usage error of a run and expects that no report is left, not even an earlier one. */
async function refusal(args: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const report = join(folder(), 'report');
  mkdirSync(report);
  for (const file of ['report.json', 'journal.ndjson'])
    writeFileSync(join(report, file), 'of an earlier run');
  const { code, stdout, stderr } = await plumbline(`run ${args} --report ${report}`, { env });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(existsSync(report) ? readdirSync(report) : []).toEqual([]);
  return stderr;
}

const unchanged = (): undefined => undefined;
const shortLater = (world: number) => (world < 3 ? undefined : 'k3ytest');

it.each([
  ['in the first world', () => 'k3ytest'],
  ['in a later world', shortLater],
])('a short key %s of a control is a usage error, and every world is given back', async (_name, keys) => {
  const { controlUrl, worldCount } = await controlWith(keys);
  const message = await refusal(`--control ${controlUrl}`);
  expect(message).toMatch(/key of the role member with fewer than 12 characters/);
  expect(message).toContain(`at ${controlUrl} gave`);
  expect(message).toContain('No report was written.');
  expect(message).not.toContain('k3ytest');
  expect(worldCount()).toBe(0);
});

it('run lists worlds with short keys that cannot be deleted, and clean removes them', async () => {
  let isRefusing = true;
  const { controlUrl, worldCount } = await controlWith(shortLater, { isRefusing: () => isRefusing });
  const directory = folder();
  const run = await plumbline(`run --control ${controlUrl} --report ${directory}`);
  expect([run.code, run.stdout]).toEqual([2, '']);
  expect(run.stderr).toContain(`plumbline clean --from ${directory} --control URL`);
  expect([readdirSync(directory), worldCount() > 0]).toEqual([['journal.ndjson'], true]);
  isRefusing = false;
  expect((await plumbline(`clean --from ${directory} --control ${controlUrl}`)).code).toBe(0);
  expect(worldCount()).toBe(0);
});

it.each([
  ['a flag', ' --control-token s3cret', {}],
  ['the environment', '', { PLUMBLINE_CONTROL_TOKEN: 's3cret' }],
])('run refuses a short token from %s before anything is sent', async (_name, flags, env) => {
  const { controlUrl, calls } = await controlWith(unchanged);
  const message = await refusal(`--control ${controlUrl}${flags}`, env);
  expect(message).toMatch(/token of the control protocol has fewer than 12 characters/);
  expect(message).not.toContain('s3cret');
  expect(calls).toEqual([]);
});

it('a free model whose id does not end in :free is a usage error, before any world is opened', async () => {
  const { controlUrl, calls } = await controlWith(unchanged, { freeModel: 'acme/tiny' });
  const message = await refusal(`--control ${controlUrl}`);
  expect(message).toMatch(/inference\.free_model that does not end in ":free"/);
  expect(calls.map(({ path }) => path)).toEqual(['']);
  await expect(judge({ control: controlUrl })).rejects.toThrow(/free_model/);
});
