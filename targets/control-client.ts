import { controlFaults } from '../spec/contract.js';
import type { Fault, Role, Scope } from '../spec/vocabulary.js';
import type { Client } from './client.js';
import { isObject, json, unread } from './exchange.js';
import type { Weight } from './request-ceiling.js';
import { assertUsableCapabilities, assertUsableKeys } from './unusable-control.js';

/** What the target's control protocol says it can arrange. */
export interface Capabilities {
  readonly base_url: string;
  readonly regional_host?: string;
  readonly regional_base_url?: string;
  readonly roles: readonly string[];
  readonly faults: readonly string[];
  readonly features: readonly string[];
  /** Where secrets can be stored; in every scope where absent. */
  readonly scopes?: readonly string[];
  readonly inference?: InferenceRoute;
}

/** The inference route of a target. */
export interface InferenceRoute {
  readonly method: string;
  readonly path: string;
  readonly free_model?: string;
  readonly paid_model?: string;
  /** The body to send; `"{model}"` and `"{stream}"` in it are replaced. */
  readonly body?: unknown;
}

/** An isolated tenant as the control protocol describes it. */
export interface WorldDescription {
  readonly id: string;
  readonly workspace_id?: string;
  readonly keys: Readonly<Record<string, string>>;
  readonly interns: Readonly<Record<string, string>>;
  readonly guardrail_id?: string;
}

/** A stored secret as the control protocol lists it. */
export interface StoredSecret {
  readonly scope: string;
  readonly name: string;
}

/** The control protocol could not be used, or did not do what it was asked. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
}

/** The target refused a call that it need not offer, as it refuses what it does not offer. */
export class ControlRefusal extends ControlError {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** What the control protocol said was arranged is not so: what rests on it shows nothing about the server. */
export class ControlContradiction extends Error {
  override readonly name = 'ControlContradiction';
  readonly about: 'faults' | 'secrets';

  constructor(message: string, about: 'faults' | 'secrets') {
    super(message);
    this.about = about;
  }
}

// How a server refuses what it does not offer: by the protocol, and as frameworks do by themselves.
const refusals: readonly number[] = [400, 404, 405, 422, 501];

/** Where a control protocol is found. */
export interface ControlAddress {
  /** Any URL with any path; calls append to it. */
  readonly url: string;
  readonly token?: string;
}

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly weight?: Weight;
  /** Whether a target need not offer the call. */
  readonly isOptional?: boolean;
}

/**
 * Speaks control protocol 1. Every method throws ControlError when the target does not do its part, ControlRefusal among
 * them where it need not, and UnusableControl when what it offers cannot be used.
 */
export class ControlClient {
  readonly #client: Client;
  readonly #base: string;
  readonly #query: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(client: Client, address: ControlAddress) {
    const url = new URL(address.url);
    this.#client = client;
    this.#base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
    this.#query = url.search;
    this.#headers = address.token === undefined ? {} : { Authorization: `Bearer ${address.token}` };
  }

  /** What the target offers. */
  async capabilities(signal?: AbortSignal): Promise<Capabilities> {
    const value = await this.#call('GET', '', undefined, [200], { signal });
    assertUsableCapabilities(value);
    const [fault] = controlFaults('Capabilities', value);
    if (fault !== undefined) {
      throw new ControlError(
        `${this.#base} is no control protocol: ${fault.path.join('.') || 'the body'} ${fault.message}`,
      );
    }
    return value as Capabilities;
  }

  /** Makes a world. */
  async createWorld(label: string): Promise<WorldDescription> {
    const value = await this.#call('POST', '/worlds', { label }, [201], { weight: { reserves: 1 } });
    try {
      return usableWorld(value);
    } catch (error) {
      // It was made all the same, and nobody else knows of it.
      if (isObject(value) && typeof value.id === 'string')
        await this.deleteWorld(value.id).catch(() => undefined);
      throw error;
    }
  }

  /** Stores a secret. */
  async storeSecret(world: string, scope: Scope, name: string, value: string): Promise<void> {
    await this.#call(
      'PUT',
      `/worlds/${encodeURIComponent(world)}/secrets/${scope}/${encodeURIComponent(name)}`,
      { value },
      [204],
      { isOptional: true },
    );
  }

  /** What is stored in a world, in every scope. */
  async secrets(world: string): Promise<readonly StoredSecret[]> {
    const path = `/worlds/${encodeURIComponent(world)}/secrets`;
    const value = await this.#call('GET', path, undefined, [200], { isOptional: true });
    const [fault] = controlFaults('SecretList', value);
    if (fault !== undefined)
      throw new ControlError(`the control protocol listed the secrets wrongly: ${fault.message}`);
    return (value as { readonly secrets: readonly StoredSecret[] }).secrets;
  }

  /** Sets some figures of a key. */
  async setKeyInfo(world: string, role: Role, fields: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#set(world, `keys/${role}/info`, fields);
  }

  /** Sets some fields of the world's guardrail. */
  async setGuardrail(world: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#set(world, 'guardrail', fields);
  }

  /** Sets the faults of a world in place of those set. */
  async setFaults(world: string, faults: readonly Fault[]): Promise<void> {
    await this.#set(world, 'faults', { faults });
  }

  /** Says how many requests to free models the account of a role has made in this minute and this day. */
  async setFreeUsage(world: string, role: Role, minute: number, day: number): Promise<void> {
    await this.#set(world, 'free-usage', { role, minute, day });
  }

  /** Deletes a world; one that is gone already is fine. */
  async deleteWorld(world: string): Promise<void> {
    await this.#call('DELETE', `/worlds/${encodeURIComponent(world)}`, undefined, [204, 404], {
      weight: { uses: 1 },
    });
  }

  async #set(world: string, what: string, body: unknown): Promise<void> {
    await this.#call('PUT', `/worlds/${encodeURIComponent(world)}/${what}`, body, [204], {
      isOptional: true,
    });
  }

  async #call(
    method: string,
    path: string,
    body: unknown,
    expected: readonly number[],
    { signal, weight, isOptional = false }: CallOptions = {},
  ): Promise<unknown> {
    const received = await this.#client.send(
      {
        method,
        base: this.#base,
        path: `${path}${this.#query}`,
        headers: { ...this.#headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      },
      signal,
      weight,
    );
    const call = `the control call ${method} ${this.#base}${path}`;
    if (received.answer === undefined) throw new ControlError(`${call} got no answer: ${received.lost}`);
    const { status } = received.answer;
    if (!expected.includes(status)) {
      const hint = status === 401 ? '; give the token with --control-token' : '';
      const message = `${call} was answered ${status} instead of ${expected.join(' or ')}${hint}`;
      throw isOptional && refusals.includes(status)
        ? new ControlRefusal(message, status)
        : new ControlError(message);
    }
    if (status === 204) return undefined;
    const value = json(received.answer);
    if (value === undefined)
      throw new ControlError(
        `${call} was answered with ${unread(received.answer) ?? 'something that is no JSON'}`,
      );
    return value;
  }
}

/** A world as it was described. Throws UnusableControl for its keys, ControlError for whatever else is wrong with it. */
function usableWorld(value: unknown): WorldDescription {
  assertUsableKeys(value);
  const [fault] = controlFaults('World', value);
  if (fault === undefined) return value as WorldDescription;
  throw new ControlError(
    `the control protocol described a world wrongly: ${fault.path.join('.')} ${fault.message}`,
  );
}
