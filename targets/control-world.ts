import type { Need } from '../spec/need.js';
import type { Fault, Intern, Role, Scope } from '../spec/vocabulary.js';
import type { Canaries } from './canary.js';
import type { ControlClient, StoredSecret, WorldDescription } from './control-client.js';
import { freshName } from './fresh-name.js';
import type { KnownKeys } from './known-keys.js';
import type { Redactor } from './redaction.js';
import { Unavailable, type World } from './world.js';

const triesToDelete = 3;

/** What a world works with. */
interface WorldMeans {
  readonly control: ControlClient;
  readonly canaries: Canaries;
  readonly redactor: Redactor;
  readonly keys: KnownKeys;
  /** Called once the world is given back. */
  readonly returned: () => void;
}

/** A world that the target's control protocol made, and will delete. */
export class ControlWorld implements World {
  readonly #description: WorldDescription;
  readonly #means: WorldMeans;
  #givenBack: Promise<void> | undefined;
  #faults: readonly Fault[] = [];

  constructor(description: WorldDescription, means: WorldMeans) {
    this.#description = description;
    this.#means = means;
    for (const [role, key] of Object.entries(description.keys)) {
      means.redactor.register(key, keyName(role));
      means.keys.add(key, description.id);
    }
  }

  get id(): string {
    return this.#description.id;
  }

  readonly prefix = '';

  get workspaceId(): string | undefined {
    return this.#description.workspace_id;
  }

  guardrailId(): string {
    return this.#description.guardrail_id ?? missing('guardrail');
  }

  key(role: Role): string {
    return this.#description.keys[role] ?? missing(`role:${role}`);
  }

  isKey(text: string): boolean {
    return this.#means.keys.has(text);
  }

  intern(intern: Intern): string {
    return this.#description.interns[intern] ?? missing(`intern:${intern}`);
  }

  async store(scope: Scope, name = freshName()): Promise<string> {
    await this.#means.control.storeSecret(this.id, scope, name, this.#means.canaries.next());
    return name;
  }

  secrets(): Promise<readonly StoredSecret[]> {
    return this.#means.control.secrets(this.id);
  }

  setKeyInfo(role: Role, fields: Readonly<Record<string, unknown>>): Promise<void> {
    return this.#means.control.setKeyInfo(this.id, role, fields);
  }

  setGuardrail(fields: Readonly<Record<string, unknown>>): Promise<void> {
    return this.#means.control.setGuardrail(this.id, fields);
  }

  get faults(): readonly Fault[] {
    return this.#faults;
  }

  setFaults(...faults: readonly Fault[]): Promise<void> {
    this.#faults = faults;
    return this.#means.control.setFaults(this.id, faults);
  }

  setFreeUsage(role: Role, minute: number, day: number): Promise<void> {
    return this.#means.control.setFreeUsage(this.id, role, minute, day);
  }

  giveBack(): Promise<void> {
    this.#givenBack ??= this.#delete();
    return this.#givenBack;
  }

  async #delete(): Promise<void> {
    // A lost connection is no reason to leave a world behind; one that cannot be deleted expires by itself.
    for (let left = triesToDelete; left > 0; left--) {
      const gone = await this.#means.control.deleteWorld(this.id).then(
        () => true,
        () => false,
      );
      if (gone) break;
    }
    this.#means.returned();
  }
}

/** The name that stands for a key wherever text leaves the process. */
export function keyName(role: string): string {
  return `$PLUMBLINE_KEY_${role.toUpperCase()}`;
}

function missing(need: Need): never {
  throw new Unavailable(need);
}
