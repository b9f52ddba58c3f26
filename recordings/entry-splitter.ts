/** The text of one entry of a recording, which holds one exchange. */
export interface EntryText {
  /** Its place among the exchanges of the file, from 0. */
  readonly index: number;
  /** Its first byte in the file, unpacked where it was packed. */
  readonly offset: number;
  /** The line it stands on, from 1, where a line is an exchange. */
  readonly line?: number;
  /** Undefined where it is too long to be read. */
  readonly text: string | undefined;
}

/** Where a recording cannot be read on. */
export interface Break {
  readonly offset: number;
  readonly why: string;
}

/** Cuts a recording into entries as its bytes arrive. */
export interface EntrySplitter {
  /** Takes the next bytes and gives every entry that they complete. */
  push(chunk: Buffer): Iterable<EntryText>;
  /** Gives what the end of the file completes. */
  rest(): Iterable<EntryText>;
  /** Where the file broke; undefined where it came to its end. */
  end(): Break | undefined;
}

/** The bytes of one entry while they arrive, no more of them than an entry may have. */
export class EntryBuffer {
  readonly #longest: number;
  #parts: Buffer[] = [];
  #length = 0;
  #offset = 0;
  /** Where the entry begins in the chunk at hand; -1 where none is open. */
  #start = -1;

  /** @param longest bytes that an entry may have */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Whether an entry has begun and not ended. */
  get isOpen(): boolean {
    return this.#start >= 0;
  }

  /** Begins an entry at a place of the chunk at hand. */
  begin(at: number, offset: number): void {
    this.#start = at;
    this.#offset = offset;
    this.#length = 0;
  }

  /** Keeps what the chunk at hand, which is over, holds of an open entry. */
  keep(chunk: Buffer): void {
    if (!this.isOpen) return;
    this.#add(chunk.subarray(this.#start));
    this.#start = 0;
  }

  /** Ends the open entry before a place of the chunk at hand. */
  end(chunk: Buffer, at: number): Pick<EntryText, 'offset' | 'text'> {
    this.#add(chunk.subarray(this.#start, at));
    const text = this.#length > this.#longest ? undefined : Buffer.concat(this.#parts).toString('utf8');
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
