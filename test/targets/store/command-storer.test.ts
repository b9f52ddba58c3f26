import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client } from '../../../targets/client.js';
import type { CommandRecipe } from '../../../targets/profile/profile.js';
import { CeilingReached } from '../../../targets/request-ceiling.js';
import { commandStorer } from '../../../targets/store/command-storer.js';
import { type SecretToStore, StoreError } from '../../../targets/store/storer.js';

let client: Client;
let directory: string;
beforeEach(() => {
  client = new Client({ concurrency: 2, timeoutMs: 300 });
  directory = mkdtempSync(join(tmpdir(), 'plumbline-command-'));
});
afterEach(() => {
  client.close();
  rmSync(directory, { recursive: true, force: true });
});

const secret: SecretToStore = {
  scope: 'sibling',
  intern: 'id-2',
  name: 'plumb_a',
  value: 's3cret $(value) "quoted"',
};

function storing(run: CommandRecipe['run'], timeout = 5, what = secret): Promise<void> {
  return commandStorer({ run, timeout, scopes: ['own'] }, client)(what);
}

const shell = (line: string, ...args: string[]): CommandRecipe['run'] => ['sh', '-c', line, ...args];

function failure(run: CommandRecipe['run'], timeout?: number): Promise<unknown> {
  return storing(run, timeout).then(
    () => 'it did not fail',
    (error: unknown) => {
      expect(error).toBeInstanceOf(StoreError);
      return (error as StoreError).message;
    },
  );
}

describe('storing by a command', () => {
  it('gives it the secret in its environment, and its arguments as they are', async () => {
    const file = join(directory, 'given');
    const line =
      'printf "%s|" "$PLUMBLINE_SCOPE" "$PLUMBLINE_INTERN" "$PLUMBLINE_NAME" "$PLUMBLINE_VALUE" "$@" > "$0"';
    await storing(shell(line, file, '$HOME; {name}', 'a b'));
    expect(readFileSync(file, 'utf8')).toBe(
      'sibling|id-2|plumb_a|s3cret $(value) "quoted"|$HOME; {name}|a b|',
    );
  });

  it('gives an empty intern where the workspace has none, and the environment of the run', async () => {
    const file = join(directory, 'given');
    await storing(shell('printf "%s|%s" "$PLUMBLINE_INTERN" "$PATH" > "$0"', file), 5, {
      ...secret,
      scope: 'workspace',
      intern: undefined,
    });
    expect(readFileSync(file, 'utf8')).toBe(`|${process.env.PATH}`);
  });

  it('lets a command that reads see that nothing comes', async () => {
    await expect(storing(shell('cat'), 2)).resolves.toBeUndefined();
  });

  it('takes a command that prints much', async () => {
    await expect(storing(shell('head -c 3000000 /dev/zero'))).resolves.toBeUndefined();
  });

  it('is over when the command is, though it left something running', async () => {
    const start = performance.now();
    await storing(shell('sleep 3 &'));
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it('counts as one request, and keeps room for the delete', async () => {
    client.close();
    client = new Client({ concurrency: 1, timeoutMs: 300, maxRequests: 2 });
    await storing(shell('true'));
    expect(client.sent).toBe(1);
    const failed = await storing(shell('true')).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(CeilingReached);
  });
});

describe('a command that fails', () => {
  it('is told by its exit code, never by what it printed', async () => {
    const told = await failure(shell('echo "$PLUMBLINE_VALUE"; echo "$PLUMBLINE_VALUE" >&2; exit 7'));
    expect(told).toBe(
      'the command of the profile that stores a secret (store.command) ended with 7; run it by hand to see what it says',
    );
  });

  it('that is not there', async () => {
    expect(await failure(['./no-such-program'])).toContain(
      'could not be run (ENOENT); see store.command.run',
    );
  });

  it('that takes too long is ended', async () => {
    const start = performance.now();
    expect(await failure(['sleep', '20'], 0.2)).toContain('did not end within 0.2 s');
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('that is killed by a signal of its own', async () => {
    expect(await failure(shell('kill -9 $$'))).toContain('ended with SIGKILL; run it by hand');
  });
});
