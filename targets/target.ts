import type { Need } from '../spec/need.js';
import { unlocks } from '../spec/need.js';
import { Canaries } from './canary.js';
import { Client, type ClientLimits } from './client.js';
import {
  type Capabilities,
  type ControlAddress,
  ControlClient,
  type InferenceRoute,
} from './control-client.js';
import { ControlWorld } from './control-world.js';
import { Redactor } from './redaction.js';
import { Unavailable, type World } from './world.js';

/** How a regional hostname is reached (§5): another address, or a name sent as `Host` to the same one. */
interface Regional {
  readonly host?: string;
  readonly baseUrl?: string;
}

/** Where a target is, and how hard it may be used. */
export interface TargetAddress extends ClientLimits {
  /** `{base_url}`; the control protocol's own where absent. */
  readonly baseUrl?: string;
  readonly control?: ControlAddress;
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
  readonly regional: Regional;
  readonly inference: InferenceRoute | undefined;
  /** What would have to be given to meet a need; undefined where it is met. */
  lacks(need: Need): string | undefined;
  /** Makes a world. Throws ControlError where the target does not do its part, Unavailable where it cannot. */
  openWorld(label: string): Promise<World>;
  /** Gives back every world that is still leased, and closes the connections. */
  close(): Promise<void>;
}

/** Opens a target: reads what its control protocol offers. Throws ControlError where that cannot be had. */
export async function openTarget(address: TargetAddress): Promise<Target> {
  const client = new Client(address);
  if (address.control === undefined) return new BareTarget(trimmed(address.baseUrl ?? ''), client);
  const redactor = new Redactor();
  if (address.control.token !== undefined)
    redactor.register(address.control.token, '$PLUMBLINE_CONTROL_TOKEN');
  const control = new ControlClient(client, address.control);
  const capabilities = await control.capabilities(address.signal).catch((error: unknown) => {
    client.close();
    throw error;
  });
  return new ControlledTarget(
    trimmed(address.baseUrl ?? capabilities.base_url),
    client,
    redactor,
    control,
    capabilities,
  );
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '');
}

/** A target of which nothing is known but its address: no key, no means. */
class BareTarget implements Target {
  readonly controlled = false;
  readonly canaries = new Canaries();
  readonly redactor = new Redactor();
  readonly regional = {};
  readonly inference = undefined;

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

  async close(): Promise<void> {
    this.client.close();
  }
}

class ControlledTarget implements Target {
  readonly controlled = true;
  readonly canaries = new Canaries();
  readonly regional: Regional;
  readonly inference: InferenceRoute | undefined;
  readonly #control: ControlClient;
  readonly #capabilities: Capabilities;
  readonly #leased = new Set<Promise<World>>();

  constructor(
    readonly baseUrl: string,
    readonly client: Client,
    readonly redactor: Redactor,
    control: ControlClient,
    capabilities: Capabilities,
  ) {
    this.#control = control;
    this.#capabilities = capabilities;
    this.regional = {
      ...(capabilities.regional_host === undefined ? {} : { host: capabilities.regional_host }),
      ...(capabilities.regional_base_url === undefined
        ? {}
        : { baseUrl: trimmed(capabilities.regional_base_url) }),
    };
    this.inference = capabilities.inference;
    redactor.register(this.canaries.mark, '<stored value>');
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
      returned,
    });
  }

  /** Why something that the target offers is not used all the same. */
  #means(need: Need): string | undefined {
    if (isLoopback(this.baseUrl)) return undefined;
    if (need === 'store')
      return 'permission to delete on a target that is not on loopback (comes with a later version)';
    if (need.startsWith('inference'))
      return 'permission for inference requests, which cost money, on a target that is not on loopback (comes with a later version)';
    return undefined;
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

/** Whether a URL names this machine itself. */
function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.\d+){3}$/.test(hostname)
  );
}
