import { randomUUID } from 'node:crypto';
import { Balance } from './credit.js';
import { FreeUsage } from './free-usage.js';
import { startingGuardrail } from './guardrail.js';
import type { JsonObject } from './json.js';
import { startingKeyInformation } from './key-information.js';
import { randomKey } from './random-key.js';
import { ROLE_TRAITS, type Traits } from './role-traits.js';
import type { UsageRecord } from './usage-records.js';
import type { Fault, Intern, Role, Scope } from './vocabulary.js';

/** One API key of a world, and the account behind it. */
export interface Key {
  readonly text: string;
  readonly role: Role;
  readonly world: World;
  readonly traits: Traits;
  /** What `GET /key` reports (§2.2). */
  readonly information: JsonObject;
  readonly usage: FreeUsage;
  readonly balance: Balance;
  /** What is left of the key's own limit, where the control has set it (§8.1.2). */
  limitRemaining?: number;
  /** What its usage figures are computed from, where the control has set it (§2.2). */
  records?: readonly UsageRecord[];
}

/** An isolated tenant, held in memory. */
export interface World {
  readonly id: string;
  readonly label: string;
  readonly workspaceId: string;
  readonly interns: Readonly<Record<Intern, string>>;
  readonly guardrailId: string;
  /** What the guardrail read answers (§2.1). */
  readonly guardrail: JsonObject;
  readonly keys: ReadonlyMap<Role, Key>;
  /** Values by scope and name. */
  readonly secrets: Readonly<Record<Scope, Map<string, string>>>;
  /** The faults in force, in the order they were given. */
  faults: readonly Fault[];
  /** When it expires, in milliseconds as the store counts them. */
  readonly expiresAt: number;
}

/** What a new world is made from. `now` is in milliseconds since 1970. */
export interface WorldOptions {
  readonly label: string;
  readonly roles: readonly Role[];
  /** The keys that are not this world's alone. */
  readonly sharedKeys: ReadonlyMap<Role, string>;
  readonly now: number;
  readonly expiresAt: number;
}

/** Makes a world with a key for each role, three interns, a guardrail and no secrets. */
export function makeWorld({ label, roles, sharedKeys, now, expiresAt }: WorldOptions): World {
  const workspaceId = randomUUID();
  const guardrailId = randomUUID();
  const keys = new Map<Role, Key>();
  const world: World = {
    id: `w-${randomUUID()}`,
    label,
    workspaceId,
    interns: makeInterns(),
    guardrailId,
    guardrail: startingGuardrail(guardrailId, workspaceId, now),
    keys,
    secrets: { workspace: new Map(), own: new Map(), sibling: new Map(), foreign: new Map() },
    faults: [],
    expiresAt,
  };
  for (const role of roles) keys.set(role, makeKey(role, world, sharedKeys.get(role) ?? randomKey()));
  return world;
}

function makeKey(role: Role, world: World, text: string): Key {
  return {
    text,
    role,
    world,
    traits: ROLE_TRAITS[role],
    information: startingKeyInformation(role),
    ...accountOf(role, world),
  };
}

/** What the keys of one account share. */
function accountOf(role: Role, world: World): Pick<Key, 'usage' | 'balance'> {
  const other = role === 'free_small_second' ? world.keys.get('free_small') : undefined;
  return {
    usage: other?.usage ?? new FreeUsage(),
    balance: other?.balance ?? new Balance(ROLE_TRAITS[role].balance),
  };
}

// The sibling shares its first block with own: a server that compares a prefix takes one for the other.
function makeInterns(): Record<Intern, string> {
  const own = randomUUID();
  return { own, sibling: own.slice(0, 8) + randomUUID().slice(8), foreign: randomUUID() };
}
