import { randomBytes } from 'node:crypto';
import { type Reference, startReference } from '../reference/server.js';
import { UsageError } from './usage-error.js';

/** The flags of `plumbline serve`, read and checked. */
export interface ServeFlags {
  readonly port: number;
  readonly host: string;
  readonly controlToken?: string;
}

// Somebody who writes a client against it should not find the keys gone after a break.
const worldTtlMs = 7 * 24 * 60 * 60 * 1000;

/** Runs the embedded reference server until it is told to stop. Returns the exit code; throws UsageError. */
export async function serve(flags: ServeFlags): Promise<number> {
  const reference = await started(flags);
  // Whoever reads the addresses may stop it at once.
  const stopped = new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  process.stdout.write(welcome(reference, flags.controlToken));
  await stopped;
  await reference.close();
  return 0;
}

async function started({ port, host, controlToken }: ServeFlags): Promise<Reference> {
  try {
    return await startReference({
      port,
      host,
      worldTtlMs,
      ...(controlToken === undefined ? {} : { controlToken }),
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** The addresses, a ready-made world, and lines that work when they are pasted. */
function welcome(reference: Reference, token: string | undefined): string {
  const { baseUrl, controlUrl } = reference;
  const world = reference.openWorld('serve');
  const authorization = token === undefined ? '' : ` -H 'Authorization: Bearer ${token}'`;
  const value = randomBytes(8).toString('hex');
  const secret = `${controlUrl}/worlds/${world.id}/secrets/own/api_key`;
  const keys = Object.entries(world.keys).map(([role, key]) => `  ${role.padEnd(14)} ${key}`);
  const interns = Object.entries(world.interns).map(([intern, id]) => `  ${intern.padEnd(14)} ${id}`);
  return `${[
    `base URL     ${baseUrl}`,
    `control URL  ${controlUrl}`,
    '',
    'A world that is ready to use:',
    ...keys,
    ...interns,
    `  ${'guardrail'.padEnd(14)} ${world.guardrail_id}`,
    '',
    'Try it: read the limits of a key, store a secret, delete it.',
    `  curl -i -H 'Authorization: Bearer ${world.keys.member}' ${baseUrl}/key`,
    `  curl -i -X PUT${authorization} -H 'Content-Type: application/json' -d '{"value":"${value}"}' ${secret}`,
    `  curl -i -X DELETE -H 'Authorization: Bearer ${world.keys.member}' ${baseUrl}/vault/interns/${world.interns.own}/secrets/api_key`,
    '',
    `Judge it: plumbline run --control ${controlUrl}${token === undefined ? '' : ' --control-token …'}`,
    'Ctrl-C stops it.',
  ].join('\n')}\n`;
}
