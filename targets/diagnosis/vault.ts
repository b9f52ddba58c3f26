import type { Role } from '../../spec/vocabulary.js';
import type { Received } from '../client.js';
import type { Profile, StoredIntern } from '../profile/profile.js';
import { StoreError } from '../store-recipes.js';
import type { Target } from '../target.js';
import { freshName, type World } from '../world.js';
import { isTrouble, type KeyReadings } from './keys.js';
import { type Asker, type Finding, outcome } from './probe-client.js';

/** The roles that differ in what a vault delete gets. */
type VaultRole = Extract<
  Role,
  'member' | 'provisioning' | 'unscoped' | 'outsider' | 'disabled' | 'write_disabled'
>;

/** What each role gets for the delete of a secret that is stored (§5.4, §7.1). */
const statusOf: Readonly<Record<VaultRole, number>> = {
  member: 204,
  provisioning: 401,
  unscoped: 403,
  outsider: 404,
  disabled: 401,
  write_disabled: 503,
};

/** What a delete by the key of a role came to. */
interface VaultTrial {
  readonly role: VaultRole;
  readonly received: Received;
  /** Whether the secret was stored: a name that nobody stored is 404 for everybody, whatever else is wrong. */
  readonly isStored: boolean;
  /** Whether GET /key accepts the key. */
  readonly isKnown: boolean;
}

/** What the vault is examined with. */
export interface VaultMeans {
  readonly asker: Asker;
  readonly target: Target;
  readonly profile: Profile;
  readonly readings: KeyReadings;
  /** Whether secrets may be stored and deleted. */
  readonly mayDelete: boolean;
}

/** What deletes told of the keys, by role, and of the rest of the profile. */
export interface VaultExam {
  readonly byRole: ReadonlyMap<Role, Finding>;
  readonly findings: readonly Finding[];
}

const otherRoles = (Object.keys(statusOf) as VaultRole[]).filter((role) => role !== 'member');

/** Stores secrets of its own and deletes them with each key; nobody else's is touched. */
export async function examineVault(means: VaultMeans): Promise<VaultExam> {
  const { profile, mayDelete, target } = means;
  const { own } = profile.interns;
  const tried = [...otherRoles, 'member' as const].filter((role) => profile.keys[role] !== undefined);
  if (tried.length === 0) return { byRole: new Map(), findings: [] };
  if (own === undefined) return { byRole: new Map(), findings: [withoutIntern(tried)] };
  if (!mayDelete) return { byRole: new Map(), findings: [untried(tried, profile)] };
  const vault = new Vault(means, await target.openWorld('doctor'), own);
  return vault.examine();
}

/** Stores one secret and deletes it with the member key; tries no other key. */
export async function examineMemberDelete(means: VaultMeans): Promise<VaultExam> {
  const { own } = means.profile.interns;
  if (own === undefined || !means.mayDelete) return { byRole: new Map(), findings: [] };
  const vault = new Vault(means, await means.target.openWorld('doctor'), own);
  return vault.examineMember();
}

/** Stores a secret for the intern sibling and deletes it with the member key. */
export async function examineSibling(means: VaultMeans): Promise<readonly Finding[]> {
  const { own } = means.profile.interns;
  if (own === undefined || !means.mayDelete) return [];
  const vault = new Vault(means, await means.target.openWorld('doctor'), own);
  return (await vault.examineSibling()).findings;
}

function withoutIntern(tried: readonly VaultRole[]): Finding {
  return {
    what: tried.map((role) => `keys.${role}`).join(', '),
    state: 'note',
    text: 'not tried at the vault, since the profile names no intern own',
    todo: 'Give interns.own',
  };
}

function untried(tried: readonly VaultRole[], { store }: Profile): Finding {
  const whats = [...tried.map((role) => `keys.${role}`), ...(store === undefined ? [] : ['store'])];
  return {
    what: whats.join(', '),
    state: 'note',
    text: 'not tried at the vault, since the target is not on loopback and a DELETE is sent only where it is allowed',
    todo: 'Give --allow-destructive: only secrets that the doctor stores itself are deleted',
  };
}

class Vault {
  readonly #means: VaultMeans;
  readonly #world: World;
  readonly #own: string;
  readonly #byRole = new Map<Role, Finding>();
  readonly #findings: Finding[] = [];
  /** Whether a secret was stored and the member key deleted it: then a refusal says something. */
  #isProven = false;

  constructor(means: VaultMeans, world: World, own: string) {
    this.#means = means;
    this.#world = world;
    this.#own = own;
  }

  async examine(): Promise<VaultExam> {
    await this.examineMember();
    for (const role of otherRoles) await this.#examineRole(role);
    if (this.#isProven) await this.examineSibling();
    await this.#examineRegionalHost();
    return this.#exam;
  }

  get #exam(): VaultExam {
    return { byRole: this.#byRole, findings: this.#findings };
  }

  /** Whether the profile has a recipe for an intern; names that are given would be used up. */
  #hasRecipe(intern: StoredIntern): boolean {
    const { store, interns } = this.#means.profile;
    if (store === undefined || 'names' in store || interns[intern] === undefined) return false;
    return ('http' in store ? store.http.scopes : store.command.scopes).includes(intern);
  }

  async examineMember(): Promise<VaultExam> {
    const { profile, readings } = this.#means;
    const key = profile.keys.member;
    if (key === undefined || readings.get('member')?.answer?.status !== 200) return this.#exam;
    if (profile.store !== undefined && 'names' in profile.store) {
      const text = 'not tried, since each name that it gives can be deleted once';
      this.#findings.push({ what: 'store.names', state: 'note', text });
    }
    const name = await this.#stored('own');
    const received = await this.#means.asker.deleteSecret(this.#own, name ?? freshName(), { key });
    const trial: VaultTrial = { role: 'member', received, isStored: name !== undefined, isKnown: true };
    this.#isProven = name !== undefined && received.answer?.status === 204;
    this.#byRole.set('member', memberFinding(trial, name));
    if (this.#isProven) {
      const text = 'a secret is stored for the intern own, and the member key deletes it';
      this.#findings.push({ what: 'store', state: 'ok', text });
    }
    return this.#exam;
  }

  /** Stores a secret of the doctor's own; undefined where there is no way, or it fails, which is told. */
  async #stored(intern: StoredIntern): Promise<string | undefined> {
    if (!this.#hasRecipe(intern)) return undefined;
    try {
      return await this.#world.store(intern);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const todo = 'Compare it with a request that stores by hand';
      this.#findings.push({
        what: 'store',
        state: 'wrong',
        text: `for the intern ${intern}, ${error.message}`,
        todo,
      });
      return undefined;
    }
  }

  async #examineRole(role: VaultRole): Promise<void> {
    const { asker, profile, readings } = this.#means;
    const key = profile.keys[role];
    const reading = readings.get(role);
    if (key === undefined || reading === undefined || key === profile.keys.member) return;
    const isKnown = reading.answer?.status === 200;
    // A key that its service does not know tells nothing more here; that it does not, is told already.
    if (!isKnown && role !== 'disabled' && role !== 'provisioning') return;
    const name = this.#isProven ? await this.#stored('own') : undefined;
    const received = await asker.deleteSecret(this.#own, name ?? freshName(), { key });
    this.#byRole.set(role, roleFinding({ role, received, isStored: name !== undefined, isKnown }));
  }

  /** A sibling of another workspace would make every delete there look broken. */
  async examineSibling(): Promise<VaultExam> {
    const { asker, profile } = this.#means;
    const { sibling } = profile.interns;
    const key = profile.keys.member;
    if (sibling === undefined || key === undefined) return this.#exam;
    const name = await this.#stored('sibling');
    if (name === undefined) return this.#exam;
    const received = await asker.deleteSecret(sibling, name, { key });
    const what = 'interns.sibling';
    const got = `the delete of a secret stored for it gets ${outcome(received)}`;
    if (received.answer?.status === 204)
      this.#findings.push({ what, state: 'ok', text: `${got}: it is in the workspace of the member key` });
    else if (isTrouble(received)) {
      const text = `${got}, which tells nothing of it`;
      this.#findings.push({ what, state: 'note', text, todo: 'Try again later' });
    } else {
      const text = `${got} in place of 204: it may not be in the workspace of the member key`;
      this.#findings.push({
        what,
        state: 'wrong',
        text,
        todo: 'Give an intern of that workspace, or take it out',
      });
    }
    return this.#exam;
  }

  /** Vault routes refuse the regional hostname (§5.5); one that does not count as regional is served. */
  async #examineRegionalHost(): Promise<void> {
    const { asker, target, profile } = this.#means;
    const { host, baseUrl } = target.regional;
    const key = profile.keys.member;
    const given = host === undefined ? { base: baseUrl } : { host };
    if (key === undefined || (host ?? baseUrl) === undefined) return;
    const what = host === undefined ? 'target.regional_base_url' : 'target.regional_host';
    const name = this.#isProven ? await this.#stored('own') : undefined;
    const options = { key, ...withoutUndefined(given) };
    const received = await asker.deleteSecret(this.#own, name ?? freshName(), options);
    this.#findings.push(regionalFinding(what, received, name !== undefined));
  }
}

function regionalFinding(what: string, received: Received, isStored: boolean): Finding {
  const status = received.answer?.status;
  const got = `a vault delete there gets ${outcome(received)}`;
  if (status === 403) return { what, state: 'ok', text: `${got}, as on a regional hostname` };
  if (status === 404 && !isStored) {
    const text = `${got} for a name that nobody stored, which tells nothing of the hostname`;
    return { what, state: 'note', text, todo: 'Make sure that it is a regional hostname' };
  }
  const text = `${got} in place of 403: it is no regional hostname, or something in front answers`;
  return { what, state: 'wrong', text, todo: 'Check the hostname, or take it out' };
}

function withoutUndefined(given: { readonly host?: string; readonly base?: string | undefined }) {
  const { host, base } = given;
  return { ...(host === undefined ? {} : { host }), ...(base === undefined ? {} : { base }) };
}

/** What its own delete tells of the member key. */
function memberFinding(trial: VaultTrial, name: string | undefined): Finding {
  const { received } = trial;
  const what = 'keys.member';
  const status = received.answer?.status;
  if (name !== undefined && status === 204)
    return { what, state: 'ok', text: 'deletes what was stored for the intern own, as a member key does' };
  if (name !== undefined && status === 404) {
    return {
      what,
      state: 'wrong',
      text: `gets 404 although its secret was stored: its caller is outside the intern programme (it behaves as outsider), or the intern own is not in its workspace; the secret ${name} may be left where it was stored`,
      todo: 'Give a key of a caller inside the programme, and an intern of the workspace that it selects',
    };
  }
  const got = `its delete of ${name === undefined ? 'a name that nobody stored' : 'its secret'} gets ${outcome(received)}`;
  if (name === undefined && status === 404) {
    const text = `the service knows the key; ${got}, as that of an outsider would`;
    return {
      what,
      state: 'note',
      text,
      todo: 'A recipe that stores (store.http or store.command) would tell the two apart',
    };
  }
  if (isTrouble(received) && status !== 503)
    return { what, state: 'wrong', text: got, todo: 'Try again when the vault is well' };
  const other = behavesAs(trial);
  const like = other === undefined ? '' : `: it behaves as ${other}`;
  const regional = status === 403 ? ', or target.base_url is a regional hostname' : '';
  const vault = status === 503 ? ', or no vault is configured' : '';
  return { what, state: 'wrong', text: `${got}${like}${regional}${vault}`, todo: 'Give a member key' };
}

/** What a delete tells of a key other than `member`. */
function roleFinding(trial: VaultTrial): Finding {
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
function behavesAs({ received, isStored, isKnown }: VaultTrial): string | undefined {
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
