import { setTimeout as sleep } from 'node:timers/promises';
import { controlFaults } from '../spec/contract.js';
import type { Fault, Role, Scope } from '../spec/vocabulary.js';
import type { Client, Outgoing, Received } from './client.js';
import { isObject, json, unread } from './exchange.js';
import type { Weight } from './request-ceiling.js';
import { retryAfterMs } from './retry-after.js';
import { assertUsableCapabilities, assertUsableKeys } from './unusable-control.js';

/** What the target's control protocol says it can arrange. */
export interface Capabilities {
  readonly base_url: string;
  readonly regional_host?: string;
  readonly regional_base_url?: string;
  readonly roles: readonly string[];
  readonly faults: readonly string[];
  readonly features: readonly string[];
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

/** Where a control protocol is found. */
export interface ControlAddress {
  /** Any URL with any path; calls append to it. */
  readonly url: string;
  readonly token?: string;
}

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly weight?: Weight;
}

/**
 * Speaks control protocol 1. Every method throws ControlError when the target does not do its part, and UnusableControl
 * when what it offers cannot be used.
 */
export class ControlClient {
  readonly #client: Client;
  readonly #base: string;
  readonly #query: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #runSignal: AbortSignal | undefined;

  /** @param runSignal aborted when nobody is to wait for a rate limit any more */
  constructor(client: Client, address: ControlAddress, runSignal?: AbortSignal) {
    const url = new URL(address.url);
    this.#client = client;
    this.#runSignal = runSignal;
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
    );
  }

  /** What is stored in a world, in every scope. */
  async secrets(world: string): Promise<readonly StoredSecret[]> {
    const value = await this.#call('GET', `/worlds/${encodeURIComponent(world)}/secrets`, undefined, [200]);
    const [fault] = controlFaults('SecretList', value);
    if (fault !== undefined)
      throw new ControlError(`the control protocol listed the secrets wrongly: ${fault.message}`);
    return (value as { readonly secrets: readonly StoredSecret[] }).secrets;
  }

  /** Sets some figures of a key. */
  async setKeyInfo(world: string, role: Role, fields: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#call('PUT', `/worlds/${encodeURIComponent(world)}/keys/${role}/info`, fields, [204]);
  }

  /** Sets some fields of the world's guardrail. */
  async setGuardrail(world: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#call('PUT', `/worlds/${encodeURIComponent(world)}/guardrail`, fields, [204]);
  }

  /** Sets the faults of a world in place of those set. */
  async setFaults(world: string, faults: readonly Fault[]): Promise<void> {
    await this.#call('PUT', `/worlds/${encodeURIComponent(world)}/faults`, { faults }, [204]);
  }

  /** Says how many requests to free models the account of a role has made in this minute and this day. */
  async setFreeUsage(world: string, role: Role, minute: number, day: number): Promise<void> {
    await this.#call('PUT', `/worlds/${encodeURIComponent(world)}/free-usage`, { role, minute, day }, [204]);
  }

  /** Deletes a world; one that is gone already is fine. */
  async deleteWorld(world: string): Promise<void> {
    await this.#call('DELETE', `/worlds/${encodeURIComponent(world)}`, undefined, [204, 404], {
      weight: { uses: 1 },
    });
  }

  async #call(
    method: string,
    path: string,
    body: unknown,
    expected: readonly number[],
    { signal, weight }: CallOptions = {},
  ): Promise<unknown> {
    const outgoing = {
      method,
      base: this.#base,
      path: `${path}${this.#query}`,
      headers: { ...this.#headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const received = await this.#send(outgoing, { signal, ...(weight === undefined ? {} : { weight }) });
    const call = `the control call ${method} ${this.#base}${path}`;
    if (received.answer === undefined) throw new ControlError(`${call} got no answer: ${received.lost}`);
    const { status } = received.answer;
    if (!expected.includes(status)) {
      const hint = status === 401 ? '; give the token with --control-token' : '';
      throw new ControlError(`${call} was answered ${status} instead of ${expected.join(' or ')}${hint}`);
    }
    if (status === 204) return undefined;
    const value = json(received.answer);
    if (value === undefined)
      throw new ControlError(
        `${call} was answered with ${unread(received.answer) ?? 'something that is no JSON'}`,
      );
    return value;
  }

  /** Sends a call again that a rate limit refused: nothing was done, and nothing of the service is judged by it. */
  async #send(outgoing: Outgoing, { signal, weight }: CallOptions): Promise<Received> {
    for (let tries = 1; ; tries++) {
      // What a call keeps for later, or uses of it, counts once.
      const received = await this.#client.send(outgoing, signal, tries === 1 ? weight : undefined);
      const { answer, leftAt: sentAt = 0 } = received.answer === undefined ? { answer: undefined } : received;
      const status = answer?.status;
      if (status !== 429 && status !== 503) {
        if (answer !== undefined) this.#client.pacing.serve(outgoing, sentAt);
        return received;
      }
      this.#client.pacing.refuse(outgoing, { sentAt, status });
      const asked = retryAfterMs(answer);
      if (tries === triesAtMost || asked > longestPauseMs || this.#runSignal?.aborted) return received;
      const pauseMs = Math.max(asked, firstPauseMs * pauseFactor ** (tries - 1));
      await sleep(pauseMs, undefined, this.#runSignal && { signal: this.#runSignal }).catch(() => undefined);
    }
  }
}

// What a rate limit refused is asked for again so often, after pauses that grow from the first by a factor.
const triesAtMost = 6;
const firstPauseMs = 25;
const pauseFactor = 3;
const longestPauseMs = 10_000;

/** A world as it was described. Throws UnusableControl for its keys, ControlError for whatever else is wrong with it. */
function usableWorld(value: unknown): WorldDescription {
  assertUsableKeys(value);
  const [fault] = controlFaults('World', value);
  if (fault === undefined) return value as WorldDescription;
  throw new ControlError(
    `the control protocol described a world wrongly: ${fault.path.join('.')} ${fault.message}`,
  );
}
