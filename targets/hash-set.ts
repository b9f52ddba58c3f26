/** A set of 32-bit hashes that takes four to eight bytes for each. */
export class HashSet {
  #slots = new Int32Array(1 << 8);
  #count = 0;
  // A free slot is 0, so that the hash 0 is kept apart.
  #hasZero = false;

  add(hash: number): void {
    if (hash === 0) {
      this.#hasZero = true;
      return;
    }
    if (2 * this.#count >= this.#slots.length) this.#grow();
    const slot = this.#slotOf(hash);
    if (this.#slots[slot] === hash) return;
    this.#slots[slot] = hash;
    this.#count += 1;
  }

  has(hash: number): boolean {
    return hash === 0 ? this.#hasZero : this.#slots[this.#slotOf(hash)] === hash;
  }

  #slotOf(hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b) & mask;
    while (this.#slots[slot] !== 0 && this.#slots[slot] !== hash) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(2 * before.length);
    for (const hash of before) if (hash !== 0) this.#slots[this.#slotOf(hash)] = hash;
  }
}
