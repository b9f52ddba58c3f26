import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { judge } from '../../library/plumbline.js';
import { folder } from '../folders.js';
import { serveReference } from '../servers.js';
import { startAlteredControl } from './altered-control.js';
import { plumbline } from './plumbline-process.js';

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
  if (args.includes('--control'))
    await plumbline(`run --reference --only key-info.200.read --format json --report ${report}`);
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
