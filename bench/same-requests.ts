import type { WorldDescription } from '../targets/control-client.js';
import type { Outgoing } from '../targets/transports.js';
import { openWorld, type SeparateServer } from './processes.js';

/** One request of the bare clients. */
export interface BareRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * The requests that judging sends to a server, to be sent again by others in a world that lives: the worlds of a run are
 * gone with it. Those that open and delete worlds are left out; they are two of a hundred.
 */
export async function sameRequests(
  server: SeparateServer,
  judge: (onSend: (outgoing: Outgoing) => void) => Promise<unknown>,
): Promise<readonly BareRequest[]> {
  const world = await openWorld(server);
  const { origin } = new URL(server.baseUrl);
  const requests: BareRequest[] = [];
  await judge((outgoing) => {
    const again = inWorld(outgoing, origin, world);
    if (again !== undefined) requests.push(again);
  });
  return requests;
}

function inWorld(
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
