import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'vitest';
import { type Reference, type ReferenceOptions, startReference } from '../../reference/server.js';
import type { Role, Scope } from '../../reference/vocabulary.js';
import type { WorldView } from '../../reference/world-store.js';

/** A server, a world on it, and the calls that most tests make. */
export interface Stage {
  readonly reference: Reference;
  readonly world: WorldView;
  key(role: Role): string;
  store(scope: Scope, name: string, value?: string): Promise<void>;
  control(method: string, path: string, body?: unknown): Promise<Reply>;
}

/** A stage on a server of its own; the test closes `reference`. */
export async function arrange(options: ReferenceOptions = {}): Promise<Stage> {
  return onServer(await startReference(options));
}

/** A stage with a fresh world on a running server. */
function onServer(reference: Reference): Stage {
  const world = reference.openWorld('test');
  const key = (role: Role): string => world.keys[role] ?? '';
  const control = (method: string, path: string, body?: unknown): Promise<Reply> =>
    send(reference.controlUrl, path, body === undefined ? { method } : { method, ...json(body) });
  return {
    reference,
    world,
    key,
    control,
    store: async (scope, name, value = 'value-of-a-secret') => {
      const path = `/worlds/${world.id}/secrets/${scope}/${name}`;
      const reply = await control('PUT', path, { value });
      if (reply.status !== 204) throw new Error(`storing answered ${reply.status} ${reply.text}`);
    },
  };
}

/** Sends bytes on a connection of their own, keeps it open, and gives what comes until the server ends it. */
export function exchangeRaw(reference: Reference, bytes: string): Promise<string> {
  const { port, hostname } = new URL(reference.baseUrl);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

/** Fails unless the reply is an error of this status in the envelope (§2.4). */
export function expectEnvelope(reply: Reply, status: number): void {
  expect(reply.status, reply.text).toBe(status);
  expect(reply.headers['content-type']).toMatch(/^application\/(problem\+)?json/);
  const body = JSON.parse(reply.text) as { error: Record<string, unknown> };
  expect(body.error).toMatchObject({ code: status, message: expect.stringMatching(/./) });
}

/** What to send; the path is appended to the base URL as it is. */
interface Sending {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What came back. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true });

/** Sends one request; unlike fetch it sends any `Host` and any path unchanged. */
export function send(
  base: string,
  path: string,
  { method = 'GET', headers = {}, body }: Sending = {},
): Promise<Reply> {
  const url = new URL(base);
  // For a DELETE node:http would send the body without telling its length.
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: url.hostname,
        port: url.port,
        path: url.pathname + path,
        method,
        headers: { ...length, ...headers },
        agent,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The header that carries a key. */
export function bearer(key: string): { Authorization: string } {
  return { Authorization: `Bearer ${key}` };
}

/** A JSON body and its content type. */
export function json(value: unknown): { readonly headers: Record<string, string>; readonly body: string } {
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) };
}
