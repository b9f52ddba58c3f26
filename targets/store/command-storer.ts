import { spawn } from 'node:child_process';
import type { Client } from '../client.js';
import type { CommandRecipe } from '../profile/profile.js';
import { type SecretToStore, StoreError, type Storer } from './storer.js';

/** Stores by a program of the profile's own, run without a shell; it counts as one request in flight. */
export function commandStorer({ run, timeout }: CommandRecipe, client: Client): Storer {
  return (secret, signal, waiting) =>
    client.occupy(() => ran(run, timeout, secret, signal), signal, { reserves: 1 }, waiting);
}

function ran(
  [program, ...args]: CommandRecipe['run'],
  timeoutS: number,
  secret: SecretToStore,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (how: string) =>
      reject(new StoreError(`the command of the profile that stores a secret (store.command) ${how}`));
    const child = spawn(program, args, {
      // It reads nothing from us, and what it says is not told: that may hold the value it was given.
      stdio: 'ignore',
      timeout: timeoutS * 1_000,
      killSignal: 'SIGKILL',
      env: { ...process.env, ...environmentOf(secret) },
      ...(signal === undefined ? {} : { signal }),
    });
    child.once('error', ({ code }: NodeJS.ErrnoException) =>
      fail(`could not be run (${code ?? 'unknown error'}); see store.command.run`),
    );
    child.once('exit', (code, endedBy) => {
      if (code === 0) resolve();
      else if (child.killed) fail(`did not end within ${timeoutS} s`);
      else fail(`ended with ${code ?? endedBy ?? 'no code'}; run it by hand to see what it says`);
    });
  });
}

function environmentOf({ intern = '', name, value, scope }: SecretToStore): Readonly<Record<string, string>> {
  return {
    PLUMBLINE_INTERN: intern,
    PLUMBLINE_NAME: name,
    PLUMBLINE_VALUE: value,
    PLUMBLINE_SCOPE: scope,
  };
}
