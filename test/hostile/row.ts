import type { Socket } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How many requests were answered with hostility before this one. */
  readonly before: number;
}

export interface Honest {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** Where a behaviour stands: what it may point to, and what it may alter. */
export interface Around {
  readonly origin: string;
  /** A server that nobody was told to talk to. */
  readonly stranger: string;
  honest(): Promise<Honest>;
  sleep(ms: number): Promise<void>;
}

export type Behaviour = (socket: Socket, asked: Asked, around: Around) => unknown;

/** The part of the interface that is answered with hostility; everything else is the reference's. */
export type Place = 'guardrail-read' | 'inference' | 'vault-delete';

/** A verdict's exit code; what is the suite's own failure is none of them. */
type Exit = 0 | 1 | 3 | 4;

export interface Ending {
  readonly exit: Exit | readonly Exit[];
  readonly says: RegExp;
}

export function endWith(exit: Ending['exit'], says: RegExp): Ending {
  return { exit, says };
}

interface Row extends Ending {
  readonly name: string;
  /** A behaviour, or several by their names which answer by turns in one run: it ends alike with each of them. */
  readonly does: Behaviour | Readonly<Record<string, Behaviour>>;
  /** The requirements to judge where those of guardrail reads do not show it. */
  readonly only?: readonly string[];
  /** Whether answers come too late or never, so that little time is given to each request. */
  readonly waits?: boolean;
  /** Whether much data comes, so that the run is one of those which a process of their own judges, and has more time. */
  readonly big?: boolean;
}

export interface HostileRow extends Row {
  /** Guardrail reads where absent. */
  readonly on?: Place;
  /** Whether it takes the checks that depth quick leaves out. */
  readonly thorough?: boolean;
  /** Whether every answer is so much work that few requests must do. */
  readonly costly?: boolean;
  /** How it ends where every operation is answered so, where that is tried. */
  readonly everywhere?: Ending;
}

export interface ControlRow extends Row {
  /** Which calls are answered with hostility; `GET` of the capabilities or `POST` of a world, say. */
  readonly on: (asked: Asked) => boolean;
}

/** A way in which a connection comes to nothing, or not as usual. */
export interface ConnectionRow extends Ending {
  readonly name: string;
  readonly waits?: boolean;
  /** Starts it before an honest server, until the test ends; returns the origin of the target. */
  readonly start: (behind: string) => Promise<string>;
}
