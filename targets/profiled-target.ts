import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { SecretLeftover } from '../spec/journal.js';
import { describeNeed, type Need } from '../spec/need.js';
import { makeReason } from '../spec/reasons.js';
import { type Intern, makePath, type Role, type Scope } from '../spec/vocabulary.js';
import { hasHostName, isLoopback, trimSlashes } from './agents.js';
import { findForbidden, type Permissions, RefusedNeeds, servesModel } from './capabilities.js';
import { CleanUpTime } from './clean-up-time.js';
import type { Client } from './client.js';
import type { NotedExchange } from './exchange.js';
import { Canaries, noKeys, storedValue } from './leak-detection.js';
import { deleteUntilGone, describeLeftSecret, findDeletedSecret, Leftovers } from './leftovers.js';
import {
  defaultScopes,
  hidePlaceholders,
  listRecipes,
  type Profile,
  registerProfileSecrets,
  type ScopeRecipe,
} from './profile/profile.js';
import { Redactor } from './redaction.js';
import { makeCommandStorer, makeHttpStorer, NameList, StoreError, type Storer } from './store-recipes.js';
import type { LeftBehind, Names, Removal, Target } from './target.js';
import {
  FreshNames,
  NotShown,
  runPrefix,
  type StoreStep,
  Unavailable,
  type World,
  writeInLetters,
} from './world.js';

const triesToCleanUp = 4;

// Some services replicate a stored secret before it can be deleted. The waits are tried in turn.
const settleStepsMs = [300, 1_000, 2_500];

// Room for 65,536 worlds, more than a deep run makes.
const lettersOfAWorld = 8;

/** A deployment that a profile describes: one tenant, which all attempts share with other people. */
export class ProfiledTarget implements Target {
  readonly controlled = false;
  readonly canaries = new Canaries();
  readonly redactor = new Redactor();
  /** All keys belong to one tenant. */
  readonly keys = noKeys;
  readonly refused = new RefusedNeeds();
  readonly baseUrl: string;
  readonly headers: Target['headers'];
  readonly regional: Target['regional'];
  readonly inference: Target['inference'];
  readonly stored = new Leftovers<SecretLeftover>((news) => this.onLeftover(news));
  readonly #store: Storer | NameList | undefined;
  readonly #scopeStores: ReadonlyMap<string, Storer | undefined>;
  // Checks that choose names choose the same for every attempt: only one runs at a time.
  readonly #anyName = pLimit(1);
  readonly #withdrawn = new Set<string>();
  leftBehind: readonly LeftBehind[] = [];
  settleMs = 0;
  #worlds = 0;
  onLeftover: Target['onLeftover'] = () => undefined;

  constructor(
    readonly profile: Profile,
    readonly client: Client,
    private readonly permissions: Permissions,
    readonly time: CleanUpTime = new CleanUpTime(),
  ) {
    const { base_url, regional_host: host, regional_base_url: regional } = profile.target;
    this.baseUrl = trimSlashes(base_url);
    this.headers = profile.headers;
    this.regional = { host, baseUrl: regional && trimSlashes(regional) };
    this.inference = profile.inference;
    registerProfileSecrets(this.redactor, profile);
    this.redactor.register(this.canaries.mark, storedValue);
    const { names, scopes = {}, ...recipe } = profile.store ?? {};
    this.#store = names === undefined ? this.#makeStorer(recipe, 'store') : new NameList(names);
    this.#scopeStores = new Map(
      Object.entries(scopes).map(([scope, own]) => {
        const isWhole = (own.http ?? own.command) !== undefined;
        const entry = `store.scopes.${scope}`;
        const inherited = { ...recipe, ...own };
        return [scope, isWhole ? this.#makeStorer(own, entry) : this.#makeStorer(inherited, 'store', entry)];
      }),
    );
  }

  forbids(need: Need): string | undefined {
    return this.#isLocal ? undefined : findForbidden(need, this.permissions);
  }

  lacks(need: Need): string | undefined {
    return this.forbids(need) ?? (this.#offers(need) ? this.refused.lacks(need) : describeNeed(need));
  }

  /** The key of the workspace of the intern `foreign`, where the profile gives one. */
  get foreignKey(): string | undefined {
    return this.profile.store?.scopes?.foreign?.key;
  }

  withdraw(intern: Intern): void {
    this.#withdrawn.add(intern);
  }

  waitLongerAfterStores(): boolean {
    // Names that are given were stored before the run.
    if (this.#store instanceof NameList) return false;
    const longer = settleStepsMs.find((ms) => ms > this.settleMs);
    this.settleMs = longer ?? this.settleMs;
    return longer !== undefined;
  }

  openWorld(_label: string, names: Names = 'own'): Promise<World> {
    if (names === 'own' || !this.#offers('any-name')) {
      // Counts rather than draws: two attempts with one prefix would delete each other's secrets and blame the server.
      this.#worlds += 1;
      const prefix = `${runPrefix}${writeInLetters(this.#worlds, lettersOfAWorld)}`;
      return Promise.resolve(new ProfiledWorld(this, prefix));
    }
    return new Promise((resolve) => {
      this.#anyName(() => new Promise<void>((close) => resolve(new ProfiledWorld(this, '', close))));
    });
  }

  noteExchange(exchange: NotedExchange): void {
    // A secret that a check has deleted needs no request to clean up.
    const deleted = findDeletedSecret(exchange);
    if (deleted !== undefined && this.stored.remove(deleted)) this.client.release();
  }

  async close(): Promise<void> {
    this.time.begin();
    const left = this.stored.all.map(async (secret): Promise<readonly LeftBehind[]> => {
      const removal = await this.#delete(secret);
      if (typeof removal !== 'string') return [describeLeftSecret(secret, removal.why)];
      this.stored.remove(secret);
      return [];
    });
    this.leftBehind = (await Promise.all(left)).flat();
    this.time.release();
    this.client.close();
  }

  async remove({ scope, intern, name }: LeftBehind): Promise<Removal> {
    const isIntern = scope === 'own' || scope === 'sibling' || scope === 'foreign';
    const place = intern ?? (isIntern ? this.profile.interns[scope] : undefined);
    if (!/^[a-z0-9_]{1,255}$/.test(name)) return { why: 'no run stores such a name' };
    return this.#delete({ kind: 'secret', scope, intern: place, name });
  }

  /** Returns how secrets of a scope are stored: by a recipe, or beforehand, with their names given. */
  chooseStorer(scope: Scope): Storer | NameList | undefined {
    return this.#scopeStores.get(scope) ?? this.#store;
  }

  /**
   * @param entry where the profile gives the request or the program
   * @param keyIn where it gives a key for them, if it does
   */
  #makeStorer(recipe: ScopeRecipe, entry: string, keyIn = entry): Storer | undefined {
    const { http, command } = recipe;
    const { client, baseUrl, headers } = this;
    if (command !== undefined) return makeCommandStorer(command, client, entry);
    if (http === undefined) return undefined;
    const key = recipe.key ?? this.profile.keys[http.key];
    const keyEntry = recipe.key === undefined ? `keys.${http.key}` : `${keyIn}.key`;
    return makeHttpStorer(http, { client, baseUrl, headers, key, entry, keyEntry });
  }

  async #delete({ scope, intern, name }: SecretLeftover): Promise<Removal> {
    const key = scope === 'foreign' ? this.foreignKey : this.profile.keys.member;
    if (intern === undefined || key === undefined)
      return { why: 'the member key cannot delete it; delete it where it was stored' };
    const path = makePath('vault-delete', encodeURIComponent(intern), name);
    const headers = { ...this.headers, Authorization: `Bearer ${key}` };
    const { over: pacedUntil, end: signal } = this.time;
    const request = { method: 'DELETE', base: this.baseUrl, path, headers };
    const send = () => this.client.send(request, signal, { uses: 1, pacedUntil });
    const removal = await deleteUntilGone(send, { tries: triesToCleanUp, signal });
    const whose = scope === 'foreign' ? 'key of store.scopes.foreign' : 'member key';
    return typeof removal === 'string' ? removal : { why: `${removal.why}; delete it with the ${whose}` };
  }

  get #isLocal(): boolean {
    const urls = listRecipes(this.profile).map(({ http }) => hidePlaceholders(http?.url));
    return [this.baseUrl, this.profile.target.regional_base_url, ...urls].every(
      (address) => address === undefined || isLoopback(address),
    );
  }

  #offers(need: Need): boolean {
    const { keys, interns, guardrail, inference, disposable_interns: disposable } = this.profile;
    const { host, baseUrl } = this.regional;
    const [family = '', name = ''] = need.split(':');
    const offers: Readonly<Record<string, () => boolean>> = {
      role: () => name in keys,
      intern: () => name in interns && !this.#withdrawn.has(name),
      store: () => (name === 'named' ? this.#storesAnyName : this.stores('own')),
      scope: () => this.stores(name as Scope),
      'any-name': () => this.#storesAnyName && disposable.includes('own'),
      guardrail: () => guardrail !== undefined,
      regional: () => (host ?? baseUrl) !== undefined,
      'regional-host': () => host !== undefined,
      'host-name': () => hasHostName(this.baseUrl),
      inference: () => servesModel(inference, name),
    };
    // Worlds, faults, figures and a view of what is stored need the control protocol.
    return offers[family]?.() ?? false;
  }

  get #storesAnyName(): boolean {
    return this.#store !== undefined && !(this.#store instanceof NameList);
  }

  stores(scope: Scope): boolean {
    const { store, interns } = this.profile;
    if (store === undefined || this.#withdrawn.has(scope)) return false;
    if (scope !== 'workspace' && interns[scope] === undefined) return false;
    if (this.#scopeStores.has(scope)) return true;
    if (this.#store instanceof NameList) return this.#store.has(scope);
    const { scopes = defaultScopes } = store.http ?? store.command ?? {};
    return scopes.includes(scope);
  }
}

// One world may serve many attempts; evidence shows the last requests only.
const storeStepsKept = 50;

/** The tenant that a profile describes, as one attempt uses it beside others: with a prefix for its names. */
class ProfiledWorld implements World {
  readonly id = 'profile';
  readonly arranged = '';
  readonly faults = [];
  readonly setKeyInfo = makeUnavailable('feature:key_info');
  readonly setGuardrail = makeUnavailable('feature:guardrail');
  readonly setFreeUsage = makeUnavailable('feature:free_usage');
  readonly setCredit = makeUnavailable('feature:credit');
  readonly setUsage = makeUnavailable('feature:usage');
  readonly lists = makeUnavailable('inspect');
  readonly findUnlisted = makeUnavailable('inspect');
  readonly storeSteps: StoreStep[] = [];
  names = new FreshNames();
  #isClosed = false;

  constructor(
    private readonly target: ProfiledTarget,
    readonly prefix: string,
    private readonly onClosed: () => void = () => undefined,
  ) {}

  get workspaceId(): string | undefined {
    return this.target.profile.guardrail?.workspace_id;
  }

  get foreignKey(): string | undefined {
    return this.target.foreignKey;
  }

  guardrailId(): string {
    return this.target.profile.guardrail?.id ?? refuse('guardrail');
  }

  key(role: Role): string {
    return this.target.profile.keys[role] ?? refuse(`role:${role}`);
  }

  assertOwnKey(): void {
    // There is no other world.
  }

  isKey(text: string): boolean {
    const { keys, store } = this.target.profile;
    const ofScopes = Object.values(store?.scopes ?? {}).map(({ key }) => key);
    return [...Object.values(keys), ...ofScopes].includes(text);
  }

  intern(intern: Intern): string {
    return this.target.profile.interns[intern] ?? refuse(`intern:${intern}`);
  }

  async store(scope: Scope, given?: string): Promise<string> {
    const { canaries, stored, time, settleMs } = this.target;
    const store = this.target.chooseStorer(scope);
    if (store === undefined) return refuse('store');
    if (!this.target.stores(scope))
      return refuse(scope === 'own' || scope === 'sibling' ? `intern:${scope}` : `scope:${scope}`);
    if (store instanceof NameList) return given === undefined ? store.next(scope) : refuse('store:named');
    const intern = scope === 'workspace' ? undefined : this.intern(scope);
    const name = given ?? this.names.next();
    const leftover = { kind: 'secret', scope, intern, name } as const;
    const isNew = !stored.has(leftover);
    if (isNew) stored.set(leftover);
    const step = store.describe({ scope, intern, name, value: 'stored-value' });
    this.storeSteps.push({ name, at: Date.now(), step });
    if (this.storeSteps.length > storeStepsKept) this.storeSteps.shift();
    try {
      const secret = { scope, intern, name, value: canaries.next() };
      await store.store(secret, time.finishing, { queuedUntil: time.over });
    } catch (error) {
      // After any other error nothing was sent: the run was stopped, or out of requests.
      const mayBeStored = error instanceof StoreError && error.mayBeStored;
      if (isNew && !mayBeStored) stored.remove(leftover);
      throw error;
    }
    if (settleMs > 0) await sleep(settleMs, undefined, { signal: time.over });
    return name;
  }

  readonly earlierFaults = [];

  setFaults(): Promise<never> {
    return Promise.reject(new NotShown(makeReason('lacking', 'faults (control protocol)')));
  }

  waitAfterSettings(): void {
    // Nothing can be set.
  }

  verifyClaims(): void {
    // Nothing is claimed.
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onClosed();
  }
}

/** Makes a method that only a control protocol could implement. */
function makeUnavailable(need: Need): () => Promise<never> {
  return () => Promise.reject(new Unavailable(need));
}

function refuse(need: Need): never {
  throw new Unavailable(need);
}
