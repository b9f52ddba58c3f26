import { execFile } from 'node:child_process';
import type { Client } from '../client.js';
import type { CommandRecipe } from '../profile/profile.js';
import { type SecretToStore, StoreError, type Storer } from './storer.js';

/** Stores by a program of the profile's own, run without a shell; it counts as one request in flight. */
export function commandStorer({ run, timeout }: CommandRecipe, client: Client): Storer {
  return (secret, signal) => client.occupy(() => ran(run, timeout, secret, signal), signal, { reserves: 1 });
}

function ran(
  [program, ...args]: CommandRecipe['run'],
  timeoutS: number,
  secret: SecretToStore,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = {
      timeout: timeoutS * 1_000,
      killSignal: 'SIGKILL',
      env: { ...process.env, ...environmentOf(secret) },
      ...(signal === undefined ? {} : { signal }),
    } as const;
    const child = execFile(program, args, options, (error) => {
      if (error === null) resolve();
      else
        reject(
          new StoreError(
            `the command of the profile that stores a secret (store.command) ${told(error, timeoutS)}`,
          ),
        );
    });
    // It reads nothing from us; a program that waits for a line must see that none comes.
    child.stdin?.end();
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

/** How it failed, without what it said: that may hold the value it was given. */
function told(
  error: Error & { readonly killed?: boolean; readonly code?: unknown },
  timeoutS: number,
): string {
  if (error.killed === true) return `did not end within ${timeoutS} s`;
  if (typeof error.code === 'number') return `ended with ${error.code}; run it by hand to see what it says`;
  return `could not be run (${String(error.code ?? 'unknown error')}); see store.command.run`;
}
