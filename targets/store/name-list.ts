import type { StoredIntern, StoredNames } from '../profile/profile.js';
import { NotShown } from '../world.js';

/** Names of secrets that somebody stored beforehand; each is handed out once. */
export class NameList {
  readonly #left: Readonly<Record<StoredIntern, string[]>>;

  constructor(names: StoredNames) {
    this.#left = { own: [...(names.own ?? [])], sibling: [...(names.sibling ?? [])] };
  }

  /** Whether the list has names of an intern, used up or not. */
  static has(names: StoredNames, intern: string): boolean {
    return intern === 'own' || intern === 'sibling' ? (names[intern] ?? []).length > 0 : false;
  }

  /** The next name of an intern. Throws NotShown where there is none left. */
  next(intern: string): string {
    const name = intern === 'own' || intern === 'sibling' ? this.#left[intern].shift() : undefined;
    if (name === undefined)
      throw new NotShown(
        `the names that the profile gives for the intern "${intern}" (store.names) are used up`,
      );
    return name;
  }
}
