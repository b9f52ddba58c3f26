import { makeReason } from '../spec/reasons.js';
import type { Intern, Role, Scope } from '../spec/vocabulary.js';
import type { Canaries } from './canary.js';
import type { CleanUpTime } from './clean-up-time.js';
import type { StoredSecret } from './control-client.js';
import { freshName } from './fresh-name.js';
import type { Profile } from './profile/profile.js';
import type { NameList } from './store/name-list.js';
import { StoreError, type Storer } from './store/storer.js';
import type { StoredSecrets } from './stored-secrets.js';
import { NotShown, Unavailable, type World } from './world.js';

/** What a world of a profile works with. */
interface ProfiledMeans {
  readonly profile: Profile;
  readonly canaries: Canaries;
  readonly stored: StoredSecrets;
  /** How secrets are stored: by a recipe, or not at all, their names being given. */
  readonly by: Storer | NameList | undefined;
  readonly prefix: string;
  /** Where secrets can be stored. */
  readonly stores: (scope: Scope) => boolean;
  readonly time: CleanUpTime;
  /** Called once the world is given back. */
  readonly returned: () => void;
}

/**
 * The tenant that a profile describes, as one attempt uses it. All attempts share it, and so do other people: names
 * carry a prefix that is this attempt's alone.
 */
export class ProfiledWorld implements World {
  readonly id = 'profile';
  readonly #means: ProfiledMeans;
  readonly arranged = '';
  #isGivenBack = false;

  constructor(means: ProfiledMeans) {
    this.#means = means;
  }

  get workspaceId(): string | undefined {
    return this.#means.profile.guardrail?.workspace_id;
  }

  get prefix(): string {
    return this.#means.prefix;
  }

  guardrailId(): string {
    return this.#means.profile.guardrail?.id ?? missing('guardrail');
  }

  key(role: Role): string {
    return this.#means.profile.keys[role] ?? missing(`role:${role}`);
  }

  isKey(text: string): boolean {
    return Object.values(this.#means.profile.keys).includes(text);
  }

  intern(intern: Intern): string {
    return this.#means.profile.interns[intern] ?? missing(`intern:${intern}`);
  }

  async store(scope: Scope, given?: string): Promise<string> {
    const { by, canaries, stored, stores } = this.#means;
    if (by === undefined) return missing('store');
    if (!stores(scope))
      return missing(scope === 'own' || scope === 'sibling' ? `intern:${scope}` : `scope:${scope}`);
    if (typeof by !== 'function') {
      if (given !== undefined) throw new Unavailable('store:named');
      return by.next(scope);
    }
    const intern = scope === 'workspace' ? undefined : this.intern(scope);
    const name = given ?? freshName();
    // Before it is sent: when its answer is lost nobody knows, and cleaning up will find out.
    const isNew = stored.add({ scope, intern, name });
    const { over: queuedUntil, finishing } = this.#means.time;
    try {
      await by({ scope, intern, name, value: canaries.next() }, finishing, { queuedUntil });
    } catch (error) {
      // Any other error says that nothing was sent: the run was stopped, or may send no more.
      if (isNew && !(error instanceof StoreError)) stored.remove({ intern, name });
      throw error;
    }
    return name;
  }

  secrets(): Promise<readonly StoredSecret[]> {
    return Promise.reject(new Unavailable('inspect'));
  }

  setKeyInfo(): Promise<void> {
    return Promise.reject(new Unavailable('feature:key_info'));
  }

  setGuardrail(): Promise<void> {
    return Promise.reject(new Unavailable('feature:guardrail'));
  }

  setFaults(): Promise<void> {
    return Promise.reject(new NotShown(makeReason('lacking', 'faults (control protocol)')));
  }

  setFreeUsage(): Promise<void> {
    return Promise.reject(new Unavailable('feature:free_usage'));
  }

  setCredit(): Promise<void> {
    return Promise.reject(new Unavailable('feature:credit'));
  }

  setUsage(): Promise<void> {
    return Promise.reject(new Unavailable('feature:usage'));
  }

  verifyClaims(): void {
    // There is no control protocol.
  }

  async giveBack(): Promise<void> {
    if (this.#isGivenBack) return;
    this.#isGivenBack = true;
    this.#means.returned();
  }
}

function missing(need: ConstructorParameters<typeof Unavailable>[0]): never {
  throw new Unavailable(need);
}
