import { randomInt } from 'node:crypto';
import { afterAll, test } from 'vitest';
import { registerChecks } from '../judge/as-tests.js';
import { type Reference, startReference } from '../reference/server.js';
import { allChecks } from '../suites/all-checks.js';
import { openTarget, type Target } from '../targets/target.js';

// The suites as vitest tests, against the server that the environment names, else the embedded one:
//   PLUMBLINE_TARGET, PLUMBLINE_CONTROL, PLUMBLINE_CONTROL_TOKEN, PLUMBLINE_SEED

const environment = (name: 'TARGET' | 'CONTROL' | 'CONTROL_TOKEN' | 'SEED'): string | undefined =>
  process.env[`PLUMBLINE_${name}`] || undefined;

let embedded: Reference | undefined;

async function open(): Promise<Target> {
  const baseUrl = environment('TARGET');
  const token = environment('CONTROL_TOKEN');
  if (baseUrl === undefined && environment('CONTROL') === undefined) embedded = await startReference();
  const url = environment('CONTROL') ?? embedded?.controlUrl;
  return openTarget({
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(url === undefined ? {} : { control: token === undefined ? { url } : { url, token } }),
    concurrency: 16,
    timeoutMs: 10_000,
  });
}

afterAll(() => embedded?.close());

registerChecks((name, body) => test(name, ({ skip }) => body({ skip: (reason) => skip(reason) })), {
  checks: allChecks,
  seed: Number(environment('SEED') ?? randomInt(2 ** 31)),
  open,
  address: { baseUrl: environment('TARGET'), controlUrl: environment('CONTROL') },
});
