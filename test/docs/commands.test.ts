import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Reference, startReference } from '../../reference/server.js';
import { behaveAsMutant } from '../behaviours.js';
import { expectNoStack, plumbline, sharedCommand } from '../cli/plumbline-process.js';
import { byRequest, startDeployment } from '../cli/profile-deployment.js';
import { folder, installProgram } from '../folders.js';
import { runProgram } from '../run-program.js';
import { type Scene, trials, triedElsewhere } from './command-table.js';
import { listCommands } from './pages.js';

// What the pages tell a reader to type is typed here.

const token = 'the-token-of-the-pages';
const bin = installProgram('plumbline', `#!/bin/sh\nexec "${process.execPath}" "${sharedCommand()}" "$@"\n`);
/** The folder that scenes on staging are copied from. */
const nights = folder();
let staging: Reference;
let broken: Reference;

beforeAll(async () => {
  staging = await startReference({ controlToken: token });
  const behaviour = behaveAsMutant('key-info.figures-of-member');
  broken = await startReference({ controlToken: token, behaviour });
  await fillNights();
}, 60_000);
afterAll(async () => {
  await Promise.all([staging.close(), broken.close()]);
});

/** What earlier runs have left behind, small: a history, reports, shards, recordings, waivers. */
async function fillNights(): Promise<void> {
  const few = ['--control', staging.controlUrl, ...'--only key-info.200.* --depth quick --seed 7'.split(' ')];
  const env = { PLUMBLINE_CONTROL_TOKEN: token };
  const run = (...args: readonly string[]) =>
    plumbline(['run', ...few, ...args], { cwd: nights, env, everyFormat: true });
  await run('--report', 'last-night');
  await run('--report', 'plumbline-report', '--history', 'runs.ndjson');
  for (const i of [1, 2, 3]) await run('--run-id', '1', '--shard', `${i}/3`, '--report', `shard-${i}`);
  cpSync(join(nights, 'plumbline-report'), join(nights, 'tonight'), { recursive: true });
  cpSync(join(nights, 'plumbline-report/traffic.har'), join(nights, 'session.har'));
  writeFileSync(join(nights, 'gateway.ndjson.gz'), gzipSync(makeRecordedLine()));
  writeFileSync(join(nights, 'canaries.txt'), 'a-canary-of-the-pages\n');
  writeFileSync(join(nights, 'waivers.yaml'), '[]\n');
}

/** A line of a gateway's log, as spec/observed.schema.json has it. */
function makeRecordedLine(): string {
  const request = { method: 'GET', url: `${staging.baseUrl}/key` };
  const body = JSON.stringify({ error: { code: 401, message: 'No key' } });
  const headers = [['content-type', 'application/json']];
  return `${JSON.stringify({ request, response: { status: 401, headers, body } })}\n`;
}

interface Stage {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly controlUrl: string;
  readonly baseUrl?: string;
}

const scenes: Readonly<Record<Scene, () => Promise<Stage>>> = {
  nothing: async () => ({ cwd: folder(), env: {}, controlUrl: '' }),
  staging: async () => {
    const cwd = folder();
    cpSync(nights, cwd, { recursive: true });
    return { cwd, env: {}, controlUrl: staging.controlUrl };
  },
  'broken staging': async () => ({ cwd: folder(), env: {}, controlUrl: broken.controlUrl }),
  deployment: async () => {
    const { described, env, baseUrl } = await startDeployment();
    const cwd = folder();
    writeFileSync(join(cwd, 'plumbline.yaml'), JSON.stringify({ ...described, store: { ...byRequest } }));
    cpSync(join(nights, 'session.har'), join(cwd, 'session.har'));
    return { cwd, env: { ...env, STAGING_KEY: env.PLUMBLINE_KEY_MEMBER ?? '' }, controlUrl: '', baseUrl };
  },
};

const documented = listCommands();

it('every command of the pages is tried, and none that they do not have', () => {
  const tried = [...Object.values(trials).flatMap(Object.keys), ...triedElsewhere];
  expect(documented.toSorted()).toEqual(tried.toSorted());
});

const tries = Object.entries(scenes).flatMap(([scene, enter]) =>
  Object.entries(trials[scene as Scene]).map(([line, trial]) => [line, trial, enter] as const),
);

it.each(tries)('%s', async (line, { code = 0, with: added, leaves, prints }, enter) => {
  const stage = await enter();
  const ended = await typeCommand(`${line} ${added ?? ''}`, stage);
  expectNoStack(ended);
  expect(ended.code, ended.stderr + ended.stdout).toBe(code);
  if (prints !== undefined) expect(ended.stdout).toMatch(prints);
  if (leaves !== undefined) expect(readFileSync(join(stage.cwd, leaves), 'utf8')).not.toBe('');
});

/** Types a line into a shell, the addresses of the pages standing for those of the scene. */
function typeCommand(line: string, { cwd, env, controlUrl, baseUrl = '' }: Stage) {
  const told = line
    .replace(/https:\/\/staging\.example\.com\/control|http:\/\/127\.0\.0\.1:4010\/control/, controlUrl)
    .replace('https://staging.example.com/v1', baseUrl);
  const { PATH, HOME } = process.env;
  const own = { HOME, PATH: `${bin}:${PATH}`, BUILD_ID: '4711', PLUMBLINE_CONTROL_TOKEN: token };
  return runProgram('sh', ['-c', told], { cwd, env: { ...own, ...env }, timeout: 25_000 });
}
