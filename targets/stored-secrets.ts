import type { LeftoverNews } from '../spec/journal.js';
import type { Exchange } from './exchange.js';

/** A secret that this run stored on a target which it shares with others. */
export interface StoredByRun {
  /** What the profile calls the place: `own`, `sibling`, `workspace`, `foreign`. */
  readonly scope: string;
  /** The id of the intern; the workspace has none. */
  readonly intern: string | undefined;
  readonly name: string;
}

/** What a run stored and nobody has deleted since: to be cleaned up when the run ends. */
export class StoredSecrets {
  readonly #left = new Map<string, StoredByRun>();
  readonly #note: (news: LeftoverNews) => void;

  /** @param note told of each secret before it is stored, and once it is gone */
  constructor(note: (news: LeftoverNews) => void = () => undefined) {
    this.#note = note;
  }

  /**
   * Takes note of a secret that is about to be stored: whether it was is not known when its answer is lost. Says
   * whether it is news.
   */
  add(secret: StoredByRun): boolean {
    const key = keyOf(secret.intern, secret.name);
    const isNew = !this.#left.has(key);
    this.#left.set(key, secret);
    if (isNew) this.#note({ left: { kind: 'secret', ...secret } });
    return isNew;
  }

  /** Takes note that a secret is gone. Says whether it was one of the run's. */
  remove({ intern, name }: Pick<StoredByRun, 'intern' | 'name'>): boolean {
    const wasLeft = this.#left.delete(keyOf(intern, name));
    if (wasLeft) this.#note({ gone: { kind: 'secret', intern, name } });
    return wasLeft;
  }

  /** Looks at an exchange of the run: a delete that succeeded took its secret. Says whether it took one of the run's. */
  see({ request: { method, url }, answer }: Exchange): boolean {
    if (method !== 'DELETE' || answer?.status !== 204) return false;
    const match = /\/vault\/interns\/([^/?#]*)\/secrets\/([^/?#]*)/.exec(url);
    if (match === null) return false;
    const [, intern = '', name = ''] = match;
    return this.remove({ intern: decoded(intern).toLowerCase(), name: decoded(name) });
  }

  /** Everything that is left. */
  get left(): readonly StoredByRun[] {
    return [...this.#left.values()];
  }
}

function keyOf(intern: string | undefined, name: string): string {
  return `${(intern ?? '').toLowerCase()}/${name}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
