import type { StoredIntern, StoredNames } from '../profile/profile.js';
import { NotShown } from '../world.js';

/** Names of secrets that somebody stored beforehand; each is handed out once. */
export class NameList {
  readonly #left: Readonly<Record<StoredIntern, string[]>>;

  constructor(names: StoredNames) {
    this.#left = { own: [...usable(names, 'own')], sibling: [...usable(names, 'sibling')] };
  }

  /** Whether the list has names of an intern, used up or not. */
  static has(names: StoredNames, intern: string): boolean {
    return isStoredIntern(intern) && usable(names, intern).length > 0;
  }

  /** The next name of an intern. Throws NotShown where there is none left. */
  next(intern: string): string {
    const name = isStoredIntern(intern) ? this.#left[intern].shift() : undefined;
    if (name === undefined)
      throw new NotShown(
        `the names that the profile gives for the intern "${intern}" (store.names) are used up`,
      );
    return name;
  }
}

function isStoredIntern(intern: string): intern is StoredIntern {
  return intern === 'own' || intern === 'sibling';
}

/** A name that both interns have says nothing of the sibling alone: asked of the other it is rightly found. */
function usable({ own = [], sibling = [] }: StoredNames, intern: StoredIntern): readonly string[] {
  return intern === 'own' ? own : sibling.filter((name) => !own.includes(name));
}
