import { findControlFaults } from '../spec/contract.js';
import { isObject } from '../spec/json.js';
import { UsageError } from '../spec/thrown.js';
import { roles } from '../spec/vocabulary.js';
import { trimSlashes } from './agents.js';
import { CleanUpTime } from './clean-up-time.js';
import type { Client, Received, SendOptions } from './client.js';
import { explainLostControl, isNeverConnected } from './connection-errors.js';
import { type Answer, explainUnread, json } from './exchange.js';
import { shortestKey } from './profile/given-values.js';
import { sendWithRetries } from './retries.js';

/** What the target's control protocol offers. */
export interface Capabilities {
  readonly base_url: string;
  readonly regional_host?: string;
  readonly regional_base_url?: string;
  readonly roles: readonly string[];
  readonly faults: readonly string[];
  readonly features: readonly string[];
  /** The scopes that secrets can be stored in; all where absent. */
  readonly scopes?: readonly string[];
  readonly blocked_origin?: string;
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

/** A world as the control protocol describes it. */
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

  /** @param status of the answer, where another was expected */
  constructor(
    message: string,
    readonly status?: number,
  ) {
    super(message);
  }
}

/** The target refused an optional call in the way that it refuses what it does not offer. */
export class ControlRefusal extends ControlError {
  constructor(
    message: string,
    override readonly status: number,
  ) {
    super(message, status);
  }
}

/** The control protocol claims an arrangement that is not so: what depends on it shows nothing about the server. */
export class ControlContradiction extends Error {
  override readonly name = 'ControlContradiction';

  constructor(
    message: string,
    readonly about: 'faults' | 'secrets',
  ) {
    super(message);
  }
}

/** Where a control protocol is found. */
export interface ControlAddress {
  /** Calls append to its path. */
  readonly url: string;
  readonly token?: string | undefined;
}

/** A control offers something that cannot be used: a usage error, not a failure of the target. */
export class UnusableControl extends UsageError {
  override readonly name = 'UnusableControl';
}

interface Call {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Aborts the call; the end of the run where absent. */
  readonly signal?: AbortSignal | undefined;
  readonly options?: SendOptions;
  /** Whether the caller handles a 429 or 503, so that it is neither retried nor slows the run down. */
  readonly handlesLimit?: () => boolean;
}

// Statuses of calls that are not offered: by the protocol, and by the defaults of frameworks.
const refusals: readonly number[] = [400, 404, 405, 422, 501];

/**
 * Speaks control protocol 1. Every method throws ControlError when the target does not do its part (ControlRefusal where
 * the call is optional), and UnusableControl when what it offers cannot be used.
 */
export class ControlClient {
  readonly #client: Client;
  readonly #base: string;
  /** The slashes at the end of the operator's URL: without them, a server may redirect. */
  readonly #ownSlashes: string;
  readonly #query: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #time: CleanUpTime;

  /** @param time when calls are aborted; never where absent */
  constructor(client: Client, address: ControlAddress, time = new CleanUpTime()) {
    const { origin, pathname, search } = new URL(address.url);
    const path = trimSlashes(pathname);
    this.#client = client;
    this.#time = time;
    this.#base = `${origin}${path}`;
    this.#ownSlashes = pathname.slice(path.length);
    this.#query = search;
    this.#headers = address.token === undefined ? {} : { Authorization: `Bearer ${address.token}` };
  }

  async capabilities(): Promise<Capabilities> {
    const value = await this.#read({ method: 'GET', path: '' });
    this.#assertFreeModel(value);
    const [fault] = findControlFaults('Capabilities', value);
    if (fault === undefined) return value as Capabilities;
    const place = fault.path.join('.') || 'the body';
    throw new ControlError(`${this.#base} is not a control protocol: ${place} ${fault.message}`);
  }

  /**
   * Makes a world.
   * @param hasOthers whether the run has others: then their number may be limited, and only closing one helps
   * @param onMade called with the id of the world, even if the rest of its description is wrong; with undefined where one
   * may have been made whose id is not known
   */
  async createWorld(
    label: string,
    hasOthers: () => boolean = () => false,
    onMade: (id: string | undefined) => void = () => undefined,
  ): Promise<WorldDescription> {
    const { finishing: signal, over: queuedUntil } = this.#time;
    const call: Call = { method: 'POST', path: '/worlds', body: { label }, handlesLimit: hasOthers };
    const received = await this.#send({ ...call, signal, options: { reserves: 1, queuedUntil } });
    if (mayHaveMade(received)) onMade(received.answer && findWorldId(received.answer));
    const value = this.#parse(call, received, 201);
    this.#assertKeys(value);
    const [fault] = findControlFaults('World', value);
    if (fault === undefined) return { interns: {}, ...(value as Omit<WorldDescription, 'interns'>) };
    throw new ControlError(
      `the control protocol returned an invalid world: ${fault.path.join('.')} ${fault.message}`,
    );
  }

  async secrets(world: string): Promise<readonly StoredSecret[]> {
    const value = await this.#read({ method: 'GET', path: `${makeWorldPath(world)}/secrets` }, true);
    const [fault] = findControlFaults('SecretList', value);
    if (fault !== undefined)
      throw new ControlError(`the control protocol returned an invalid list of secrets: ${fault.message}`);
    return (value as { readonly secrets: readonly StoredSecret[] }).secrets;
  }

  /** Replaces a setting of a world: `guardrail`, `faults`, `keys/member/info`, `secrets/own/a_name`. */
  async set(world: string, what: string, body: unknown): Promise<void> {
    const call: Call = { method: 'PUT', path: `${makeWorldPath(world)}/${what}`, body };
    this.#parse(call, await this.#send(call), 204, true);
  }

  /** Sends one delete of a world; 204 and 404 both mean that it is gone. */
  deleteWorld(world: string): Promise<Received> {
    const { end: signal, over: pacedUntil } = this.#time;
    return this.#send({
      method: 'DELETE',
      path: makeWorldPath(world),
      signal,
      options: { uses: 1, pacedUntil },
    });
  }

  async #read(call: Call, isOptional = false): Promise<unknown> {
    return this.#parse(call, await this.#send(call), 200, isOptional);
  }

  #send({ method, path, body, signal = this.#time.over, ...retries }: Call): Promise<Received> {
    const outgoing = {
      method,
      base: this.#base,
      path: `${path || this.#ownSlashes}${this.#query}`,
      headers: { ...this.#headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    return sendWithRetries(this.#client, outgoing, { signal, over: this.#time.over, ...retries });
  }

  /**
   * Parses the answer to a call. Throws ControlError where it is not the expected one.
   * @param isOptional whether a target need not offer the call
   */
  #parse({ method, path }: Call, received: Received, expected: number, isOptional = false): unknown {
    const { answer, lost } = received;
    const call = `the control call ${method} ${this.#base}${path}`;
    if (answer === undefined) {
      const isProxied = this.#client.agents.isProxied(this.#base);
      const way = { isTls: this.#base.startsWith('https:'), isProxied };
      const why = path === '' ? explainLostControl(received, way) : lost;
      throw new ControlError(`${call} got no answer: ${why}`);
    }
    const { status } = answer;
    if (status !== expected) {
      const message = `${call} was answered ${status} instead of ${expected}${hintAt(status, path)}`;
      throw isOptional && refusals.includes(status)
        ? new ControlRefusal(message, status)
        : new ControlError(message, status);
    }
    if (status === 204) return undefined;
    const value = json(answer);
    if (value !== undefined) return value;
    throw new ControlError(
      `${call} was answered with ${explainUnread(answer) ?? 'a body that is not valid JSON'}`,
    );
  }

  /** The document counts as free a model whose id ends in `:free` (§8.2). */
  #assertFreeModel(value: unknown): void {
    const inference = isObject(value) ? value.inference : undefined;
    const model = isObject(inference) ? inference.free_model : undefined;
    if (typeof model !== 'string' || model.endsWith(':free')) return;
    throw new UnusableControl(
      `The capabilities of the control protocol at ${this.#base} name an inference.free_model that does not end in ":free". Name a free variant there, or leave the member out.`,
    );
  }

  #assertKeys(value: unknown): void {
    const keys = isObject(value) && isObject(value.keys) ? value.keys : {};
    const short = Object.entries(keys).find(([, key]) => typeof key === 'string' && key.length < shortestKey);
    if (short === undefined) return;
    // An unknown role could be a misplaced key.
    const role = roles.find((known) => known === short[0]) ?? 'that is unknown';
    throw new UnusableControl(
      `The control protocol at ${this.#base} gave a world a key of the role ${role} with fewer than ${shortestKey} characters. Have it make keys of at least ${shortestKey}.`,
    );
  }
}

/** Throws UnusableControl for a token so short that it could appear in other text by chance. */
export function assertUsableToken(token: string | undefined): void {
  if (token === undefined || token.length >= shortestKey) return;
  throw new UnusableControl(
    `The token of the control protocol has fewer than ${shortestKey} characters. Set one of at least ${shortestKey} on both sides.`,
  );
}

function makeWorldPath(world: string): string {
  return `/worlds/${encodeURIComponent(world)}`;
}

/** Whether a call may have made a world: it succeeded, or a gateway answered in its place. */
function mayHaveMade({ answer, errorCode }: Received): boolean {
  if (answer === undefined) return !isNeverConnected(errorCode);
  return answer.status < 300 || [408, 502, 504].includes(answer.status);
}

/** Finds the id of a world in an answer, however broken the rest of it is; undefined where none can stand in a path. */
function findWorldId(answer: Answer): string | undefined {
  const value = json(answer);
  // A truncated description has no other id before its own.
  const id = value === undefined ? /^\s*\{\s*"id"\s*:\s*"([^"\\]*)"/.exec(answer.text)?.[1] : value;
  const given = isObject(id) ? id.id : id;
  return isWorldId(given) ? given : undefined;
}

/** Whether a value can be used in a path as the id of a world. */
export function isWorldId(id: unknown): id is string {
  return findControlFaults('World', { id, keys: {} }).length === 0;
}

/** Returns what to check when a call gets this status; empty where nothing is known. */
function hintAt(status: number, path: string): string {
  if (status === 401) return ': its token is missing or wrong (PLUMBLINE_CONTROL_TOKEN)';
  const isWrongUrl = status === 404 && path === '';
  return isWrongUrl ? ': no control protocol is there; its URL often ends with /control' : '';
}
