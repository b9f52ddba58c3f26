import { fileBytes } from '../spec/file-text.js';
import { type Need, unlocks } from '../spec/need.js';
import { Agents, type TlsOptions } from './agents.js';
import { Canaries } from './canary.js';
import { Client, type ClientOptions } from './client.js';
import {
  type Capabilities,
  type ControlAddress,
  ControlClient,
  ControlError,
  type InferenceRoute,
} from './control-client.js';
import { ControlWorld } from './control-world.js';
import type { Exchange } from './exchange.js';
import { KnownKeys, noKeys, type SoughtKeys } from './known-keys.js';
import { hasHostName, isLoopback } from './loopback.js';
import { forbidden, type Permissions } from './permissions.js';
import type { Profile } from './profile/profile.js';
import { mostTlsBytes } from './profile/rules/tls-rules.js';
import { ProfiledTarget } from './profiled-target.js';
import { Redactor } from './redaction.js';
import { assertUsableToken } from './unusable-control.js';
import { Unavailable, type World } from './world.js';

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
export interface TargetAddress extends Omit<ClientOptions, 'agents' | 'heedsRetryAfter'> {
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

/**
 * Opens a target: reads what its control protocol offers. Throws ControlError where that cannot be had, UnusableControl
 * where it, or the token given for it, cannot be used.
 */
export async function openTarget(address: TargetAddress): Promise<Target> {
  const { profile, permissions = { destructive: false, inference: false } } = address;
  assertUsableToken(address.control?.token);
  const client = await clientOf(address);
  if (address.control === undefined) {
    return profile === undefined
      ? new BareTarget(trimmed(address.baseUrl ?? ''), client)
      : new ProfiledTarget(withBaseUrl(profile, address.baseUrl), client, permissions);
  }
  const redactor = new Redactor();
  if (address.control.token !== undefined)
    redactor.register(address.control.token, '$PLUMBLINE_CONTROL_TOKEN');
  const control = new ControlClient(client, address.control);
  try {
    const capabilities = await control.capabilities(address.signal);
    return new ControlledTarget(
      trimmed(
        address.baseUrl ??
          profile?.target.base_url ??
          addressed(offeredUrl(capabilities, address.origin), 'base_url'),
      ),
      client,
      redactor,
      control,
      capabilities,
      permissions,
      profile?.headers ?? {},
    );
  } catch (error) {
    client.close();
    // What the control said may hold the token.
    throw error instanceof ControlError
      ? new ControlError(redactor.redactBeginning(error.message, messageKept))
      : error;
  }
}

// The control may put any text into what it says.
const messageKept = 1_000;

/** The client of an address; a deployment that others share is asked no faster than it says it can bear. */
async function clientOf({
  profile,
  control,
  baseUrl,
  origin: _,
  ...options
}: TargetAddress): Promise<Client> {
  const addresses = [baseUrl, control?.url, profile?.target.base_url, profile?.target.regional_base_url];
  const agents = await Agents.for(
    addresses.filter((address) => address !== undefined),
    profile === undefined ? {} : await tlsOf(profile.tls),
  );
  return new Client({ ...options, agents, heedsRetryAfter: control === undefined });
}

async function tlsOf({ ca, cert, key, insecure }: Profile['tls']): Promise<TlsOptions> {
  return {
    ...(ca === undefined ? {} : { ca: await fileBytes(ca, mostTlsBytes) }),
    ...(cert === undefined ? {} : { cert: await fileBytes(cert, mostTlsBytes) }),
    ...(key === undefined ? {} : { key: await fileBytes(key, mostTlsBytes) }),
    insecure,
  };
}

function withBaseUrl(profile: Profile, baseUrl: string | undefined): Profile {
  return baseUrl === undefined ? profile : { ...profile, target: { ...profile.target, base_url: baseUrl } };
}

/** The base URL that the control protocol names; on the origin that is known better, where one is. */
function offeredUrl({ base_url }: Capabilities, origin: string | undefined): string {
  if (origin === undefined || !URL.canParse(base_url, origin)) return base_url;
  return `${origin}${new URL(base_url, origin).pathname}`;
}

/** An address that the control protocol names, if requests can go there. Throws ControlError. */
function addressed(url: string, member: string): string {
  const { protocol, username, password, search, hash } = URL.canParse(url) ? new URL(url) : noUrl;
  if (/^https?:$/.test(protocol) && username + password + search + hash === '') return url;
  throw new ControlError(
    `the control protocol gives a ${member} that is no plain http or https URL: ${JSON.stringify(url)}`,
  );
}

const noUrl = { protocol: '', username: '', password: '', search: '', hash: '' };

function trimmed(url: string): string {
  return url.replace(/\/+$/, '');
}

/** A target of which nothing is known but its address: no key, no means. */
class BareTarget implements Target {
  readonly controlled = false;
  readonly canaries = new Canaries();
  readonly redactor = new Redactor();
  readonly keys = noKeys;
  readonly regional = {};
  readonly inference = undefined;
  readonly headers = {};
  readonly leftBehind = [];

  constructor(
    readonly baseUrl: string,
    readonly client: Client,
  ) {}

  lacks(need: Need): string {
    return unlocks(need);
  }

  openWorld(): Promise<World> {
    return Promise.reject(new Unavailable('role:member'));
  }

  seen(): void {
    // It stores nothing.
  }

  async close(): Promise<void> {
    this.client.close();
  }
}

class ControlledTarget implements Target {
  readonly controlled = true;
  readonly canaries = new Canaries();
  readonly keys: KnownKeys;
  readonly regional: Regional;
  readonly inference: InferenceRoute | undefined;
  readonly #control: ControlClient;
  readonly #capabilities: Capabilities;
  readonly #permissions: Permissions;
  readonly leftBehind = [];
  readonly #leased = new Set<Promise<World>>();

  constructor(
    readonly baseUrl: string,
    readonly client: Client,
    readonly redactor: Redactor,
    control: ControlClient,
    capabilities: Capabilities,
    permissions: Permissions,
    readonly headers: Readonly<Record<string, string>>,
  ) {
    this.#control = control;
    this.#permissions = permissions;
    this.#capabilities = capabilities;
    this.regional = {
      ...(capabilities.regional_host === undefined ? {} : { host: capabilities.regional_host }),
      ...(capabilities.regional_base_url === undefined
        ? {}
        : { baseUrl: trimmed(addressed(capabilities.regional_base_url, 'regional_base_url')) }),
    };
    this.inference = capabilities.inference;
    redactor.register(this.canaries.mark, '<stored value>');
    this.keys = new KnownKeys(redactor);
  }

  lacks(need: Need): string | undefined {
    return this.#means(need) ?? (this.#offers(need) ? undefined : unlocks(need));
  }

  async openWorld(label: string): Promise<World> {
    // A world that is still being made when the run is stopped must be given back too: the promise is kept.
    const lease: Promise<World> = this.#create(label, () => this.#leased.delete(lease));
    this.#leased.add(lease);
    lease.catch(() => this.#leased.delete(lease));
    return await lease;
  }

  seen(): void {
    // Its worlds take everything with them.
  }

  async close(): Promise<void> {
    const worlds = await Promise.allSettled(this.#leased);
    await Promise.all(
      worlds.map((world) => (world.status === 'fulfilled' ? world.value.giveBack() : undefined)),
    );
    this.client.close();
  }

  async #create(label: string, returned: () => void): Promise<World> {
    const description = await this.#control.createWorld(label);
    return new ControlWorld(description, {
      control: this.#control,
      canaries: this.canaries,
      redactor: this.redactor,
      keys: this.keys,
      returned,
    });
  }

  /** Why something that the target offers is not used all the same. */
  #means(need: Need): string | undefined {
    const { baseUrl: regional = this.baseUrl } = this.regional;
    if (isLoopback(this.baseUrl) && isLoopback(regional)) return undefined;
    return forbidden(need, this.#permissions);
  }

  #offers(need: Need): boolean {
    const { roles, faults, features, inference } = this.#capabilities;
    const [family, name = ''] = need.split(':');
    switch (family) {
      case 'role':
        return roles.includes(name);
      case 'fault':
        return faults.includes(name) && (name !== 'mid_stream_error' || canStream(inference));
      case 'feature':
        return features.includes(name);
      case 'store':
      case 'scope':
        return features.includes('secrets');
      case 'inspect':
        return features.includes('inspect');
      case 'regional':
        return this.regional.host !== undefined || this.regional.baseUrl !== undefined;
      case 'regional-host':
        return this.regional.host !== undefined;
      case 'host-name':
        return hasHostName(this.baseUrl);
      case 'inference':
        if (name === 'free') return inference?.free_model !== undefined;
        if (name === 'paid') return inference?.paid_model !== undefined;
        return inference?.free_model !== undefined || inference?.paid_model !== undefined;
      default:
        // worlds, interns and a guardrail come with every world.
        return true;
    }
  }
}

/** Whether a stream can be asked for: a body of the target's own must say where. */
function canStream(inference: InferenceRoute | undefined): boolean {
  return inference?.body === undefined || JSON.stringify(inference.body).includes('"{stream}"');
}
