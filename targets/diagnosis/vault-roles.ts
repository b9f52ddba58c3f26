import type { Role } from '../../spec/vocabulary.js';
import type { Received } from '../client.js';
import { outcome } from './asker.js';
import type { Finding } from './findings.js';
import { isTrouble } from './keys.js';

/** The roles that differ in what a vault delete gets. */
export type VaultRole = Extract<
  Role,
  'member' | 'provisioning' | 'unscoped' | 'outsider' | 'disabled' | 'write_disabled'
>;

/** What each role gets for the delete of a secret that is stored (§5.4, §7.1). */
export const statusOf: Readonly<Record<VaultRole, number>> = {
  member: 204,
  provisioning: 401,
  unscoped: 403,
  outsider: 404,
  disabled: 401,
  write_disabled: 503,
};

/** What a delete by the key of a role came to. */
export interface VaultTrial {
  readonly role: VaultRole;
  readonly received: Received;
  /** Whether the secret was stored: a name that nobody stored is 404 for everybody, whatever else is wrong. */
  readonly isStored: boolean;
  /** Whether GET /key accepts the key. */
  readonly isKnown: boolean;
}

/** What a delete tells of a key other than `member`. */
export function roleFinding(trial: VaultTrial): Finding {
  const { role, received, isStored, isKnown } = trial;
  const what = `keys.${role}`;
  const due = statusOf[role];
  const status = received.answer?.status;
  const secret = isStored ? 'a stored secret' : 'a name that nobody stored';
  const got = `its delete of ${secret} gets ${outcome(received)}`;
  if (status === due && (isStored || status !== 404)) {
    if (role === 'provisioning' && !isKnown) {
      const text = `${got}, and so does GET /key: it cannot be told from an unknown key`;
      return { what, state: 'note', text, todo: 'Make sure that it is a provisioning key' };
    }
    return { what, state: 'ok', text: `${got}, as the role does` };
  }
  if (!isStored && status === 404) {
    const text = `${got}, which tells nothing of the key`;
    return {
      what,
      state: 'note',
      text,
      todo: 'A recipe that stores (store.http or store.command) would tell',
    };
  }
  if (isTrouble(received) && status !== 503)
    return { what, state: 'wrong', text: `${got}, which tells nothing of the key`, todo: 'Try again later' };
  const other = behavesAs(trial);
  const like = other === undefined ? '' : `: it behaves as ${other}`;
  return {
    what,
    state: 'wrong',
    text: `${got} in place of ${due}${like}`,
    todo: `Give a key of the role ${role}`,
  };
}

/** The role that a key behaves as, in words. */
export function behavesAs({ received, isStored, isKnown }: VaultTrial): string | undefined {
  switch (received.answer?.status) {
    case 204:
      return 'a member key';
    case 401:
      return isKnown ? 'a provisioning key' : 'a disabled or unknown key';
    case 403:
      return 'a key without workspace scope (unscoped)';
    case 404:
      return isStored ? 'a key outside the intern programme (outsider)' : undefined;
    case 503:
      return 'a key with vault writes disabled (write_disabled)';
    default:
      return undefined;
  }
}
