import type { Role } from './vocabulary.js';

/** What a key and its account are like, as far as an answer depends on it. */
export interface Traits {
  /** §5: management keys read guardrails, provisioning keys may not call the vault. */
  readonly kind: 'api' | 'management' | 'provisioning';
  readonly enabled: boolean;
  /** Whether it is the token of an OAuth session that has expired (§7.3). */
  readonly expired: boolean;
  /** Whether the key selects a usable workspace (§5.4). */
  readonly scoped: boolean;
  /** Whether the caller takes part in the intern programme (§5.4). */
  readonly inProgramme: boolean;
  /** Whether the caller may write to the vault (§4.1). */
  readonly vaultWrites: boolean;
  /** Whether the key's own credit limit is used up (§8.1.2). */
  readonly limitUsedUp: boolean;
  /** Balance of the account in USD (§8.1.1). */
  readonly balance: number;
  /** Credits that the account has bought, all time (§8.2). */
  readonly purchased: number;
}

const MEMBER: Traits = {
  kind: 'api',
  enabled: true,
  expired: false,
  scoped: true,
  inProgramme: true,
  vaultWrites: true,
  limitUsedUp: false,
  balance: 40,
  purchased: 100,
};

/** Every role's traits: each differs from `member` only as the control protocol says. */
export const ROLE_TRAITS: Readonly<Record<Role, Traits>> = {
  member: MEMBER,
  management: { ...MEMBER, kind: 'management' },
  provisioning: { ...MEMBER, kind: 'provisioning' },
  unscoped: { ...MEMBER, scoped: false },
  outsider: { ...MEMBER, inProgramme: false },
  disabled: { ...MEMBER, enabled: false },
  write_disabled: { ...MEMBER, vaultWrites: false },
  exhausted: { ...MEMBER, limitUsedUp: true },
  overdrawn: { ...MEMBER, balance: -3.5 },
  free_small: { ...MEMBER, balance: 0, purchased: 0 },
  free_large: { ...MEMBER, balance: 12, purchased: 25 },
  free_large_exactly: { ...MEMBER, balance: 2, purchased: 10 },
  free_small_second: { ...MEMBER, balance: 0, purchased: 0 },
  expired_session: { ...MEMBER, expired: true },
};
