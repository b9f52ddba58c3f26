import { randomBytes, randomUUID } from 'node:crypto';
import { type Balance, FreeUsage, type UsageRecord } from './accounts.js';
import type { Fault, Intern, JsonObject, Scope } from './vocabulary.js';

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
interface WorldOptions extends Pick<World, 'label' | 'expiresAt'> {
  /** The text of each role's key. */
  readonly texts: Iterable<readonly [Role, string]>;
  readonly now: number;
}

/** Makes a world with a key for each role, three interns, a guardrail and no secrets. */
export function makeWorld({ label, texts, now, expiresAt }: WorldOptions): World {
  const workspaceId = randomUUID();
  const guardrailId = randomUUID();
  const keys = new Map<Role, Key>();
  const world: World = {
    id: `w-${randomUUID()}`,
    label,
    workspaceId,
    interns: makeInterns(),
    guardrailId,
    guardrail: makeGuardrail(guardrailId, workspaceId, now),
    keys,
    secrets: { workspace: new Map(), own: new Map(), sibling: new Map(), foreign: new Map() },
    faults: [],
    expiresAt,
  };
  for (const [role, text] of texts) keys.set(role, makeKey(role, world, text));
  return world;
}

function makeKey(role: Role, world: World, text: string): Key {
  const traits = ROLE_TRAITS[role];
  const { balance: amount } = traits;
  // The second key of an account shares what is the account's.
  const first = role === 'free_small_second' ? world.keys.get('free_small') : undefined;
  const { usage = new FreeUsage(), balance = { amount, isOwed: amount < 0 } } = first ?? {};
  return { text, role, world, traits, information: makeKeyInformation(role), usage, balance };
}

// The sibling shares its first block with own: a server that compares a prefix takes one for the other.
function makeInterns(): Record<Intern, string> {
  const own = randomUUID();
  return { own, sibling: own.slice(0, 8) + randomUUID().slice(8), foreign: randomUUID() };
}

/** What a key and its account are like, as far as an answer depends on it. */
type Traits = Readonly<typeof USUAL> & {
  /** What a fresh key says that it used (§2.2): of all time, in the month, the week and the day. */
  readonly usage: readonly [number, number, number, number];
};

const USUAL = {
  /** §5: management keys read guardrails, provisioning keys may not call the vault. */
  kind: 'api' as 'api' | 'management' | 'provisioning',
  enabled: true,
  /** Whether it is the token of an OAuth session that has expired (§7.3). */
  expired: false,
  /** Whether the key selects a usable workspace (§5.4). */
  scoped: true,
  /** Whether the caller takes part in the intern programme (§5.4). */
  inProgramme: true,
  /** Whether the caller may write to the vault (§4.1). */
  vaultWrites: true,
  /** Whether the key's own credit limit is used up (§8.1.2). */
  limitUsedUp: false,
  /** Balance of the account in USD (§8.1.1). */
  balance: 40,
  /** Credits that the account has bought, all time (§8.2). */
  purchased: 100,
  /** What a fresh key says of its limit (§2.2): `limit`, `limit_reset` and `limit_remaining`. */
  limits: [null, null, null] as readonly [number | null, string | null, number | null],
};

/**
 * Every role's traits: each differs from `member` only as the control protocol says. No two share a figure of usage, so that
 * one key's cannot pass for another's.
 */
const ROLE_TRAITS = {
  member: { ...USUAL, usage: [25.5, 12.25, 6.5, 1.75], limits: [100, null, 74.5] },
  management: { ...USUAL, kind: 'management', usage: [3, 2, 1, 0.5] },
  provisioning: { ...USUAL, kind: 'provisioning', usage: [4, 2.5, 1.5, 0.25] },
  unscoped: { ...USUAL, scoped: false, usage: [7.5, 5, 4.5, 2.25] },
  outsider: { ...USUAL, inProgramme: false, usage: [9, 8, 3.5, 1.25], limits: [20, 'monthly', 12] },
  disabled: { ...USUAL, enabled: false, usage: [11, 3, 2, 0.75] },
  write_disabled: { ...USUAL, vaultWrites: false, usage: [13, 6, 5, 3], limits: [50, 'weekly', 45] },
  exhausted: { ...USUAL, limitUsedUp: true, usage: [30, 10, 7, 4], limits: [10, 'monthly', 0] },
  overdrawn: { ...USUAL, balance: -3.5, usage: [103.5, 40, 20, 8] },
  free_small: { ...USUAL, balance: 0, purchased: 0, usage: [0, 0, 0, 0] },
  free_large: { ...USUAL, balance: 12, purchased: 25, usage: [14, 9, 5.5, 2.5] },
  free_large_exactly: { ...USUAL, balance: 2, purchased: 10, usage: [8, 7, 4.25, 3.25] },
  free_small_second: { ...USUAL, balance: 0, purchased: 0, usage: [0.5, 0.375, 0.25, 0.125] },
  expired_session: { ...USUAL, expired: true, usage: [12, 11, 6, 5] },
} satisfies Readonly<Record<string, Traits>>;

/** The roles a key of a world can have, in the order of the control protocol. */
export const ROLES = Object.keys(ROLE_TRAITS) as readonly Role[];
export type Role = keyof typeof ROLE_TRAITS;

/** Key information (§2.2) of a fresh key of this role; the caller may change it. */
function makeKeyInformation(role: Role): JsonObject {
  const { usage: figures, limits, purchased } = ROLE_TRAITS[role];
  const [usage, monthly, weekly, daily] = figures;
  const [limit, limit_reset, limit_remaining] = limits;
  const information: JsonObject = {
    label: `sk-...${role}`,
    ...{ limit, limit_reset, limit_remaining },
    include_byok_in_limit: false,
    usage,
    usage_daily: daily,
    usage_weekly: weekly,
    usage_monthly: monthly,
    byok_usage: usage / 2,
    byok_usage_daily: daily / 2,
    byok_usage_weekly: weekly / 2,
    byok_usage_monthly: monthly / 2,
    is_free_tier: purchased === 0,
  };
  // Deprecated (§2.2): present on some keys, absent on others.
  if (role === 'member') information.rate_limit = { requests: -1, interval: '10s' };
  return information;
}

/** The guardrail (§2.1) of a fresh world. `now` is in milliseconds since 1970; the caller may change the object. */
export function makeGuardrail(id: string, workspaceId: string, now: number): JsonObject {
  const moment = new Date(now).toISOString();
  return {
    id,
    workspace_id: workspaceId,
    name: 'Production',
    description: 'Applies to every key of the workspace',
    allowed_models: null,
    allowed_providers: ['acme', 'borealis'],
    ignored_models: null,
    ignored_providers: null,
    limit_usd: 50,
    reset_interval: 'monthly',
    include_byok_in_budgets: false,
    enforce_zdr: null,
    enforce_zdr_acme: false,
    enforce_zdr_borealis: false,
    enforce_zdr_cobalt: true,
    enforce_zdr_dune: false,
    enforce_zdr_other: false,
    enable_free_model_publication: false,
    enable_free_model_training: false,
    enable_paid_model_training: false,
    content_filter_builtins: [{ slug: 'email', label: '[EMAIL]', action: 'redact' }],
    content_filters: null,
    created_at: moment,
    updated_at: moment,
  };
}

/** An API key nobody can guess: `sk-` and 48 letters and digits. */
export function randomKey(): string {
  // 128 characters of base64; four of them are removed on average.
  const letters = randomBytes(96).toString('base64').replace(/[+/]/g, '');
  return `sk-${letters.slice(0, 48)}`;
}
