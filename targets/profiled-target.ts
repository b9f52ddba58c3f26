import pLimit from 'p-limit';
import { type Need, unlocks } from '../spec/need.js';
import { makeReason } from '../spec/reasons.js';
import type { Intern, Role, Scope } from '../spec/vocabulary.js';
import { hasHostName, isLoopback } from './agents.js';
import { forbidden, type Permissions, RefusedNeeds, servesModel } from './capabilities.js';
import type { Client } from './client.js';
import type { StoredSecret } from './control-client.js';
import type { Exchange } from './exchange.js';
import { Canaries, noKeys } from './leak-detection.js';
import { deleteUntilGone, leftSecret, type StoredByRun, StoredSecrets, whyLeft } from './leftovers.js';
import { type Profile, registerProfileSecrets, withoutPlaceholders } from './profile/profile.js';
import { Redactor } from './redaction.js';
import { CleanUpTime } from './run-limits.js';
import { commandStorer, httpStorer, NameList, StoreError, type Storer } from './store-recipes.js';
import type { LeftBehind, Names, Removal, Target } from './target.js';
import { freshName, NotShown, runPrefix, Unavailable, type World } from './world.js';

const triesToCleanUp = 4;

// Letters of fresh names, in place of the digits 0 to 3.
const digits = 'aeio';
// Room for 65,536 worlds, more than a deep run makes.
const lettersOfAWorld = 8;

/** A deployment that a profile describes: one tenant, shared by every attempt and with other people. */
export class ProfiledTarget implements Target {
  readonly controlled = false;
  readonly canaries = new Canaries();
  readonly redactor = new Redactor();
  /** All keys are of one tenant, and so none is another's. */
  readonly keys = noKeys;
  readonly refused = new RefusedNeeds();
  readonly baseUrl: string;
  readonly regional: Target['regional'];
  readonly inference: Target['inference'];
  readonly #permissions: Permissions;
  readonly #stored = new StoredSecrets((news) => this.onLeftover(news));
  readonly #time: CleanUpTime;
  readonly #by: Storer | NameList | undefined;
  // Names of a check's own choice are the same for every attempt: one at a time.
  readonly #anyName = pLimit(1);
  readonly #withdrawn = new Set<string>();
  #leftBehind: readonly LeftBehind[] = [];
  #worlds = 0;
  onLeftover: Target['onLeftover'] = () => undefined;

  constructor(
    readonly profile: Profile,
    readonly client: Client,
    permissions: Permissions,
    time: CleanUpTime = new CleanUpTime(),
  ) {
    this.#time = time;
    const { target } = profile;
    this.#permissions = permissions;
    this.baseUrl = target.base_url.replace(/\/+$/, '');
    this.regional = {
      ...(target.regional_host === undefined ? {} : { host: target.regional_host }),
      ...(target.regional_base_url === undefined
        ? {}
        : { baseUrl: target.regional_base_url.replace(/\/+$/, '') }),
    };
    this.inference = profile.inference;
    registerProfileSecrets(this.redactor, profile);
    this.redactor.register(this.canaries.mark, '<stored value>');
    this.#by = this.#storer();
  }

  get headers(): Readonly<Record<string, string>> {
    return this.profile.headers;
  }

  get leftBehind(): readonly LeftBehind[] {
    return this.#leftBehind;
  }

  lacks(need: Need): string | undefined {
    return this.#forbidden(need) ?? (this.#offers(need) ? this.refused.lacks(need) : unlocks(need));
  }

  withdraw(intern: Intern): void {
    this.#withdrawn.add(intern);
  }

  openWorld(_label: string, names: Names = 'own'): Promise<World> {
    const isAny = names === 'any' && this.#offers('any-name');
    if (!isAny) return Promise.resolve(this.#world(this.#nextPrefix(), () => undefined));
    return new Promise((resolve) => {
      this.#anyName(() => new Promise<void>((returned) => resolve(this.#world('', returned))));
    });
  }

  seen(exchange: Exchange): void {
    // What a check has deleted itself needs no request to clean it up.
    if (this.#stored.see(exchange)) this.client.release();
  }

  async close(): Promise<void> {
    this.#time.begin();
    this.#leftBehind = (await Promise.all(this.#stored.left.map((secret) => this.#cleanUp(secret)))).flatMap(
      (left) => left ?? [],
    );
    this.#time.release();
    this.client.close();
  }

  /** Counted, not drawn: two attempts with one prefix would delete each other's secrets, and accuse the server of it. */
  #nextPrefix(): string {
    this.#worlds += 1;
    const number = this.#worlds.toString(4).padStart(lettersOfAWorld, '0');
    return `${runPrefix}${number.replace(/\d/g, (digit) => digits[Number(digit)] ?? '')}`;
  }

  #world(prefix: string, returned: () => void): World {
    return new ProfiledWorld({
      profile: this.profile,
      canaries: this.canaries,
      stored: this.#stored,
      by: this.#by,
      stores: (scope) => this.#stores(scope),
      time: this.#time,
      prefix,
      returned,
    });
  }

  #storer(): Storer | NameList | undefined {
    const { store, keys, headers } = this.profile;
    if (store === undefined) return undefined;
    if ('names' in store) return new NameList(store.names);
    if ('command' in store) return commandStorer(store.command, this.client);
    const key = keys[store.http.key];
    return httpStorer(store.http, { client: this.client, baseUrl: this.baseUrl, key, headers });
  }

  async remove({ scope, intern, name }: LeftBehind): Promise<Removal> {
    const place = intern ?? (isIntern(scope) ? this.profile.interns[scope] : undefined);
    if (!/^[a-z0-9_]{1,255}$/.test(name)) return { why: 'no run stores such a name' };
    return this.#delete({ scope, intern: place, name });
  }

  /** Deletes a secret that no check consumed; says what is left where that cannot be done. */
  async #cleanUp(secret: StoredByRun): Promise<LeftBehind | undefined> {
    const removal = await this.#delete(secret);
    if (typeof removal !== 'string') return leftSecret(secret, removal.why);
    this.#stored.remove(secret);
    return undefined;
  }

  async #delete({ scope, intern, name }: StoredByRun): Promise<Removal> {
    const key = this.profile.keys.member;
    if (intern === undefined || scope === 'foreign' || key === undefined)
      return { why: 'the member key cannot delete it; delete it where it was stored' };
    const path = `/vault/interns/${encodeURIComponent(intern)}/secrets/${name}`;
    const headers = { ...this.headers, Authorization: `Bearer ${key}` };
    const { over: pacedUntil, end: signal } = this.#time;
    const request = { method: 'DELETE', base: this.baseUrl, path, headers };
    const send = () => this.client.send(request, signal, { uses: 1 }, { pacedUntil });
    const deletion = await deleteUntilGone(send, { tries: triesToCleanUp, signal });
    return typeof deletion === 'string'
      ? deletion
      : { why: `${whyLeft(deletion.got)}; delete it with the member key` };
  }

  /** What is offered but may not be used without being asked for. */
  #forbidden(need: Need): string | undefined {
    return this.#isHere ? undefined : forbidden(need, this.#permissions);
  }

  /** Whether every address that is deleted from or stored at is on this machine. */
  get #isHere(): boolean {
    const { target, store } = this.profile;
    const url = store !== undefined && 'http' in store ? withoutPlaceholders(store.http.url) : undefined;
    return [this.baseUrl, target.regional_base_url, url].every(
      (address) => address === undefined || isLoopback(address),
    );
  }

  #offers(need: Need): boolean {
    const { keys, interns, guardrail, inference, target } = this.profile;
    const [family, name = ''] = need.split(':');
    switch (family) {
      case 'role':
        return name in keys;
      case 'intern':
        return name in interns && !this.#withdrawn.has(name);
      case 'store':
        return name === 'named' ? typeof this.#by === 'function' : this.#stores('own');
      case 'scope':
        return this.#stores(name as Scope);
      case 'any-name':
        return typeof this.#by === 'function' && this.profile.disposable_interns.includes('own');
      case 'guardrail':
        return guardrail !== undefined;
      case 'regional':
        return (target.regional_host ?? target.regional_base_url) !== undefined;
      case 'regional-host':
        return target.regional_host !== undefined;
      case 'host-name':
        return hasHostName(this.baseUrl);
      case 'inference':
        return servesModel(inference, name);
      default:
        // Worlds, faults, figures and a view of what is stored take the control protocol.
        return false;
    }
  }

  #stores(scope: Scope): boolean {
    const { store, interns } = this.profile;
    if (store === undefined || this.#withdrawn.has(scope)) return false;
    if (scope !== 'workspace' && interns[scope] === undefined) return false;
    if ('names' in store) return NameList.has(store.names, scope);
    return ('http' in store ? store.http.scopes : store.command.scopes).includes(scope);
  }
}

function isIntern(scope: string): scope is Intern {
  return scope === 'own' || scope === 'sibling' || scope === 'foreign';
}

/** What a world of a profile works with. */
interface ProfiledMeans {
  readonly profile: Profile;
  readonly canaries: Canaries;
  readonly stored: StoredSecrets;
  /** How secrets are stored: by a recipe, or not at all, their names being given. */
  readonly by: Storer | NameList | undefined;
  readonly prefix: string;
  /** Where secrets can be stored. */
  readonly stores: (scope: Scope) => boolean;
  readonly time: CleanUpTime;
  /** Called once the world is given back. */
  readonly returned: () => void;
}

/**
 * The tenant that a profile describes, as one attempt uses it. All attempts share it, and so do other people: names
 * carry a prefix that is this attempt's alone.
 */
class ProfiledWorld implements World {
  readonly id = 'profile';
  readonly #means: ProfiledMeans;
  readonly arranged = '';
  #isGivenBack = false;

  constructor(means: ProfiledMeans) {
    this.#means = means;
  }

  get workspaceId(): string | undefined {
    return this.#means.profile.guardrail?.workspace_id;
  }

  get prefix(): string {
    return this.#means.prefix;
  }

  guardrailId(): string {
    return this.#means.profile.guardrail?.id ?? missing('guardrail');
  }

  key(role: Role): string {
    return this.#means.profile.keys[role] ?? missing(`role:${role}`);
  }

  isKey(text: string): boolean {
    return Object.values(this.#means.profile.keys).includes(text);
  }

  intern(intern: Intern): string {
    return this.#means.profile.interns[intern] ?? missing(`intern:${intern}`);
  }

  async store(scope: Scope, given?: string): Promise<string> {
    const { by, canaries, stored, stores } = this.#means;
    if (by === undefined) return missing('store');
    if (!stores(scope))
      return missing(scope === 'own' || scope === 'sibling' ? `intern:${scope}` : `scope:${scope}`);
    if (typeof by !== 'function') {
      if (given !== undefined) throw new Unavailable('store:named');
      return by.next(scope);
    }
    const intern = scope === 'workspace' ? undefined : this.intern(scope);
    const name = given ?? freshName();
    // Before it is sent: when its answer is lost nobody knows, and cleaning up will find out.
    const isNew = stored.add({ scope, intern, name });
    const { over: queuedUntil, finishing } = this.#means.time;
    try {
      await by({ scope, intern, name, value: canaries.next() }, finishing, { queuedUntil });
    } catch (error) {
      // Any other error says that nothing was sent: the run was stopped, or may send no more.
      if (isNew && !(error instanceof StoreError)) stored.remove({ intern, name });
      throw error;
    }
    return name;
  }

  secrets(): Promise<readonly StoredSecret[]> {
    return Promise.reject(new Unavailable('inspect'));
  }

  setKeyInfo(): Promise<void> {
    return Promise.reject(new Unavailable('feature:key_info'));
  }

  setGuardrail(): Promise<void> {
    return Promise.reject(new Unavailable('feature:guardrail'));
  }

  setFaults(): Promise<void> {
    return Promise.reject(new NotShown(makeReason('lacking', 'faults (control protocol)')));
  }

  setFreeUsage(): Promise<void> {
    return Promise.reject(new Unavailable('feature:free_usage'));
  }

  setCredit(): Promise<void> {
    return Promise.reject(new Unavailable('feature:credit'));
  }

  setUsage(): Promise<void> {
    return Promise.reject(new Unavailable('feature:usage'));
  }

  verifyClaims(): void {
    // There is no control protocol.
  }

  async giveBack(): Promise<void> {
    if (this.#isGivenBack) return;
    this.#isGivenBack = true;
    this.#means.returned();
  }
}

function missing(need: ConstructorParameters<typeof Unavailable>[0]): never {
  throw new Unavailable(need);
}
