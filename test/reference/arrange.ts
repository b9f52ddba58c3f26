import { type Reference, type ReferenceOptions, startReference } from '../../reference/server.js';
import type { Fault, Role, Scope } from '../../reference/vocabulary.js';
import type { WorldView } from '../../reference/world-store.js';
import { bearer, json, type Reply, type Sending, send } from './send.js';

/** A server, a world on it, and the calls that most tests make. */
export interface Stage {
  readonly reference: Reference;
  readonly world: WorldView;
  key(role: Role): string;
  store(scope: Scope, name: string, value?: string): Promise<void>;
  stored(): Promise<readonly string[]>;
  faults(...faults: readonly Fault[]): Promise<void>;
  control(method: string, path: string, body?: unknown): Promise<Reply>;
  remove(role: Role, name: string, extra?: Sending & { readonly intern?: string }): Promise<Reply>;
  infer(role: Role, model: string, stream?: boolean): Promise<Reply>;
}

/** A stage on a server of its own; the test closes `reference`. */
export async function arrange(options: ReferenceOptions = {}): Promise<Stage> {
  return onServer(await startReference(options));
}

/** A stage with a fresh world on a running server. */
export function onServer(reference: Reference): Stage {
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
    stored: async () => {
      const reply = await control('GET', `/worlds/${world.id}/secrets`);
      const { secrets } = JSON.parse(reply.text) as { secrets: { scope: string; name: string }[] };
      return secrets.map(({ scope, name }) => `${scope}/${name}`);
    },
    faults: async (...faults) => {
      const reply = await control('PUT', `/worlds/${world.id}/faults`, { faults });
      if (reply.status !== 204) throw new Error(`faults answered ${reply.status} ${reply.text}`);
    },
    remove: (role, name, { intern = world.interns.own, headers, ...rest } = {}) =>
      send(reference.baseUrl, `/vault/interns/${intern}/secrets/${name}`, {
        method: 'DELETE',
        headers: { ...bearer(key(role)), ...headers },
        ...rest,
      }),
    infer: (role, model, stream = false) => {
      const { headers, body } = json({ model, stream, messages: [{ role: 'user', content: 'ping' }] });
      return send(reference.baseUrl, '/chat/completions', {
        method: 'POST',
        headers: { ...headers, ...bearer(key(role)) },
        body,
      });
    },
  };
}
