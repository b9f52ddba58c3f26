import { existsSync, readdirSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judge } from '../../library/plumbline.js';
import { folder } from '../folders.js';
import { startServer } from '../servers.js';
import { plumbline } from './plumbline-process.js';
import { profileFile } from './profile-deployment.js';

interface Control {
  readonly controlUrl: string;
  /** The method and path of each call. */
  readonly calls: readonly string[];
}

/** A control that offers one role, whose keys are made one after another; requests to the target succeed. */
async function controlWith(
  keys: (world: number) => string,
  { freeModel, isRefusing = () => false }: { freeModel?: string; isRefusing?: () => boolean } = {},
): Promise<Control> {
  const calls: string[] = [];
  let worlds = 0;
  const listener: RequestListener = (request, response) => {
    const line = `${request.method} ${request.url}`;
    calls.push(line);
    request.resume();
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    if (line === 'GET /control') {
      const offered = {
        protocol: '1',
        roles: ['member'],
        faults: [],
        features: [],
        base_url: `${origin}/v1`,
      };
      const inference = { method: 'POST', path: '/chat/completions', free_model: freeModel };
      answer(200, freeModel === undefined ? offered : { ...offered, inference });
    } else if (line === 'POST /control/worlds') {
      worlds += 1;
      answer(201, { id: `w${worlds}`, keys: { member: keys(worlds) } });
    } else if (request.method === 'DELETE') response.writeHead(isRefusing() ? 500 : 204).end();
    else answer(200, { data: {} });
  };
  const origin = await startServer(listener);
  return { controlUrl: `${origin}/control`, calls };
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

function expectWorldsGivenBack(calls: readonly string[]): void {
  const opened = calls.filter((line) => line.startsWith('POST')).length;
  expect(opened).toBeGreaterThan(0);
  expect(calls.filter((line) => line.startsWith('DELETE /control/worlds/'))).toHaveLength(opened);
}

const long = 'sk-0123456789';
const shortLater = (world: number): string => (world < 3 ? long : 'k3ytest');

describe('keys with fewer than 12 characters', () => {
  it.each([
    ['in the first world', (): string => 'k3ytest'],
    ['in a later world', shortLater],
  ])('a short key %s of a control is a usage error, and every world is given back', async (_name, keys) => {
    const { controlUrl, calls } = await controlWith(keys);
    const message = await refusal(`--control ${controlUrl}`);
    expect(message).toMatch(/key of the role member with fewer than 12 characters/);
    expect(message).toContain(`at ${controlUrl} gave`);
    expect(message).toContain('No report was written.');
    expect(message).not.toContain('k3ytest');
    expectWorldsGivenBack(calls);
  });

  it('the library rejects a short key of a control and gives back every world', async () => {
    const { controlUrl, calls } = await controlWith(shortLater);
    const judging = judge({ control: controlUrl });
    await expect(judging).rejects.toThrow(/role member with fewer than 12 characters/);
    expectWorldsGivenBack(calls);
  });

  it('run lists worlds with short keys that cannot be deleted, and clean removes them', async () => {
    let isRefusing = true;
    const { controlUrl, calls } = await controlWith(shortLater, { isRefusing: () => isRefusing });
    const directory = folder();
    const run = await plumbline(`run --control ${controlUrl} --report ${directory}`);
    expect([run.code, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(`plumbline clean --from ${directory} --control URL`);
    expect(readdirSync(directory)).toEqual(['journal.ndjson']);
    isRefusing = false;
    const refused = calls.length;
    expect((await plumbline(`clean --from ${directory} --control ${controlUrl}`)).code).toBe(0);
    expect(calls.slice(refused)).toContain('DELETE /control/worlds/w1');
  });

  it.each([
    ['a flag', ' --control-token s3cret', {}],
    ['the environment', '', { PLUMBLINE_CONTROL_TOKEN: 's3cret' }],
  ])('run refuses a short token from %s before anything is sent', async (_name, flags, env) => {
    const { controlUrl, calls } = await controlWith(() => long);
    const message = await refusal(`--control ${controlUrl}${flags}`, env);
    expect(message).toMatch(/token of the control protocol has fewer than 12 characters/);
    expect(message).not.toContain('s3cret');
    expect(calls).toEqual([]);
  });

  it('run refuses a short key of a profile before anything is sent', async () => {
    const { controlUrl, calls } = await controlWith(() => long);
    const target = { base_url: `${new URL('/v1', controlUrl)}` };
    const profile = profileFile({ target, keys: { member: `\${PLUMBLINE_TEST_KEY}` } });
    const message = await refusal(`--profile ${profile}`, { PLUMBLINE_TEST_KEY: 'k3ytest' });
    expect(message).toMatch(/:1: keys\.member: must be a key: at least 12 characters/);
    expect(message).not.toContain('k3ytest');
    expect(calls).toEqual([]);
  });
});

it('a free model whose id does not end in :free is a usage error, before any world is opened', async () => {
  const { controlUrl, calls } = await controlWith(() => long, { freeModel: 'acme/tiny' });
  const message = await refusal(`--control ${controlUrl}`);
  expect(message).toMatch(/inference\.free_model that does not end in ":free"/);
  expect(calls).toEqual(['GET /control']);
  await expect(judge({ control: controlUrl })).rejects.toThrow(/free_model/);
});
