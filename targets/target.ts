import type { LeftoverNews } from '../spec/journal.js';
import type { Need } from '../spec/need.js';
import type { Report } from '../spec/report.js';
import type { Intern } from '../spec/vocabulary.js';
import type { TlsOptions } from './agents.js';
import type { Permissions, RefusedNeeds } from './capabilities.js';
import type { Client, ClientOptions } from './client.js';
import type { ControlAddress, InferenceRoute } from './control-client.js';
import type { NotedExchange } from './exchange.js';
import type { Canaries, SoughtKeys } from './leak-detection.js';
import type { Profile } from './profile/profile.js';
import type { Redactor } from './redaction.js';
import type { World } from './world.js';

/** The names that an attempt uses: those with a prefix of its own, or any. */
export type Names = 'own' | 'any';

/** Something that a run made and could not delete again. */
export type LeftBehind = Report['run']['left_behind'][number];

/** The result of deleting something that was left behind, or why it is still there. */
export type Removal = 'deleted' | 'not-there' | { readonly why: string };

/** The address of a target and the limits of using it. */
export interface TargetAddress extends Omit<ClientOptions, 'agents'> {
  /** `{base_url}`; the control protocol's own where absent. */
  readonly baseUrl?: string | undefined;
  /** The origin of a server in this process, whose port changes: only the path of the control's `base_url` is used. */
  readonly origin?: string | undefined;
  readonly control?: ControlAddress | undefined;
  /** Describes a deployment without the control protocol, and how to connect to it. */
  readonly profile?: Profile | undefined;
  /** Overrides the TLS options of the profile. */
  readonly tls?: TlsOptions | undefined;
  /** What is allowed off loopback; where absent, nothing that deletes or costs. */
  readonly permissions?: Permissions;
  /** Aborted to end the run: nothing more is requested, and cleaning up begins. */
  readonly signal?: AbortSignal;
}

/** What a target may know late. */
export type LateArrangement = 'key' | 'guardrail' | 'secret';

/** The server under judgement, and the means to arrange worlds on it. */
export interface Target {
  readonly baseUrl: string;
  readonly controlled: boolean;
  /** The operator's description of it; keys and ids may be wrong. */
  readonly profile?: Profile;
  readonly client: Client;
  readonly canaries: Canaries;
  readonly redactor: Redactor;
  readonly keys: SoughtKeys;
  /** How a regional hostname is reached (§5): another address, or a name sent as `Host` to the same one. */
  readonly regional: { readonly host?: string | undefined; readonly baseUrl?: string | undefined };
  readonly inference: InferenceRoute | undefined;
  readonly blockedOrigin?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly refused: RefusedNeeds;
  /** Called before the run makes something, and once it is gone. */
  onLeftover: (news: LeftoverNews) => void;
  /** What the run could not delete; known once the target is closed. */
  readonly leftBehind: readonly LeftBehind[];
  /** Stops offering an intern of the profile whose id turned out to be wrong. */
  withdraw?(intern: Intern): void;
  /** Milliseconds that it waits after each store of a secret. */
  readonly settleMs?: number;
  /** Milliseconds that it waits after opening a world. */
  readonly openingMs?: number;
  /** Milliseconds that it waits after each setting. */
  readonly settingMs?: number;
  /** Measures how long it takes until the target knows a new key, guardrail or secret, and waits that long from now on. */
  waitOutLag?(of: LateArrangement): Promise<void>;
  /** From now on waits at least so many milliseconds after each setting. */
  waitAfterSettings?(ms: number): void;
  /** Waits longer after each store, since a stored secret was not found. Returns false where it waits the longest already. */
  waitLongerAfterStores?(): boolean;
  /** Returns the permission that a need lacks; undefined where it lacks none. */
  forbids?(need: Need): string | undefined;
  /** Returns what would unlock a need; undefined where it is met. */
  lacks(need: Need): string | undefined;
  /**
   * Makes a world. Throws ControlError where the target does not do its part, UnusableControl where its keys cannot be
   * used, Unavailable where it cannot make one.
   */
  openWorld(label: string, names?: Names): Promise<World>;
  remove(left: LeftBehind): Promise<Removal>;
  /** Notes an exchange: it may have deleted what the run stored. */
  noteExchange(exchange: NotedExchange): void;
  /**
   * Gives back every open world, deletes what the run stored, and closes the connections, within 10 s of the end of the
   * run whatever the target does.
   */
  close(): Promise<void>;
}
