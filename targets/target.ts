import type { LeftoverNews } from '../spec/journal.js';
import type { Need } from '../spec/need.js';
import type { Report } from '../spec/report.js';
import type { Intern } from '../spec/vocabulary.js';
import type { TlsOptions } from './agents.js';
import type { Permissions, RefusedNeeds } from './capabilities.js';
import type { Client, ClientOptions } from './client.js';
import type { ControlAddress, InferenceRoute } from './control-client.js';
import type { Exchange } from './exchange.js';
import type { Canaries, SoughtKeys } from './leak-detection.js';
import type { Profile } from './profile/profile.js';
import type { Redactor } from './redaction.js';
import type { World } from './world.js';

/** How a regional hostname is reached (§5): another address, or a name sent as `Host` to the same one. */
interface Regional {
  readonly host?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/** The names that an attempt uses: those that begin with a prefix of its own, or any. */
export type Names = 'own' | 'any';

/** Something that a run made and could not delete again. */
export type LeftBehind = Report['run']['left_behind'][number];

/** What became of something that was left behind; why it is still there where it is. */
export type Removal = 'deleted' | 'not-there' | { readonly why: string };

/** Where a target is, and how hard it may be used. */
export interface TargetAddress extends Omit<ClientOptions, 'agents'> {
  /** `{base_url}`; the control protocol's own where absent. */
  readonly baseUrl?: string | undefined;
  /** The origin of a server in this process, whose port is new each time: of the control's `base_url` the path counts. */
  readonly origin?: string | undefined;
  readonly control?: ControlAddress | undefined;
  /** What is known of a deployment that has no control protocol, and how connections to it are made. */
  readonly profile?: Profile | undefined;
  /** How connections are secured, over what the profile says. */
  readonly tls?: TlsOptions | undefined;
  /** What may be done where the target is not on loopback; nothing that harms or costs where absent. */
  readonly permissions?: Permissions;
  /** Aborted when the run is to end: nothing is asked for any more, and cleaning up begins. */
  readonly signal?: AbortSignal;
}

/** The server under judgement and the means to arrange worlds on it. */
export interface Target {
  readonly baseUrl: string;
  /** Whether it speaks the control protocol. */
  readonly controlled: boolean;
  /** What the operator says of it; its keys and ids may be wrong. */
  readonly profile?: Profile;
  readonly client: Client;
  readonly canaries: Canaries;
  readonly redactor: Redactor;
  /** The keys of the worlds that were opened. */
  readonly keys: SoughtKeys;
  readonly regional: Regional;
  readonly inference: InferenceRoute | undefined;
  /** An origin that CORS blocks, where one is known. */
  readonly blockedOrigin?: string | undefined;
  /** What every request to the target carries besides its own headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the target turned out not to offer while it was judged. */
  readonly refused: RefusedNeeds;
  /** Called with whatever the run makes, before it is made, and with what is gone. */
  onLeftover: (news: LeftoverNews) => void;
  /** What the run made and could not delete again; known once the target is closed. */
  readonly leftBehind: readonly LeftBehind[];
  /** Offers an intern of the profile no longer, since its id turned out to be wrong. */
  withdraw?(intern: Intern): void;
  /** What would have to be permitted to meet a need; undefined where it is, or where nothing is known. */
  forbids?(need: Need): string | undefined;
  /** What would have to be given to meet a need; undefined where it is met. */
  lacks(need: Need): string | undefined;
  /**
   * Makes a world. Throws ControlError where the target does not do its part, UnusableControl where its keys cannot be
   * used, Unavailable where it cannot make one.
   */
  openWorld(label: string, names?: Names): Promise<World>;
  /** Deletes something that an earlier run left behind. */
  remove(left: LeftBehind): Promise<Removal>;
  /** Notes an exchange: it may have deleted what the run stored. */
  noteExchange(exchange: Exchange): void;
  /**
   * Gives back every world that is still open, deletes what the run stored, and closes the connections; whatever the
   * target does, it takes no longer than 10 s from the end of the run.
   */
  close(): Promise<void>;
}
