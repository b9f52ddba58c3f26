import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { Client } from '../targets/client.js';
import { ControlClient, type WorldDescription } from '../targets/control-client.js';
import type { SeparateServer } from './separate-server.js';

/** One request of the bare clients. */
export interface BareRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const began = 'http.client.request.start';

/**
 * The requests that judging sends to a server, to be sent again by others in a world that lives: the worlds of a run are
 * gone with it. Those that open and delete worlds are left out; they are two of a hundred.
 */
export async function sameRequests(
  { baseUrl, controlUrl }: SeparateServer,
  judge: () => Promise<unknown>,
): Promise<readonly BareRequest[]> {
  const client = new Client({ concurrency: 1, timeoutMs: 10_000 });
  const world = await new ControlClient(client, { url: controlUrl }).createWorld('bench');
  client.close();
  const { origin } = new URL(baseUrl);
  const requests: BareRequest[] = [];
  const record = (message: unknown): void => {
    const { request } = message as { readonly request: ClientRequest };
    const again = inWorld(request, origin, world);
    if (again !== undefined) requests.push(again);
  };
  subscribe(began, record);
  try {
    await judge();
  } finally {
    unsubscribe(began, record);
  }
  return requests;
}

function inWorld(request: ClientRequest, origin: string, world: WorldDescription): BareRequest | undefined {
  const path = request.path
    .replace(/\/worlds\/[^/]+(?=\/)/, `/worlds/${world.id}`)
    .replace(/\/interns\/[^/]+(?=\/)/, `/interns/${world.interns.own}`);
  if (/\/worlds(?:\/[^/]+)?$/.test(path)) return undefined;
  const length = Number(request.getHeader('content-length') ?? 0);
  return {
    method: request.method,
    url: `${origin}${path}`,
    headers: {
      ...(request.hasHeader('authorization') ? { Authorization: `Bearer ${world.keys.member}` } : {}),
      ...(length === 0 ? {} : { 'Content-Type': 'application/json', 'Content-Length': String(length) }),
    },
    ...(length === 0 ? {} : { body: bodyOf(length) }),
  };
}

/** A body such as the control takes for a secret, of a length. */
function bodyOf(length: number): string {
  const frame = JSON.stringify({ value: '' });
  return JSON.stringify({ value: 'x'.repeat(length - frame.length) });
}
