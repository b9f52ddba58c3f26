import type { IncomingHttpHeaders } from 'node:http';
import type { Behaviour } from './behaviour.js';
import type { Body } from './body.js';
import type { Operation } from './vocabulary.js';
import type { Key } from './world.js';
import type { WorldStore } from './world-store.js';

/** What lasts as long as one server; nothing of it is shared between servers. */
export interface ServerState {
  readonly behaviour: Behaviour;
  readonly store: WorldStore;
  /** Room for what a mutant or a variant has to remember between requests. */
  readonly memory: Map<string, unknown>;
  /** The hostname that counts as regional, in lower case. */
  readonly regionalHost: string;
  /** How long a request body may take, in milliseconds. */
  readonly bodyDeadlineMs: number;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** What an inference request asks for. */
export interface InferenceRequest {
  readonly model: string;
  readonly stream: boolean;
}

/** One request under way and everything an answer may depend on. */
export interface Call {
  readonly server: ServerState;
  readonly behaviour: Behaviour;
  readonly operation: Operation;
  readonly method: string;
  /** The request target as routed, percent-encoding and query included. */
  readonly path: string;
  /** Path parameters, decoded once: `internId`, `name`, `id`. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** The authority that the request is addressed to. */
  readonly host: string | undefined;
  readonly body: Body;
  /** The key that `authenticate` found; its `role` and `world` are the caller's. */
  readonly key: Key | undefined;
  /** Stands for the connection that the request came on; the same one for every request on it. */
  readonly connection: object;
  /** Set on the inference route when the body is well-formed. */
  readonly inference: InferenceRequest | undefined;
}
