import type { LeftoverNews, WorldLeftover } from '../spec/journal.js';

/** The worlds that a run opened and did not close yet. Each change is noted before the request that makes it is sent. */
export class OpenedWorlds {
  readonly #left = new Map<number, WorldLeftover>();
  readonly #note: (news: LeftoverNews) => void;
  #count = 0;

  constructor(note: (news: LeftoverNews) => void) {
    this.#note = note;
  }

  /** A world is about to be asked for; returns its number. */
  opening(label: string): number {
    this.#count += 1;
    this.#set({ kind: 'world', number: this.#count, label, state: 'opening' });
    return this.#count;
  }

  /** The id of a world is known. */
  opened(number: number, id: string): void {
    this.#change(number, { id, state: 'open' });
  }

  /** A world is about to be deleted. */
  closing(number: number): void {
    this.#change(number, { state: 'closing' });
  }

  /** A world is gone, or was never made. */
  gone(number: number): void {
    if (this.#left.delete(number)) this.#note({ gone: { kind: 'world', number } });
  }

  /** Every world that may be there. */
  get left(): readonly WorldLeftover[] {
    return [...this.#left.values()];
  }

  #change(number: number, change: Partial<WorldLeftover>): void {
    const known = this.#left.get(number);
    if (known !== undefined) this.#set({ ...known, ...change });
  }

  #set(world: WorldLeftover): void {
    this.#left.set(world.number, world);
    this.#note({ left: world });
  }
}
