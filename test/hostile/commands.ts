import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cost, RunCommand } from '../cli/command-runner.js';
import { start } from '../cli/plumbline-process.js';

const preload = new URL('./told-cost.mjs', import.meta.url).href;

/** Runs the command as a user does: in a process of its own. */
export const inItsOwnProcess: RunCommand = async (args, cwd, env) => {
  const file = join(cwd, '..', 'cost');
  const told = { NODE_OPTIONS: `--import=${preload}`, PLUMBLINE_TEST_COST: file, ...env };
  const ended = await start(args, { cwd, env: told, everyFormat: true }).ended;
  const cost = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Pick<Cost, 'bytes' | 'cpuMs'>)
    : {};
  return { bytes: undefined, cpuMs: undefined, ...ended, ...cost };
};
