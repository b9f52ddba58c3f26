import { connect } from 'node:net';
import { expect } from 'vitest';
import type { Reference, ReferenceOptions } from '../../reference/server.js';
import type { Scope } from '../../reference/vocabulary.js';
import type { Role } from '../../reference/world.js';
import type { WorldView } from '../../reference/world-store.js';
import { serveReference } from '../servers.js';

export interface Fixture {
  readonly reference: Reference;
  readonly world: WorldView;
  key(role: Role): string;
  store(scope: Scope, name: string, value: string): Promise<void>;
  control(method: string, path: string, body?: unknown): Promise<Reply>;
}

export async function arrange(options: ReferenceOptions = {}): Promise<Fixture> {
  const reference = await serveReference(options);
  const world = reference.openWorld('test');
  const control = (method: string, path: string, body?: unknown): Promise<Reply> =>
    send(reference.controlUrl, path, { method, ...(body === undefined ? {} : json(body)) });
  return {
    reference,
    world,
    key: (role) => world.keys[role] ?? '',
    control,
    store: async (scope, name, value) => {
      const reply = await control('PUT', `/worlds/${world.id}/secrets/${scope}/${name}`, { value });
      expect(reply.status, reply.text).toBe(204);
    },
  };
}

export async function exchangeRaw(reference: Reference, bytes: string): Promise<string> {
  const { port, hostname } = new URL(reference.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += String(chunk);
  return text;
}

export function expectEnvelope(reply: Reply, status: number): void {
  expect(reply.status, reply.text).toBe(status);
  expect(reply.headers['content-type']).toMatch(/^application\/(problem\+)?json/);
  const body = JSON.parse(reply.text) as { error: Record<string, unknown> };
  expect(body.error).toMatchObject({ code: status, message: expect.stringMatching(/./) });
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export async function send(base: string, path: string, sending: RequestInit = {}): Promise<Reply> {
  const response = await fetch(`${base}${path}`, sending);
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), text: await response.text() };
}

export function bearer(key: string): { Authorization: string } {
  return { Authorization: `Bearer ${key}` };
}

export function json(value: unknown): { readonly headers: Record<string, string>; readonly body: string } {
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) };
}
