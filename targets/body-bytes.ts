import { bodyLimit } from './body-limit.js';

/** The bytes of a body as they come, as far as they are read. A million pieces cost no more than one. */
export class BodyBytes {
  #bytes: Buffer = Buffer.alloc(0);
  #size = 0;

  /** Takes in a piece; what goes beyond the limit by more than a byte is let go. */
  add(piece: Buffer): void {
    const taken = piece.subarray(0, bodyLimit + 1 - this.#size);
    // Most bodies come in one piece, which needs no copy.
    if (this.#size === 0) this.#bytes = taken;
    else {
      if (this.#size + taken.length > this.#bytes.length) this.#grow(this.#size + taken.length);
      taken.copy(this.#bytes, this.#size);
    }
    this.#size += taken.length;
  }

  /** Whether more has come than is read of a body. */
  get isBeyond(): boolean {
    return this.#size > bodyLimit;
  }

  /** What has come. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  #grow(needed: number): void {
    const grown = Buffer.alloc(Math.min(2 * needed, bodyLimit + 1));
    this.#bytes.copy(grown, 0, 0, this.#size);
    this.#bytes = grown;
  }
}
