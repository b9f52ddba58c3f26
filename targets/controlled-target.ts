import { setTimeout as sleep } from 'node:timers/promises';
import type { WorldLeftover } from '../spec/journal.js';
import { describeNeed, type Need } from '../spec/need.js';
import { hasHostName, isLoopback, trimSlashes } from './agents.js';
import { findForbidden, type Permissions, RefusedNeeds, servesModel } from './capabilities.js';
import type { CleanUpTime } from './clean-up-time.js';
import type { Client } from './client.js';
import { ControlClaims } from './control-claims.js';
import {
  type Capabilities,
  type ControlClient,
  ControlError,
  type InferenceRoute,
  isWorldId,
} from './control-client.js';
import { ControlWorld } from './control-world.js';
import type { NotedExchange } from './exchange.js';
import { Canaries, KnownKeys, storedValue } from './leak-detection.js';
import { deleteUntilGone, describeLeftWorld, Leftovers, notAskedFor } from './leftovers.js';
import type { Redactor } from './redaction.js';
import type { LateArrangement, LeftBehind, Removal, Target } from './target.js';
import type { World } from './world.js';

// A world that cannot be deleted at once is tried again at the end of the run.
const triesInARun = 2;
const triesAtTheEnd = 4;
// How much longer than was measured a target may take to know a key or a secret.
const lagMargin = 1.5;

interface ControlledTargetOptions extends Pick<Target, 'baseUrl' | 'client' | 'redactor' | 'headers'> {
  readonly control: ControlClient;
  readonly capabilities: Capabilities;
  readonly permissions: Permissions;
  readonly time: CleanUpTime;
}

/** A target that speaks the control protocol: every attempt has a world of its own. */
export class ControlledTarget implements Target {
  readonly controlled = true;
  readonly baseUrl: string;
  readonly client: Client;
  readonly redactor: Redactor;
  readonly headers: Target['headers'];
  readonly canaries = new Canaries();
  readonly keys: KnownKeys;
  readonly regional: Target['regional'];
  readonly inference: InferenceRoute | undefined;
  readonly blockedOrigin: string | undefined;
  readonly #isLocal: boolean;
  readonly #worlds = new Leftovers<WorldLeftover>((news) => this.onLeftover(news));
  #asked = 0;
  /** Why a world is left, by its number. */
  readonly #whyLeft = new Map<number, string>();
  readonly #opening = new Set<Promise<World>>();
  readonly #open = new Set<ControlWorld>();
  /** Whether new worlds are known to be empty. */
  #areWorldsEmpty = false;
  onLeftover: Target['onLeftover'] = () => undefined;
  readonly #claims: ControlClaims;
  settleMs = 0;
  openingMs = 0;
  settingMs = 0;
  readonly refused = new RefusedNeeds();

  constructor(private readonly means: ControlledTargetOptions) {
    const { capabilities, redactor, time } = means;
    ({ baseUrl: this.baseUrl, client: this.client, redactor: this.redactor, headers: this.headers } = means);
    const { regional_host: host, regional_base_url: regional } = capabilities;
    const baseAt = (url: string) => trimSlashes(parseOfferedUrl(url, 'regional_base_url'));
    this.regional = { host, baseUrl: regional === undefined ? undefined : baseAt(regional) };
    this.#isLocal = [this.baseUrl, this.regional.baseUrl ?? this.baseUrl].every(isLoopback);
    this.inference = capabilities.inference;
    this.blockedOrigin = capabilities.blocked_origin;
    redactor.register(this.canaries.mark, storedValue);
    this.keys = new KnownKeys(redactor);
    this.#claims = new ControlClaims(this, time.over);
  }

  lacks(need: Need): string | undefined {
    const forbidden = this.#isLocal ? undefined : findForbidden(need, this.means.permissions);
    if (forbidden !== undefined) return forbidden;
    if (!this.#offers(need)) return describeNeed(need);
    return this.refused.lacks(need === 'store' ? 'scope:own' : need);
  }

  get leftBehind(): readonly LeftBehind[] {
    return this.#worlds.all.map((world) =>
      describeLeftWorld(world, this.#whyLeft.get(world.number) ?? notAskedFor),
    );
  }

  async openWorld(label: string): Promise<World> {
    const opening = this.#create(label);
    this.#opening.add(opening);
    return await opening.finally(() => this.#opening.delete(opening));
  }

  async waitOutLag(of: LateArrangement): Promise<void> {
    const waitMs = Math.ceil(lagMargin * (await this.#claims.measureLag(of)));
    if (of === 'secret') this.settleMs = Math.max(this.settleMs, waitMs);
    else this.openingMs = Math.max(this.openingMs, waitMs);
  }

  waitAfterSettings(ms: number): void {
    this.settingMs = Math.max(this.settingMs, ms);
  }

  async remove({ id }: LeftBehind): Promise<Removal> {
    if (id === undefined || !isWorldId(id)) return { why: 'its id is not known; wait until it expires' };
    return this.#delete(id, triesAtTheEnd);
  }

  noteExchange(exchange: NotedExchange): void {
    // Secrets are deleted with their world; until then the answers say what it should hold.
    if (exchange.operation !== 'vault-delete') return;
    const url = exchange.request.url.toLowerCase();
    for (const world of this.#open) world.noteExchange(exchange, url);
  }

  async close(): Promise<void> {
    const { time } = this.means;
    time.begin();
    await Promise.allSettled(this.#opening);
    await Promise.all(this.#worlds.all.map((world) => this.#remove(world, triesAtTheEnd)));
    time.release();
    this.client.close();
  }

  async #create(label: string): Promise<World> {
    this.#asked += 1;
    let left: WorldLeftover = { kind: 'world', number: this.#asked, label, state: 'opening' };
    this.#worlds.set(left);
    let isMade = false;
    try {
      const hasOthers = () => this.#open.size + this.#opening.size > 1;
      const description = await this.means.control.createWorld(label, hasOthers, (id) => {
        isMade = true;
        if (id === undefined) return;
        left = { ...left, id, state: 'open' };
        this.#worlds.set(left);
      });
      const world: ControlWorld = new ControlWorld(description, {
        target: this,
        control: this.means.control,
        keys: this.keys,
        claims: this.#claims,
        settle: async () => {
          if (this.settleMs > 0) await sleep(this.settleMs, undefined, { signal: this.means.time.over });
        },
        stores: (scope) => this.#stores(scope),
        remove: () => {
          this.#open.delete(world);
          return this.#remove(left);
        },
      });
      if (this.openingMs > 0) await sleep(this.openingMs, undefined, { signal: this.means.time.over });
      if (!this.#areWorldsEmpty) this.#areWorldsEmpty = (await world.state?.takeBaseline()) === 0;
      this.#open.add(world);
      return world;
    } catch (error) {
      if (!isMade) this.#worlds.remove(left);
      // It may exist nevertheless, and nothing else knows of it.
      await this.#remove(left);
      throw error;
    }
  }

  async #remove(world: WorldLeftover, tries = triesInARun): Promise<void> {
    if (world.id === undefined || !this.#worlds.has(world)) return;
    this.#worlds.set({ ...world, state: 'closing' });
    const removal = await this.#delete(world.id, tries);
    if (typeof removal === 'string') this.#worlds.remove(world);
    else if (removal.why !== notAskedFor) this.#whyLeft.set(world.number, removal.why);
  }

  #delete(id: string, tries: number): Promise<Removal> {
    const { control, time } = this.means;
    return deleteUntilGone(() => control.deleteWorld(id), { tries, signal: time.end });
  }

  #offers(need: Need): boolean {
    const { roles, faults, features, inference } = this.means.capabilities;
    const { host, baseUrl } = this.regional;
    const [family = '', name = ''] = need.split(':');
    const offers: Readonly<Record<string, () => boolean>> = {
      role: () => roles.includes(name),
      fault: () => faults.includes(name) && (name !== 'mid_stream_error' || canStream(inference)),
      feature: () => features.includes(name),
      store: () => this.#stores('own'),
      scope: () => this.#stores(name),
      inspect: () => features.includes('inspect'),
      regional: () => (host ?? baseUrl) !== undefined,
      'regional-host': () => host !== undefined,
      'host-name': () => hasHostName(this.baseUrl),
      inference: () => servesModel(inference, name),
      'blocked-origin': () => this.blockedOrigin !== undefined,
    };
    // Worlds, interns and a guardrail come with every world.
    return offers[family]?.() ?? true;
  }

  #stores(scope: string): boolean {
    const { features, scopes } = this.means.capabilities;
    return features.includes('secrets') && scopes?.includes(scope) !== false;
  }
}

/** Whether a stream can be requested: a custom body needs a placeholder for it. */
function canStream(inference: InferenceRoute | undefined): boolean {
  return inference?.body === undefined || JSON.stringify(inference.body).includes('"{stream}"');
}

/** Returns a URL that the control protocol offers. Throws ControlError where requests cannot be sent to it. */
export function parseOfferedUrl(url: string, member: string): string {
  const { protocol, username, password, search, hash } = URL.canParse(url) ? new URL(url) : noUrl;
  if (/^https?:$/.test(protocol) && username + password + search + hash === '') return url;
  throw new ControlError(
    `the control protocol gives a ${member} that is not a plain http or https URL: ${JSON.stringify(url)}`,
  );
}

const noUrl = { protocol: '', username: '', password: '', search: '', hash: '' };
