/** The bytes of one piece while they arrive, no more of them than a piece may have. */
export class PieceBytes {
  readonly #longest: number;
  #parts: Buffer[] = [];
  #length = 0;
  #offset = 0;
  /** Where the piece begins in the chunk at hand; -1 where none is open. */
  #start = -1;

  /** @param longest bytes that a piece may have */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Whether a piece has begun and not ended. */
  get isOpen(): boolean {
    return this.#start >= 0;
  }

  /** A piece begins at a place of the chunk at hand. */
  begin(at: number, offset: number): void {
    this.#start = at;
    this.#offset = offset;
    this.#length = 0;
  }

  /** The chunk at hand is over: what it holds of an open piece is kept. */
  keep(chunk: Buffer): void {
    if (!this.isOpen) return;
    this.#add(chunk.subarray(this.#start));
    this.#start = 0;
  }

  /** The open piece ends before a place of the chunk at hand. */
  end(chunk: Buffer, at: number): { readonly offset: number; readonly text: string | undefined } {
    this.#add(chunk.subarray(this.#start, at));
    const [only = Buffer.alloc(0), ...more] = this.#parts;
    const bytes = more.length === 0 ? only : Buffer.concat(this.#parts);
    const text = this.#length > this.#longest ? undefined : bytes.toString('utf8');
    this.#parts = [];
    this.#start = -1;
    return { offset: this.#offset, text };
  }

  #add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.#longest) this.#parts = [];
    else this.#parts.push(part);
  }
}
