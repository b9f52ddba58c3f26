import { setTimeout as sleep } from 'node:timers/promises';
import { describeNeed, type Need } from '../spec/need.js';
import { makeReason } from '../spec/reasons.js';
import type { Credit, Fault, Intern, Role, Scope, UsageRecord } from '../spec/vocabulary.js';
import type { ControlClaims } from './control-claims.js';
import {
  type ControlClient,
  ControlContradiction,
  ControlError,
  ControlRefusal,
  type StoredSecret,
  type WorldDescription,
} from './control-client.js';
import type { NotedExchange } from './exchange.js';
import type { KnownKeys } from './leak-detection.js';
import { shortestCanary } from './leak-detection.js';
import { keyVariable } from './profile/given-values.js';
import type { Target } from './target.js';
import { FreshNames, NotShown, Unavailable, type World } from './world.js';
import { differenceLastsMs, lookUntil, WorldState } from './world-state.js';

interface ControlWorldOptions {
  readonly target: Pick<Target, 'canaries' | 'redactor' | 'refused' | 'lacks' | 'settingMs'>;
  readonly control: ControlClient;
  readonly keys: KnownKeys;
  /** Deletes the world; never throws. */
  readonly remove: () => Promise<void>;
  readonly claims: ControlClaims;
  /** Waits as long as a store or a setting takes to have its effect on every server of the target. */
  readonly settle: () => Promise<void>;
  /** Whether the control says that it stores in a scope. */
  readonly stores: (scope: Scope) => boolean;
}

/** A world that the target's control protocol made, and will delete. */
export class ControlWorld implements World {
  #closed: Promise<void> | undefined;
  #faults: readonly Fault[] = [];
  readonly #everSet = new Set<Fault>();
  /** Settings of roles, by kind. */
  readonly #settings = new Map<string, string>();
  #verifies = false;
  #findSettingWaitMs = () => 0;
  readonly #state: WorldState;

  constructor(
    private readonly description: WorldDescription,
    private readonly means: ControlWorldOptions,
  ) {
    for (const [role, key] of Object.entries(description.keys)) {
      means.target.redactor.register(key, `$${keyVariable(role)}`);
      means.keys.add(key, description.id);
    }
    this.#state = new WorldState({ interns: description.interns, list: () => unlessRefused(this.#list()) });
  }

  get #isInspectable(): boolean {
    return this.means.target.lacks('inspect') === undefined;
  }

  get state(): WorldState | undefined {
    return this.#isInspectable ? this.#state : undefined;
  }

  /**
   * Notes a request that may name an intern of this world.
   * @param url its URL in lower case
   */
  noteExchange(exchange: NotedExchange, url: string): void {
    if (this.#state.concerns(url)) this.#state.noteAnswer(exchange);
  }

  get id(): string {
    return this.description.id;
  }

  lastSetAt = performance.now();
  readonly prefix = '';
  names = new FreshNames();

  get workspaceId(): string | undefined {
    return this.description.workspace_id;
  }

  guardrailId(): string {
    return this.description.guardrail_id ?? this.#missing('guardrail');
  }

  key(role: Role): string {
    return this.description.keys[role] ?? this.#missing(`role:${role}`);
  }

  assertOwnKey(role: Role): void {
    if (this.means.keys.isShared(this.key(role)))
      throw new NotShown(
        makeReason('lacking', `a key of the role ${role} for each world, shared by no other`),
      );
  }

  isKey(text: string): boolean {
    return this.means.keys.has(text);
  }

  intern(intern: Intern): string {
    return this.description.interns[intern] ?? this.#missing(`intern:${intern}`);
  }

  async store(scope: Scope, name = this.names.next(), value?: string): Promise<string> {
    const { target, stores } = this.means;
    if (!stores(scope)) throw new Unavailable(`scope:${scope}`);
    const call = `PUT /worlds/{id}/secrets/${scope}/{name}`;
    // Responses are searched for canaries only, so a value that is long enough to be one is appended to one.
    const isShort = value !== undefined && value.length < shortestCanary;
    const text = isShort ? value : `${target.canaries.next()}${value ?? ''}`;
    const what = `secrets/${scope}/${encodeURIComponent(name)}`;
    const store = () => this.#put(what, { value: text });
    await this.#ask(call, `scope:${scope}`, store).catch((error: unknown) => {
      this.#state.noteStored(scope, name, { isConfirmed: false });
      throw error;
    });
    this.#state.noteStored(scope, name, { isConfirmed: value === undefined });
    if (this.#verifies) await this.#verifyStored(call, scope, name);
    return name;
  }

  async lists(scope: Scope, name: string, isDue = true): Promise<boolean> {
    return (await this.findUnlisted([{ scope, name }], isDue ? 0 : 1)).length === 0;
  }

  /** @param due how many should be missing; it looks again for a while until that many are */
  findUnlisted<Secret extends StoredSecret>(secrets: readonly Secret[], due = 0): Promise<readonly Secret[]> {
    const look = async (): Promise<readonly Secret[]> => {
      const listed = await this.#list();
      return secrets.filter(
        (one) => !listed.some(({ scope, name }) => scope === one.scope && name === one.name),
      );
    };
    return lookUntil(look, ({ length }) => length === due, { lastsMs: differenceLastsMs });
  }

  #list(): Promise<readonly StoredSecret[]> {
    return this.#ask('GET /worlds/{id}/secrets', 'inspect', () => this.means.control.secrets(this.id));
  }

  async setKeyInfo(role: Role, fields: Readonly<Record<string, unknown>>): Promise<void> {
    this.assertOwnKey(role);
    await this.#set(`keys/${role}/info`, 'feature:key_info', fields);
  }

  setGuardrail(fields: Readonly<Record<string, unknown>>): Promise<void> {
    return this.#set('guardrail', 'feature:guardrail', fields);
  }

  get faults(): readonly Fault[] {
    return this.#faults;
  }

  get earlierFaults(): readonly Fault[] {
    return [...this.#everSet].filter((fault) => !this.#faults.includes(fault));
  }

  get arranged(): string {
    return [...this.#faults, ...this.#settings.values()].join(' ');
  }

  async setFaults(...faults: readonly Fault[]): Promise<void> {
    const { claims } = this.means;
    const [fault] = faults;
    if (fault === undefined) {
      if (this.#faults.length === 0) return;
      await this.#apply('faults', { faults: [] });
      this.#faults = [];
      return;
    }
    if (!this.#verifies && faults.join() === this.#faults.join()) return;
    const call = `PUT /worlds/{id}/faults {"faults":["${faults.join('","')}"]}`;
    if (claims.isKnownToIgnoreFaults) throw ignoredFault(call);
    await this.#ask(call, `fault:${fault}`, () => this.#apply('faults', { faults }));
    this.#faults = faults;
    for (const one of faults) this.#everSet.add(one);
    if (this.#verifies && (await claims.ignoresFaults())) throw ignoredFault(call);
  }

  async setFreeUsage(role: Role, minute: number, day: number): Promise<void> {
    this.assertOwnKey(role);
    await this.#set('free-usage', 'feature:free_usage', { role, minute, day }, `"role":"${role}"`);
    this.#settings.set(`free usage of ${role}`, `${role} ${minute}/${day}`);
  }

  async setCredit(role: Role, credit: Credit): Promise<void> {
    this.assertOwnKey(role);
    const [name, value] = Object.entries(credit)[0] ?? [];
    await this.#set('credit', 'feature:credit', { role, ...credit }, `"role":"${role}","${name}"`);
    this.#settings.set(`${name} of ${role}`, `${role} ${name} ${value}`);
  }

  async setUsage(role: Role, records: readonly UsageRecord[]): Promise<void> {
    this.assertOwnKey(role);
    await this.#set('usage', 'feature:usage', { role, records }, `"role":"${role}"`);
    this.#settings.set(`usage of ${role}`, `${role} ${records.length} records`);
  }

  verifyClaims(): void {
    this.#verifies = true;
  }

  waitAfterSettings(findMs: () => number): void {
    this.#findSettingWaitMs = findMs;
  }

  close(): Promise<void> {
    this.#closed ??= this.means.remove();
    return this.#closed;
  }

  /** @param detail the part of the body that distinguishes the call from others with the same path */
  #set(what: string, need: Need, body: unknown, detail?: string): Promise<void> {
    const call = `PUT /worlds/{id}/${what}${detail === undefined ? '' : ` {${detail}}`}`;
    return this.#ask(call, need, () => this.#apply(what, body));
  }

  async #apply(what: string, body: unknown): Promise<void> {
    await this.#put(what, body);
    this.lastSetAt = performance.now();
    const waitMs = Math.max(this.#findSettingWaitMs(), this.means.target.settingMs ?? 0);
    if (waitMs > 0) await sleep(waitMs);
  }

  async #put(what: string, body: unknown): Promise<void> {
    await this.means.control.set(this.id, what, body);
    await this.means.settle();
  }

  /** Makes an optional call. Throws Unavailable where the target refuses one that it has never granted. */
  async #ask<T>(call: string, need: Need, send: () => Promise<T>): Promise<T> {
    const { refused } = this.means.target;
    const why = refused.explainRefusal(call);
    if (why !== undefined) throw new Unavailable(need, why);
    try {
      const value = await send();
      refused.noteGranted(call, need);
      return value;
    } catch (error) {
      if (!(error instanceof ControlRefusal) || refused.isGranted(call)) throw error;
      const { status } = error;
      throw new Unavailable(need, refused.noteRefused({ need, call, status, world: this.id }));
    }
  }

  /** All worlds of a target are alike: what one lacks is not requested from another. */
  #missing(need: Need): never {
    this.means.target.refused.ruleOut(need, describeNeed(need));
    throw new Unavailable(need);
  }

  async #verifyStored(call: string, scope: Scope, name: string): Promise<void> {
    if (!this.#isInspectable) return;
    if ((await unlessRefused(this.lists(scope, name))) === false)
      throw new ControlContradiction(
        `the control call ${call} was answered 204, but GET /worlds/{id}/secrets does not list the secret`,
        'secrets',
      );
    const misnamed = (await this.means.claims.findMisnamedInterns()).get(scope);
    if (misnamed !== undefined) throw new ControlContradiction(misnamed, 'secrets');
  }
}

/** Returns the result of a control call; undefined where the control refuses it or fails. */
async function unlessRefused<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof NotShown || error instanceof ControlError) return undefined;
    throw error;
  }
}

function ignoredFault(call: string): ControlContradiction {
  return new ControlContradiction(
    `the control call ${call} was answered 204, but no fault that the control offers takes hold: every request that meets one succeeds and takes effect`,
    'faults',
  );
}
