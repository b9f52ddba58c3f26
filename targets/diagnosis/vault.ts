import { setTimeout as sleep } from 'node:timers/promises';
import type { Intern, Role } from '../../spec/vocabulary.js';
import type { Received } from '../client.js';
import { describeOutcome, isSuccessStatus, isTrouble } from '../exchange.js';
import { StoreError } from '../store-recipes.js';
import { freshName, type World } from '../world.js';
import {
  type ProfileFinding,
  type ProfileProbes,
  reportNote,
  reportOk,
  reportWrong,
} from './probe-client.js';

const ofMember = [204, 'a member key'] as const;
/** The status that a delete of a stored secret gets by the role of its key (§5.4, §7.1), and the name of such a key. */
const behaviours = {
  member: ofMember,
  provisioning: [401, 'a provisioning key'],
  unscoped: [403, 'a key without workspace scope (unscoped)'],
  outsider: [404, 'a key outside the intern programme (outsider), or of another workspace'],
  disabled: [401, 'a disabled or unknown key'],
  write_disabled: [503, 'a key with vault writes disabled (write_disabled)'],
  exhausted: ofMember,
  overdrawn: ofMember,
  free_small: ofMember,
  free_small_second: ofMember,
  free_large: ofMember,
  free_large_exactly: ofMember,
} as const satisfies Readonly<Partial<Record<Role, readonly [status: number, kind: string]>>>;

// Longer than a run waits after a store.
const lateMs = 3_000;

type VaultRole = keyof typeof behaviours;
const vaultRoles = Object.keys(behaviours) as readonly VaultRole[];

function isVaultRole(role: Role): role is VaultRole {
  return Object.hasOwn(behaviours, role);
}

/** Findings about the keys, by role, and about the rest of the profile. */
export type VaultExam = Pick<VaultExamination, 'byRole' | 'findings'>;

/**
 * Stores secrets and deletes them with each key; other people's secrets are not touched.
 * @param mayDelete whether secrets may be stored and deleted
 */
export async function examineVault(probes: ProfileProbes, mayDelete: boolean): Promise<VaultExam> {
  const { keys, store } = probes.profile;
  const tried = vaultRoles.filter((role) => keys[role] !== undefined).map((role) => `keys.${role}`);
  const untried = (what: readonly string[], text: string, todo: string): VaultExam => ({
    byRole: new Map(),
    findings: [reportNote(what.join(', '), `not tried on the vault: ${text}`, todo)],
  });
  if (tried.length === 0) return { byRole: new Map(), findings: [] };
  const examination = await VaultExamination.open(probes);
  if (examination === undefined) return untried(tried, 'no intern own is given', 'Give interns.own');
  if (!mayDelete)
    return untried(
      store === undefined ? tried : [...tried, 'store'],
      'the target is not on loopback, and a DELETE is sent only if that is allowed',
      'Give --allow-destructive: only secrets that the doctor stores itself are deleted',
    );
  await examination.examineAll();
  return examination;
}

/** The result of a delete with the key of a role. */
interface Trial {
  readonly role: VaultRole;
  readonly received: Received;
  /** The stored secret; an absent one gets 404 with every key. */
  readonly stored: string | undefined;
  /** Whether GET /key accepts the key. */
  readonly isKnown: boolean;
}

/** Tries the keys of a profile on the vault, with secrets stored for that. */
export class VaultExamination {
  readonly byRole = new Map<Role, ProfileFinding>();
  readonly findings: ProfileFinding[] = [];
  /** Whether the member key has deleted a stored secret: only then does a refusal say something. */
  #isProven = false;

  private constructor(
    private readonly probes: ProfileProbes,
    private readonly world: World,
    private readonly own: string,
  ) {}

  /** Opens a world to store in; undefined where the profile names no intern `own`. */
  static async open(probes: ProfileProbes): Promise<VaultExamination | undefined> {
    const { own } = probes.profile.interns;
    if (own === undefined) return undefined;
    return new VaultExamination(probes, await probes.target.openWorld('doctor'), own);
  }

  async examineAll(): Promise<void> {
    await this.examineMember();
    for (const role of vaultRoles) if (role !== 'member') await this.#examineRole(role);
    if (this.#isProven) await this.examineSibling();
    await this.#examineIntern('foreign', this.world.foreignKey, {
      what: 'store.scopes.foreign',
      wrong: 'the key may be of another workspace than that intern',
      todo: "Give a key of that intern's workspace",
    });
    await this.#examineRegionalHost();
  }

  /** Whether the vault treats a key as it should for its role; undefined for roles without a treatment of their own. */
  async isTreatedAs(role: Role): Promise<boolean | undefined> {
    if (!isVaultRole(role)) return undefined;
    const { answer } = await this.#delete(role, freshName());
    return answer?.status === behaviours[role][0];
  }

  /** Finds out whether two keys were swapped: each is treated as a key of the other's role. */
  async findSwapped(role: Role): Promise<ProfileFinding | undefined> {
    if (role === 'member' || !isVaultRole(role)) return undefined;
    await this.examineMember();
    const trial = await this.#try(role, await this.#store('own'));
    const other = findBehaviour(trial);
    if (other === undefined || trial.received.answer?.status === behaviours[role][0]) return undefined;
    return (await this.#isTakenFor(other, role)) ? describeTrial(trial) : undefined;
  }

  /** Finds out whether a key is of the workspace of `foreign`: it deletes secrets only there, and the member key does not. */
  async findElsewhere(role: Role): Promise<ProfileFinding | undefined> {
    const { foreign } = this.probes.profile.interns;
    if (foreign === undefined || role === 'member' || role === 'disabled') return undefined;
    const deletes = [
      [role, 'foreign'],
      ['member', 'foreign'],
      [role, 'own'],
    ] as const;
    for (const [at, [each, intern]] of deletes.entries()) {
      const name = await this.#store(intern);
      if (name === undefined) return undefined;
      const { answer } = await this.#delete(each, name, intern === 'own' ? this.own : foreign);
      if ((answer?.status === 204) !== (at === 0)) return undefined;
    }
    const text = 'deletes a secret of interns.foreign but none of interns.own: it is of that workspace';
    const todo = `Give a key of the role ${role} in the workspace of interns.own`;
    return reportWrong(`keys.${role}`, text, todo);
  }

  /**
   * Finds out whether the vault takes a key for another role's, although only credit or vault writes should distinguish it from
   * the member key: its account may have another workspace.
   */
  async findRefused(role: Role): Promise<ProfileFinding | undefined> {
    if (role === 'member' || !isVaultRole(role) || ![204, 503].includes(behaviours[role][0]))
      return undefined;
    await this.examineMember();
    const stored = this.#isProven ? await this.#store('own') : undefined;
    if (stored === undefined) return undefined;
    const trial = await this.#try(role, stored);
    return [401, 403, 404].includes(trial.received.answer?.status ?? 0) ? describeTrial(trial) : undefined;
  }

  async #isTakenFor(role: VaultRole, other: VaultRole): Promise<boolean> {
    if (role === 'member') return !this.#isProven;
    if (this.probes.profile.keys[role] === undefined) return false;
    const { answer } = await this.#delete(role, (await this.#store('own')) ?? freshName());
    return answer?.status === behaviours[other][0];
  }

  #delete(role: Role, name: string, intern = this.own): Promise<Received> {
    return this.probes.deleteSecret(intern, name, { key: this.probes.profile.keys[role] });
  }

  /** Stores one secret and deletes it with the member key. */
  async examineMember(): Promise<void> {
    if (!this.#isKnown('member')) return;
    if (this.probes.profile.store?.names !== undefined) {
      const text = 'not tried, since each name that it gives can be deleted once';
      this.findings.push(reportNote('store.names', text));
    }
    const { target } = this.probes;
    let trial: Trial;
    const isMissing = () => trial.stored !== undefined && trial.received.answer?.status === 404;
    do trial = await this.#try('member', await this.#store('own'));
    while (isMissing() && target.waitLongerAfterStores?.() === true);
    this.byRole.set('member', describeTrial(trial));
    this.#isProven = trial.stored !== undefined && trial.received.answer?.status === 204;
    if (!this.#isProven) return;
    const { settleMs = 0 } = target;
    const late = settleMs === 0 ? '' : `, ${settleMs} ms later; the run waits as long after each store`;
    const text = `a secret is stored for the intern own, and the member key deletes it${late}`;
    this.findings.push(reportOk('store', text));
  }

  /** Deletes a secret of `sibling`: if that is in another workspace, every delete there would look broken. */
  async examineSibling(): Promise<void> {
    await this.#examineIntern('sibling', this.probes.profile.keys.member, {
      what: 'interns.sibling',
      wrong: 'it may not be in the workspace of the member key',
      todo: 'Give an intern of that workspace, or remove it',
    });
  }

  async #examineIntern(
    intern: Intern,
    key: string | undefined,
    { what, wrong, todo }: { readonly what: string; readonly wrong: string; readonly todo: string },
  ): Promise<void> {
    const id = this.probes.profile.interns[intern];
    const deleteStored = async (waitMs = 0): Promise<Received | undefined> => {
      const name = id === undefined || key === undefined ? undefined : await this.#store(intern);
      if (id === undefined || name === undefined) return undefined;
      await sleep(waitMs);
      return this.probes.deleteSecret(id, name, { key });
    };
    let received = await deleteStored();
    // Where stores take effect late, this one may take longer than that of the own intern.
    const mayBeLate = received?.answer?.status === 404 && (this.probes.target.settleMs ?? 0) > 0;
    if (mayBeLate) received = await deleteStored(lateMs);
    if (received === undefined) return;
    const got = `the delete of a secret stored for it gets ${describeOutcome(received)}`;
    if (received.answer?.status === 204) this.findings.push(reportOk(what, got));
    else if (isSuccessStatus(received.answer?.status))
      this.findings.push(reportNote(what, `${got} instead of 204, which no wrong intern would get`));
    else if (isTrouble(received))
      this.findings.push(reportNote(what, `${got}, which says nothing about it`, 'Try again later'));
    else this.findings.push(reportWrong(what, `${got} instead of 204: ${wrong}`, todo));
  }

  async #examineRole(role: VaultRole): Promise<void> {
    const { keys } = this.probes.profile;
    if (keys[role] === undefined || keys[role] === keys.member) return;
    // GET /key has shown that the service does not know it; a delete would show nothing more.
    if (!this.#isKnown(role) && role !== 'disabled' && role !== 'provisioning') return;
    const trial = await this.#try(role, this.#isProven ? await this.#store('own') : undefined);
    this.byRole.set(role, (await this.findElsewhere(role)) ?? describeTrial(trial));
  }

  /** Vault routes refuse a regional hostname (§5.5); if they serve one, it is not regional. */
  async #examineRegionalHost(): Promise<void> {
    const { target, profile } = this.probes;
    const { host, baseUrl: base } = target.regional;
    const key = profile.keys.member;
    if (key === undefined || (host ?? base) === undefined) return;
    const what = host === undefined ? 'target.regional_base_url' : 'target.regional_host';
    const stored = this.#isProven ? await this.#store('own') : undefined;
    const options = host === undefined ? { key, base } : { key, host };
    const received = await this.probes.deleteSecret(this.own, stored ?? freshName(), options);
    this.findings.push(describeRegionalHost(what, received, stored !== undefined));
  }

  async #try(role: VaultRole, stored: string | undefined): Promise<Trial> {
    const received = await this.#delete(role, stored ?? freshName());
    return { role, received, stored, isKnown: this.#isKnown(role) };
  }

  #isKnown(role: VaultRole): boolean {
    return this.probes.readings.get(role)?.answer?.status === 200;
  }

  /** Stores a secret; undefined where there is no recipe, or where it failed, which is reported. */
  async #store(intern: Intern): Promise<string | undefined> {
    const { target, profile } = this.probes;
    const { store } = profile;
    // Names that are given would be used up.
    const isGiven = store?.names !== undefined && store.scopes?.[intern] === undefined;
    if (isGiven || target.lacks(`scope:${intern}`) !== undefined) return undefined;
    try {
      return await this.world.store(intern);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const text = `for the intern ${intern}, ${error.message}`;
      this.findings.push(reportWrong('store', text, 'Compare it with a request that stores by hand'));
      return undefined;
    }
  }
}

function describeRegionalHost(what: string, received: Received, isStored: boolean): ProfileFinding {
  const status = received.answer?.status;
  const got = `a vault delete there gets ${describeOutcome(received)}`;
  if (status === 403) return reportOk(what, `${got}, as on a regional hostname`);
  if (status === 404 && !isStored) {
    const text = `${got} for a name that nobody stored, which says nothing about the hostname`;
    return reportNote(what, text, 'Make sure that it is a regional hostname');
  }
  const text = `${got} instead of 403: it is not a regional hostname, or something in front answers`;
  return reportWrong(what, text, 'Check the hostname, or remove it');
}

function describeMemberHint(status: number | undefined, stored: string | undefined): string {
  if (status === 403) return ', or the base URL is a regional hostname';
  if (status === 404)
    return `, or the intern own is not in its workspace, or the recipe under store stores nothing, or somewhere else; the secret ${stored} may be left where it was stored`;
  return status === 503 ? ', or no vault is configured' : '';
}

function describeTrial(trial: Trial): ProfileFinding {
  const { role, received, stored, isKnown } = trial;
  const what = `keys.${role}`;
  const [due] = behaviours[role];
  const status = received.answer?.status;
  const got = `its delete of ${stored === undefined ? 'a name that nobody stored' : 'a stored secret'} gets ${describeOutcome(received)}`;
  if (stored === undefined && status === 404) {
    const todo = 'Give a recipe that stores (store.http or store.command) to tell the two apart';
    return reportNote(what, `${got}, as that of an outsider would`, todo);
  }
  if (status === due) {
    if (role !== 'provisioning' || isKnown) return reportOk(what, `${got}, as the role does`);
    const text = `${got}, and so does GET /key: it cannot be distinguished from an unknown key`;
    return reportNote(what, text, 'Make sure that it is a provisioning key');
  }
  if (isTrouble(received) && status !== 503)
    return reportWrong(what, `${got}, which says nothing about the key`, 'Try again later');
  const behaviour = findBehaviour(trial);
  if (role === 'member' && behaviour === undefined) {
    const text = `${got} instead of 204: the server violates §4.1, or something else answers in its place`;
    return reportWrong(what, text, 'Check the base URL, and what stands in front of the service');
  }
  const kind = behaviour === undefined ? '' : `: it behaves as ${behaviours[behaviour][1]}`;
  const hint = role === 'member' ? describeMemberHint(status, stored) : '';
  const text = `${got} instead of ${due}${kind}${hint}`;
  const todo =
    role === 'member' && status === 404
      ? 'Check store, interns.own and keys.member'
      : `Give a key of the role ${role}`;
  return reportWrong(what, text, todo);
}

function findBehaviour({ received, stored, isKnown }: Omit<Trial, 'role'>): VaultRole | undefined {
  return vaultRoles.find((one) => {
    if (behaviours[one][0] !== received.answer?.status) return false;
    if (one === 'provisioning') return isKnown;
    return one !== 'outsider' || stored !== undefined;
  });
}
