import { setTimeout as sleep } from 'node:timers/promises';
import { ControlError } from '../targets/control-client.js';
import type { Names, Target } from '../targets/target.js';
import type { World } from '../targets/world.js';
import type { Attempt } from './finding.js';
import { maxWorlds, vaultRequestsPerWorld } from './run-limits.js';

/**
 * Attempts that may share worlds with one another. Those of `spoiled` may leave a world in an unknown state and rely only
 * on what they arranged themselves; those of `faulty` each set a fault and leave it set. Those of `settings` take a plain
 * world and leave settings that would mislead others, so that none may use it afterwards.
 */
export type Pool = 'plain' | 'settings' | 'free-usage' | 'names' | 'spoiled' | 'faulty';

// The most vault requests of a check that does not declare its own number.
const defaultVaultRequests = 13;

/** The world that an attempt asks for. */
export interface WorldRequest<User = unknown> {
  readonly user?: User | undefined;
  /** Names the world in the logs of the target. */
  readonly label: string;
  /** The attempts with which it may share the world; a fresh world where absent. */
  readonly pool?: Pool | undefined;
  /** The most vault requests that the attempt sends; the usual number where absent. */
  readonly vaultRequests?: number | undefined;
  /** Whether it belongs to the opening, in which attempts share worlds even with chosen names, to save requests. */
  readonly isOpening?: boolean;
  readonly names?: Names;
  /** Whether there are many more like it; then it waits until all others have their worlds. */
  readonly isOneOfMany?: boolean | undefined;
  /** Whether the attempt holds a world already. It must not ask for a third. */
  readonly isSecond?: boolean;
}

/** A world that an attempt uses until it releases it. */
export interface Lease {
  readonly world: World;
  /** Passes the world on, or closes it where it is used up. `made` is absent where the attempt threw. */
  readonly release: (made?: Attempt) => Promise<void>;
}

/** One use of a world, with the range of the secrets that it stored. */
export interface WorldUse<User> {
  readonly user: User;
  readonly storedFrom: number;
  storedTo: number;
}

interface PooledWorld<User> {
  readonly world: World;
  readonly uses: WorldUse<User>[];
  used: number;
}

interface Waiting<User> {
  readonly request: WorldRequest<User>;
  readonly room: number;
  /** Equal for all requests that the same worlds can serve. */
  readonly worldKind: string;
  readonly resolve: (lease: Lease) => void;
  readonly reject: (reason: unknown) => void;
}

// Free models serve an account twenty requests a minute, so fewer checks that use them may share a world.
const weightOfInference = 3;

// Of this many worlds, one is reserved as a second world, so that attempts that hold a first rarely block one another.
const worldsPerReserved = 8;

// After a refusal, the limit rises by one each time that this many worlds were opened.
const openedPerRise = 20;

// After so many unanswered calls in a row, the pause before each call grows: otherwise a control that is down would get
// thousands of them.
const unansweredAtOnce = 8;
const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** How many worlds may be open at a time: as many as the run may use, or fewer where the target refuses more. */
class Allowance {
  #now: number;
  #openedSince = 0;

  constructor(private readonly atMost: number) {
    this.#now = atMost;
  }

  /** Whether the target opens fewer worlds at a time than the run may use. */
  get hasFewWorlds(): boolean {
    return this.#now < this.atMost;
  }

  allows(open: number, { isSecond = false }: WorldRequest): boolean {
    const reservesNone = isSecond || this.#now === Number.POSITIVE_INFINITY;
    const reserved = reservesNone ? 0 : Math.min(Math.ceil(this.#now / worldsPerReserved), this.#now - 1);
    return open < this.#now - reserved;
  }

  noteOpened(): void {
    this.#openedSince += 1;
    if (this.#openedSince % openedPerRise === 0) this.#now = Math.min(this.#now + 1, this.atMost);
  }

  /** Notes that no other world was opened beside those that are. */
  noteRefused(open: number): void {
    this.#now = Math.min(this.#now, open);
    this.#openedSince = 0;
  }
}

/**
 * The worlds of a run: a few at a time, used by one attempt after another until they have had their share of requests.
 * Without the control protocol there is one tenant, with any number of views.
 */
export class WorldPool<User = unknown> {
  readonly #allowance: Allowance;
  #refusal: ControlError | undefined;
  #opening = 0;
  /** Calls for a world since the last one that was answered. */
  #unanswered = 0;
  readonly #idle = new Map<PooledWorld<User>, Pool>();
  #waiting: Waiting<User>[] = [];
  #waitingOfMany: Waiting<User>[] = [];
  #open = 0;
  readonly #closing = new Set<Promise<void>>();

  constructor(
    private readonly target: Pick<Target, 'controlled' | 'openWorld'>,
    private readonly signal: AbortSignal,
    /** Looks at a world before it is closed. */
    private readonly audit?: (world: World, uses: readonly WorldUse<User>[]) => Promise<void>,
  ) {
    this.#allowance = new Allowance(target.controlled ? maxWorlds : Number.POSITIVE_INFINITY);
    signal.addEventListener('abort', () => this.#rejectWaiting(), { once: true });
  }

  /** Whether attempts wait for one another's worlds, since the target opens few at a time. */
  get hasFewWorlds(): boolean {
    return this.#allowance.hasFewWorlds;
  }

  /** Leases a world as soon as there is one. Rejects as `Target.openWorld` does, and once the run must stop. */
  async lease(request: WorldRequest<User>): Promise<Lease> {
    this.signal.throwIfAborted();
    const { isOneOfMany = false, isSecond = false, vaultRequests = defaultVaultRequests } = request;
    // A case declares only what it sends to its first world.
    const room = isSecond ? Math.max(vaultRequests, defaultVaultRequests) : vaultRequests;
    return new Promise((resolve, reject) => {
      const worldKind = `${choosePools(request).before} ${isSecond} ${room}`;
      (isOneOfMany ? this.#waitingOfMany : this.#waiting).push({ request, room, worldKind, resolve, reject });
      this.#serve();
    });
  }

  /** Closes the worlds that nobody uses; after it every world that was released has been audited. */
  async closeUnused(): Promise<void> {
    for (const idle of this.#idle.keys()) void this.#close(idle);
    this.#idle.clear();
    await Promise.all(this.#closing);
  }

  #serve(): void {
    this.#waiting = this.#serveEach(this.#waiting);
    // Makes room for these before one of many takes a world that they cannot use.
    this.#makeRoom(this.#waiting.length);
    this.#waitingOfMany = this.#serveEach(this.#waitingOfMany);
    this.#makeRoom(this.#waiting.length + this.#waitingOfMany.length);
    this.#endDeadlock();
  }

  /** Serves requests in order. Returns those that must wait. */
  #serveEach(waiting: readonly Waiting<User>[]): Waiting<User>[] {
    // Hundreds may wait for the same: what one did not get, the next does not get either.
    const inVain = new Set<string>();
    return waiting.filter((one) => {
      if (inVain.has(one.worldKind)) return true;
      if (this.#tryToServe(one)) return false;
      inVain.add(one.worldKind);
      return true;
    });
  }

  /** Closes idle worlds until so many places are about to be free. */
  #makeRoom(places: number): void {
    for (const idle of this.#idle.keys()) {
      if (this.#closing.size >= places) return;
      this.#idle.delete(idle);
      void this.#close(idle);
    }
  }

  #tryToServe(waiting: Waiting<User>): boolean {
    const known = this.#findFitting(waiting);
    if (known !== undefined) {
      this.#idle.delete(known);
      waiting.resolve(this.#lend(known, waiting.request));
      return true;
    }
    if (!this.#allowance.allows(this.#open, waiting.request)) return false;
    this.#open += 1;
    void this.#openFor(waiting);
    return true;
  }

  #findFitting({ request, room }: Waiting<User>): PooledWorld<User> | undefined {
    const pool = choosePools(request).before;
    let fullest: PooledWorld<User> | undefined;
    for (const [idle, known] of this.#idle) {
      const fits = known === pool && idle.used + room <= vaultRequestsPerWorld;
      if (fits && (fullest === undefined || idle.used > fullest.used)) fullest = idle;
    }
    return fullest;
  }

  async #openFor(waiting: Waiting<User>): Promise<void> {
    const { request, resolve } = waiting;
    this.#opening += 1;
    try {
      const world = await this.#openAfterPause(request).finally(() => {
        this.#opening -= 1;
      });
      this.#unanswered = 0;
      this.#allowance.noteOpened();
      resolve(this.#lend({ world, uses: [], used: 0 }, request));
    } catch (error) {
      this.#open -= 1;
      const isUnanswered = error instanceof ControlError && (error.status ?? 500) >= 500;
      this.#unanswered = isUnanswered ? this.#unanswered + 1 : 0;
      this.#retryOrReject(waiting, error);
      this.#serve();
    }
  }

  async #openAfterPause({ label, names }: WorldRequest): Promise<World> {
    const beyond = this.#unanswered - unansweredAtOnce;
    if (beyond >= 0) {
      const pauseMs = Math.min(firstPauseMs * 2 ** beyond, longestPauseMs);
      await sleep(pauseMs, undefined, { signal: this.signal });
    }
    return await this.target.openWorld(label, names);
  }

  /** Has a request wait until a world is closed, where the target may allow no more at a time; rejects it otherwise. */
  #retryOrReject(waiting: Waiting<User>, error: unknown): void {
    const isRefused = error instanceof ControlError && (error.status ?? 0) >= 400;
    if (!isRefused || this.#open === 0 || this.signal.aborted) {
      waiting.reject(error);
      return;
    }
    this.#allowance.noteRefused(this.#open);
    this.#refusal = error;
    if (waiting.request.isOneOfMany === true) this.#waitingOfMany.unshift(waiting);
    else this.#waiting.unshift(waiting);
  }

  /** Rejects a request where every attempt with a world waits for a second one. None of them would ever close its first. */
  #endDeadlock(): void {
    const seconds = this.#waiting.filter(({ request }) => request.isSecond === true);
    const free = this.#idle.size + this.#closing.size + this.#opening;
    const last = seconds.at(-1);
    if (last === undefined || free > 0 || seconds.length < this.#open) return;
    this.#waiting = this.#waiting.filter((one) => one !== last);
    last.reject(new ControlError(`${this.#refusal?.message}; some checks need two worlds at a time`));
  }

  #lend(pooled: PooledWorld<User>, request: WorldRequest<User>): Lease {
    const pool = choosePools(request).after;
    const countStored = () => pooled.world.state?.stored.length ?? 0;
    const { user } = request;
    const use = user === undefined ? undefined : { user, storedFrom: countStored(), storedTo: 0 };
    if (use !== undefined) pooled.uses.push(use);
    return {
      world: pooled.world,
      release: async (made) => {
        if (use !== undefined) use.storedTo = countStored();
        // An audit would find what the finding reports already.
        if (made !== undefined && made.findings.length > 0) pooled.uses.length = 0;
        if (made === undefined || pool === undefined || !isLeftClean(made, pooled.world))
          return this.#close(pooled);
        // An attempt that ended before its first request may have stored secrets, so the world no longer counts as unused.
        const least = pool === 'spoiled' ? 1 : 0;
        const { vaultRequests, isInference, requests } = made;
        pooled.used += Math.max(least, vaultRequests) + (isInference ? weightOfInference * requests : 0);
        if (pooled.used >= vaultRequestsPerWorld) return this.#close(pooled);
        this.#idle.set(pooled, pool);
        this.#serve();
      },
    };
  }

  async #close(pooled: PooledWorld<User>): Promise<void> {
    const closing = this.#auditAndGiveBack(pooled);
    this.#closing.add(closing);
    await closing;
    this.#closing.delete(closing);
    this.#open -= 1;
    this.#serve();
  }

  async #auditAndGiveBack({ world, uses }: PooledWorld<User>): Promise<void> {
    if (uses.length > 0) await this.audit?.(world, uses);
    await world.close();
  }

  #rejectWaiting(): void {
    const waiting = [...this.#waiting, ...this.#waitingOfMany];
    this.#waiting = [];
    this.#waitingOfMany = [];
    for (const { reject } of waiting) reject(this.signal.reason);
  }
}

/** The pool in which a request looks for a world, and the pool of that world afterwards; undefined where there is none. */
function choosePools({ pool, isOpening = false }: WorldRequest): {
  readonly before?: Pool;
  readonly after?: Pool;
} {
  if (pool === undefined) return {};
  if (pool === 'settings') return { before: 'plain' };
  return pool === 'names' && !isOpening
    ? { before: 'plain', after: 'spoiled' }
    : { before: pool, after: pool };
}

/** Whether an attempt leaves a world as others expect it: nothing went wrong but a false claim about faults. */
function isLeftClean({ findings, disturbed, contradicted, notShown }: Attempt, { arranged }: World): boolean {
  if (findings.length > 0 || notShown !== undefined) return false;
  return disturbed === undefined || (contradicted?.about === 'faults' && arranged === '');
}
