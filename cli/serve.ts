import { randomBytes } from 'node:crypto';
import { overridden } from '../reference/mutation.js';
import { type Reference, type ReferenceOptions, startReference } from '../reference/server.js';
import { messageOf, UsageError } from '../spec/thrown.js';
import { type CatalogueRow, catalogued } from './prove/catalogue.js';

/** The flags of `plumbline serve`, read and checked. */
export interface ServeFlags {
  readonly port: number;
  readonly host: string;
  readonly controlToken?: string | undefined;
  readonly mutant?: string;
  readonly variant?: string;
}

// Somebody who writes a client against it should not find the keys gone after a break.
const worldTtlMs = 7 * 24 * 60 * 60 * 1000;

/** Runs the embedded reference server until it is told to stop. Returns the exit code; throws UsageError. */
export async function serve(flags: ServeFlags): Promise<number> {
  const row = chosen(flags);
  const controlToken = flags.controlToken ?? tokenInEnvironment();
  const reference = await started({ ...flags, controlToken }, row);
  // Whoever reads the addresses may stop it at once.
  const stopped = new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  process.stdout.write(welcome(reference, controlToken, row));
  await stopped;
  await reference.close();
  return 0;
}

/** The mutant or variant that was asked for. Throws UsageError where there is none of that id. */
function chosen({ mutant, variant }: ServeFlags): CatalogueRow | undefined {
  if (mutant !== undefined && variant !== undefined)
    throw new UsageError('--mutant and --variant are two servers. Give one of them.');
  if (mutant !== undefined) return catalogued(mutant, 'mutant');
  return variant === undefined ? undefined : catalogued(variant, 'variant');
}

/** How the server that was asked for differs from the reference. */
function difference(row: CatalogueRow | undefined): Pick<ReferenceOptions, 'behaviour' | 'offers'> {
  if (row === undefined) return {};
  return {
    behaviour: overridden(row.override),
    ...(row.kind === 'variant' && row.offers !== undefined ? { offers: row.offers } : {}),
  };
}

/** The token that the environment gives. Throws UsageError where the variable is set but empty. */
function tokenInEnvironment(): string | undefined {
  const token = process.env.PLUMBLINE_CONTROL_TOKEN;
  if (token === '') throw new UsageError('PLUMBLINE_CONTROL_TOKEN is empty. Give it a token, or unset it.');
  return token;
}

async function started(flags: ServeFlags, row: CatalogueRow | undefined): Promise<Reference> {
  const { port, host, controlToken } = flags;
  try {
    return await startReference({
      port,
      host,
      worldTtlMs,
      ...difference(row),
      ...(controlToken === undefined ? {} : { controlToken }),
    });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** The addresses, a ready-made world, and lines that work when they are pasted. */
function welcome(reference: Reference, token: string | undefined, row: CatalogueRow | undefined): string {
  const { baseUrl, controlUrl } = reference;
  const world = reference.openWorld('serve');
  const authorization = token === undefined ? '' : ` -H 'Authorization: Bearer ${token}'`;
  const value = randomBytes(8).toString('hex');
  const secret = `${controlUrl}/worlds/${world.id}/secrets/own/api_key`;
  const keys = Object.entries(world.keys).map(([role, key]) => `  ${role.padEnd(14)} ${key}`);
  const interns = Object.entries(world.interns).map(([intern, id]) => `  ${intern.padEnd(14)} ${id}`);
  const about = row === undefined ? [] : [`${row.kind} ${row.id}: ${row.description} (§${row.section})`, ''];
  return `${[
    ...about,
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
