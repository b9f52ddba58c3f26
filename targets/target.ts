import type { Need } from '../spec/need.js';
import type { Canaries } from './canary.js';
import type { Client, ClientOptions } from './client.js';
import type { ControlAddress, InferenceRoute } from './control-client.js';
import type { Exchange } from './exchange.js';
import type { SoughtKeys } from './known-keys.js';
import type { Permissions } from './permissions.js';
import type { Profile } from './profile/profile.js';
import type { Redactor } from './redaction.js';
import type { World } from './world.js';

/** How a regional hostname is reached (§5): another address, or a name sent as `Host` to the same one. */
interface Regional {
  readonly host?: string;
  readonly baseUrl?: string;
}

/** Whose names an attempt uses: such as begin with a prefix of its own, or any. */
export type Names = 'own' | 'any';

/** Something that a run stored and could not delete again. */
export interface LeftBehind {
  readonly scope: string;
  readonly name: string;
  /** Why, and what to do. */
  readonly why: string;
}

/** Where a target is, and how hard it may be used. */
export interface TargetAddress extends Omit<ClientOptions, 'agents'> {
  /** `{base_url}`; the control protocol's own where absent. */
  readonly baseUrl?: string;
  /** The origin of a server in this process, whose port is new each time: of the control's `base_url` the path counts. */
  readonly origin?: string;
  readonly control?: ControlAddress;
  /** What is known of a deployment that has no control protocol, and how connections to it are made. */
  readonly profile?: Profile;
  /** What may be done where the target is not on loopback; nothing that harms or costs where absent. */
  readonly permissions?: Permissions;
  /** Aborted when opening is to be given up. */
  readonly signal?: AbortSignal;
}

/** The server under judgement and the means to arrange worlds on it. */
export interface Target {
  readonly baseUrl: string;
  /** Whether it speaks the control protocol. */
  readonly controlled: boolean;
  readonly client: Client;
  readonly canaries: Canaries;
  readonly redactor: Redactor;
  /** The keys of the worlds that were opened. */
  readonly keys: SoughtKeys;
  readonly regional: Regional;
  readonly inference: InferenceRoute | undefined;
  /** What every request to the target carries besides its own headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the run stored and could not delete again; known once the target is closed. */
  readonly leftBehind: readonly LeftBehind[];
  /** What would have to be given to meet a need; undefined where it is met. */
  lacks(need: Need): string | undefined;
  /**
   * Makes a world. Throws ControlError where the target does not do its part, UnusableControl where its keys cannot be
   * used, Unavailable where it cannot make one.
   */
  openWorld(label: string, names?: Names): Promise<World>;
  /** Takes note of an exchange: it may have deleted what the run stored. */
  seen(exchange: Exchange): void;
  /** Gives back every world that is still leased, deletes what the run stored, and closes the connections. */
  close(): Promise<void>;
}
