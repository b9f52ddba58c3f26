import type { Socket } from 'node:net';

/** A request as it came to a front. */
export interface Asked {
  readonly method: string;
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How many requests were answered by the behaviour before this one. */
  readonly before: number;
}

/** What the reference behind a front answered. */
export interface Honest {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** Where a behaviour stands: what it may point to, and what it may alter. */
export interface Around {
  /** The front's own origin. */
  readonly origin: string;
  /** A server that nobody was told to talk to. */
  readonly stranger: string;
  /** Asks the reference behind the front. */
  honest(): Promise<Honest>;
  /** Waits, unless the front is closed before. */
  sleep(ms: number): Promise<void>;
}

/** How a hostile server answers a request that has come whole. */
export type Behaviour = (socket: Socket, asked: Asked, around: Around) => unknown;

/** The part of the interface that is answered with hostility; everything else is the reference's. */
export type Place = 'guardrail-read' | 'inference' | 'vault-delete';

/** A verdict's exit code; what is the suite's own failure is none of them. */
type Exit = 0 | 1 | 3 | 4;

/** How a run against a behaviour ends. */
export interface Ending {
  readonly exit: Exit | readonly Exit[];
  /** Words that the report must hold: what happened. */
  readonly tells: RegExp;
}

/** A behaviour of a hostile server on an operation of the interface. */
export interface HostileRow extends Ending {
  readonly name: string;
  readonly does: Behaviour;
  /** Guardrail reads where absent. */
  readonly on?: Place;
  /** The requirements to judge where those of guardrail reads do not show it. */
  readonly only?: readonly string[];
  /** Whether answers come too late or never, so that little time is given to each request. */
  readonly waits?: boolean;
  /** Whether it takes the checks that depth quick leaves out. */
  readonly thorough?: boolean;
  /** Whether it is after the memory of the process, which must then be one of its own. */
  readonly big?: boolean;
  /** Whether every answer is so much work that few requests must do. */
  readonly costly?: boolean;
  /** How it ends where every operation is answered so; unjudged with the same words where absent. */
  readonly everywhere?: Ending;
}

/** A behaviour of a hostile control protocol. */
export interface ControlRow extends Ending {
  readonly name: string;
  /** Which calls are answered with hostility; `GET` of the capabilities or `POST` of a world, say. */
  readonly on: (asked: Asked) => boolean;
  readonly does: Behaviour;
  /** The requirements to judge where those of reads do not show it. */
  readonly only?: readonly string[];
  readonly waits?: boolean;
  readonly big?: boolean;
}

/** A way in which there is nobody to talk to, or nobody to trust. */
export interface ConnectionRow extends Ending {
  readonly name: string;
  /** Starts what is hostile; gives the target's base URL, and what ends it. */
  readonly opens: (stage: Opened) => Promise<Door>;
  readonly waits?: boolean;
}

/** What stands behind a connection. */
export interface Opened {
  /** The origin of the honest server. */
  readonly behind: string;
}

/** Where a run is sent. */
export interface Door {
  readonly target: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly close?: () => Promise<void>;
}

/** What a run is given beside the report folder. */
export interface Way {
  readonly flags: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}
