import type { WorldView } from '../../../reference/world-store.js';

/** Two tenants of one server: most requests are made in `here`, and `there` belongs to somebody else. */
export interface Worlds {
  readonly here: WorldView;
  readonly there: WorldView;
}

/** A header line, or several of one name. */
export type HeaderLines = string | readonly string[];

/** One request, ready to be sent; the target is put on the request line as it is. */
export interface Sending {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, HeaderLines>>;
  readonly body?: string | undefined;
}

/** One call of the control protocol. */
export interface ControlCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** A request that is known once the worlds are open. */
export type Request = (worlds: Worlds) => Sending;

/** The bytes of a connection of its own, and how long to go on listening once nothing comes, in milliseconds. */
export interface RawExchange {
  readonly bytes: (worlds: Worlds) => string;
  readonly quietMs?: number;
}

/** One step of a script. Those that see something take it down, and the rest arrange. */
export type Step =
  | { readonly do: 'control'; readonly call: (worlds: Worlds) => ControlCall }
  /** Sends one request on the kept connection. */
  | { readonly do: 'send'; readonly request: Request }
  /** Sends all requests at the same time, each on a connection of its own. */
  | { readonly do: 'together'; readonly requests: readonly Request[] }
  /** Writes bytes past HTTP, all exchanges at the same time. */
  | { readonly do: 'raw'; readonly exchanges: readonly RawExchange[] }
  /** Lists what `here` stores; what `there` stores is listed at the end of every script. */
  | { readonly do: 'look' }
  /** Asks the same thing several times and takes down how quick the answers are. */
  | { readonly do: 'tempo'; readonly request: Request }
  /** Moves the clock of the server. */
  | { readonly do: 'clock'; readonly forwardMs: number };

/** What is done, in order, in two fresh worlds of a server. */
export interface Script {
  readonly title: string;
  readonly steps: readonly Step[];
}
