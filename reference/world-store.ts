import { type Key, makeWorld, type Role, randomKey, type World } from './world.js';

/** What a store needs to know. */
export interface WorldStoreOptions {
  /** How long a world lives, in milliseconds. */
  readonly ttlMs: number;
  /** The roles that each world has a key for. */
  readonly roles: readonly Role[];
  /** The roles for which every world is given the same key. */
  readonly sharedKeys?: readonly Role[];
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** The milliseconds that have passed, whatever becomes of the clock: a machine that sets it must lose no world. */
  readonly elapsed: () => number;
}

/** All worlds of one server. Expired worlds go when the store is next used. */
export class WorldStore {
  readonly #worlds = new Map<string, World>();
  readonly #keys = new Map<string, Key>();
  readonly #sharedKeys: ReadonlyMap<Role, string>;

  constructor(private readonly options: WorldStoreOptions) {
    const { sharedKeys = [] } = options;
    this.#sharedKeys = new Map(sharedKeys.map((role) => [role, randomKey()]));
  }

  /** Makes a world and takes its keys into the index. */
  open(label: string): World {
    this.#dropExpired();
    const { roles, ttlMs, now, elapsed } = this.options;
    const texts = roles.map((role) => [role, this.#sharedKeys.get(role) ?? randomKey()] as const);
    const world = makeWorld({ label, texts, now: now(), expiresAt: elapsed() + ttlMs });
    this.#worlds.set(world.id, world);
    for (const key of world.keys.values()) this.#keys.set(key.text, key);
    return world;
  }

  /** The world with this id, if it lives. */
  find(id: string): World | undefined {
    this.#dropExpired();
    return this.#worlds.get(id);
  }

  /** The key with exactly this text, if its world lives. */
  findKey(text: string): Key | undefined {
    this.#dropExpired();
    return this.#keys.get(text);
  }

  /** Drops a world with all that belongs to it; does nothing if it is already gone. */
  delete(id: string): void {
    const world = this.#worlds.get(id);
    if (world === undefined) return;
    this.#worlds.delete(id);
    const shared = [...this.#sharedKeys.values()];
    for (const { text } of world.keys.values()) if (!shared.includes(text)) this.#keys.delete(text);
  }

  /** Every living world, oldest first. */
  worlds(): Iterable<World> {
    this.#dropExpired();
    return this.#worlds.values();
  }

  /** Every key of every living world. */
  keys(): Iterable<Key> {
    this.#dropExpired();
    return this.#keys.values();
  }

  // All worlds live equally long and a Map keeps the order of insertion: the oldest come first.
  #dropExpired(): void {
    const elapsed = this.options.elapsed();
    for (const world of this.#worlds.values()) {
      if (world.expiresAt > elapsed) return;
      this.delete(world.id);
    }
  }
}

/** A world as the control protocol answers it. */
export type WorldView = ReturnType<typeof describeWorld>;

/** Describes a world as the control protocol shows it: no label, no secrets. */
export function describeWorld({ id, workspaceId, keys, interns, guardrailId }: World) {
  const texts = [...keys].map(([role, { text }]) => [role, text] as const);
  return {
    id,
    workspace_id: workspaceId,
    keys: Object.fromEntries(texts) as Readonly<Partial<Record<Role, string>>>,
    interns,
    guardrail_id: guardrailId,
  };
}
