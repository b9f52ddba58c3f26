import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Reference, startReference } from '../reference/server.js';
import { messageOf, UsageError } from '../spec/thrown.js';
import { assertNoEmptyVariable } from '../targets/profile/given-values.js';
import type { ServeFlags } from './flags.js';
import { type CatalogueRow, findServer } from './prove/catalogue.js';

// A client developer should find the same keys after a break of some days.
const worldTtlMs = 7 * 24 * 60 * 60 * 1000;

/** Runs the embedded reference server until a signal stops it. Returns the exit code; throws UsageError. */
export async function serve(flags: ServeFlags): Promise<number> {
  const row = findRow(flags);
  assertNoEmptyVariable(process.env, flags.controlToken === undefined);
  const controlToken = flags.controlToken ?? process.env.PLUMBLINE_CONTROL_TOKEN;
  const { port, host } = flags;
  const reference = await startReference({
    ...{ port, host, worldTtlMs, controlToken },
    behaviour: row?.mutation,
    capabilities: row?.kind === 'variant' ? row.capabilities : undefined,
  }).catch((error: unknown) => {
    throw new UsageError(messageOf(error));
  });
  // Before the addresses are printed: their reader may stop it at once.
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  process.stdout.write(renderWelcome(reference, controlToken, row));
  await stopped;
  await reference.close();
  return 0;
}

function findRow({ mutant, variant }: ServeFlags): CatalogueRow | undefined {
  if (mutant !== undefined && variant !== undefined)
    throw new UsageError('--mutant and --variant cannot be combined. Remove one of them.');
  if (mutant !== undefined) return findServer(mutant, 'mutant');
  return variant === undefined ? undefined : findServer(variant, 'variant');
}

/** The addresses, a world that is ready to use, and commands to paste. */
function renderWelcome(
  { baseUrl, controlUrl, openWorld }: Reference,
  token: string | undefined,
  row: CatalogueRow | undefined,
): string {
  const world = openWorld('serve');
  const authorization = token === undefined ? '' : ` -H 'Authorization: Bearer ${token}'`;
  const value = randomBytes(8).toString('hex');
  const list = (values: object) =>
    Object.entries(values).map(([name, text]) => `  ${name.padEnd(18)} ${text}`);
  return `${[
    ...(row === undefined ? [] : [`${row.kind} ${row.id}: ${row.description} (§${row.section})`, '']),
    `base URL     ${baseUrl}`,
    `control URL  ${controlUrl}`,
    '',
    'A world that is ready to use:',
    ...list({ ...world.keys, ...world.interns, guardrail: world.guardrail_id }),
    '',
    'Try it: read the limits of a key, store a secret, delete it.',
    `  curl -i -H 'Authorization: Bearer ${world.keys.member}' ${baseUrl}/key`,
    `  curl -i -X PUT${authorization} -H 'Content-Type: application/json' -d '{"value":"${value}"}' ${controlUrl}/worlds/${world.id}/secrets/own/api_key`,
    `  curl -i -X DELETE -H 'Authorization: Bearer ${world.keys.member}' ${baseUrl}/vault/interns/${world.interns.own}/secrets/api_key`,
    '',
    `Judge it: plumbline run --control ${controlUrl}${token === undefined ? '' : ' --control-token …'}`,
    'Press Ctrl+C to stop.',
  ].join('\n')}\n`;
}
