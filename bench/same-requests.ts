import type { WorldDescription } from '../targets/control-client.js';
import type { Outgoing } from '../targets/transports.js';
import { openWorld, type SeparateServer } from './processes.js';

/** A request that a bare client sends. */
export interface BareRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Records the requests that a judging run sends to a server, rewritten for a world that stays open, so that bare clients can
 * send them again. Requests that open or delete worlds, two of a hundred, are left out.
 */
export async function recordRequests(
  server: SeparateServer,
  judge: (onSend: (outgoing: Outgoing) => void) => Promise<unknown>,
): Promise<readonly BareRequest[]> {
  const world = await openWorld(server);
  const { origin } = new URL(server.baseUrl);
  const requests: BareRequest[] = [];
  await judge((outgoing) => {
    const again = moveToWorld(outgoing, origin, world);
    if (again !== undefined) requests.push(again);
  });
  return requests;
}

function moveToWorld(
  { method, base, path: below, headers, body }: Outgoing,
  origin: string,
  world: WorldDescription,
): BareRequest | undefined {
  const path = `${new URL(base).pathname}${below}`
    .replace(/\/worlds\/[^/]+(?=\/)/, `/worlds/${world.id}`)
    .replace(/\/interns\/[^/]+(?=\/)/, `/interns/${world.interns.own}`);
  if (/\/worlds(?:\/[^/]+)?$/.test(path)) return undefined;
  return {
    method,
    url: `${origin}${path}`,
    headers: {
      ...headers,
      ...('Authorization' in headers ? { Authorization: `Bearer ${world.keys.member}` } : {}),
      ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
    },
    ...(body === undefined ? {} : { body }),
  };
}
