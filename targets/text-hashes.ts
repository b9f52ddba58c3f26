/** Characters of a block, which is hashed the same forwards and backwards. */
export const blockLength = 8;

const multiplier = 0x01000193;
/** The number by which a product with the multiplier becomes what it was, modulo 2³². */
export const inverse = 0x359c449b;

/** The same for the two cases of a letter; what else it makes the same, a hash may. */
export function alike(code: number): number {
  return code | 32;
}

export function hashText(text: string, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at++) hash = hashWith(hash, alike(text.charCodeAt(at)));
  return hash;
}

export function hashWith(hash: number, code: number): number {
  return (Math.imul(hash, multiplier) + code) | 0;
}

/** The hash of a block, which its reverse has too. */
export function hashBlock(text: string, at: number): number {
  return hashText(text, at, at + blockLength) ^ hashBackwards(text, at);
}

export function hashBackwards(text: string, at: number): number {
  let hash = 0;
  for (let next = at + blockLength - 1; next >= at; next--)
    hash = hashWith(hash, alike(text.charCodeAt(next)));
  return hash;
}

export function power(exponent: number): number {
  let result = 1;
  for (let left = exponent; left > 0; left--) result = Math.imul(result, multiplier);
  return result;
}

/** Numbers from 0 on by 32-bit hashes, any number of them for one hash, in 14 to 28 bytes each. */
export class HashTable {
  #bits = 6;
  #hashes = new Int32Array(1 << this.#bits);
  // Each number plus one: a free slot is 0.
  #numbers = new Int32Array(1 << this.#bits);
  // Sixteen bits for a slot tell most hashes that were not added, and stay near the processor where the table does not.
  #filter = new Uint8Array(2 << this.#bits);
  #size = 0;

  /** How many numbers there are. */
  get size(): number {
    return this.#size;
  }

  add(hash: number, number: number): void {
    this.#size += 1;
    if (4 * this.#size > 3 * this.#hashes.length) this.#grow();
    this.#put(hash, number + 1);
  }

  /** Returns false where there is certainly nothing for a hash. */
  mayHave(hash: number): boolean {
    const bit = spread(hash) >>> (28 - this.#bits);
    return ((this.#filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }

  /** The numbers of a hash, in the order in which they were added. */
  get(hash: number): readonly number[] {
    const found: number[] = [];
    if (!this.mayHave(hash)) return found;
    for (let slot = this.#slotOf(hash); this.#numbers[slot] !== 0; slot = this.#after(slot))
      if (this.#hashes[slot] === hash) found.push((this.#numbers[slot] ?? 0) - 1);
    return found;
  }

  #put(hash: number, stored: number): void {
    let slot = this.#slotOf(hash);
    while (this.#numbers[slot] !== 0) slot = this.#after(slot);
    this.#hashes[slot] = hash;
    this.#numbers[slot] = stored;
    const bit = spread(hash) >>> (28 - this.#bits);
    this.#filter[bit >>> 3] = (this.#filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }

  #slotOf(hash: number): number {
    return spread(hash) >>> (32 - this.#bits);
  }

  #after(slot: number): number {
    return (slot + 1) & (this.#hashes.length - 1);
  }

  #grow(): void {
    const hashes = this.#hashes;
    const numbers = this.#numbers;
    this.#bits += 1;
    this.#hashes = new Int32Array(1 << this.#bits);
    this.#numbers = new Int32Array(1 << this.#bits);
    this.#filter = new Uint8Array(2 << this.#bits);
    for (let slot = 0; slot < numbers.length; slot++) {
      const stored = numbers[slot] ?? 0;
      if (stored !== 0) this.#put(hashes[slot] ?? 0, stored);
    }
  }
}

/** A hash with its highest bits made of all of its bits. */
function spread(hash: number): number {
  return Math.imul(hash, 0x9e3779b1);
}
