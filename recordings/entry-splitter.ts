/** The text of one entry of a recording, which holds one exchange. */
export interface EntryText {
  /** Its place among the exchanges of the file, from 0. */
  readonly index: number;
  /** The offset of its first byte in the file, after decompression. */
  readonly offset: number;
  /** Its line, from 1, if the file has one exchange per line. */
  readonly line?: number;
  /** Undefined if it is too long to be read. */
  readonly text: string | undefined;
}

/** Where reading a recording fails. */
export interface Break {
  readonly offset: number;
  readonly why: string;
}

/** Splits a recording into entries as its bytes arrive. */
export interface EntrySplitter {
  /** Takes the next bytes and yields every entry that they complete. */
  push(chunk: Buffer): Iterable<EntryText>;
  /** Yields what the end of the file completes, if anything. */
  rest?(): Iterable<EntryText>;
  /** Returns where the file is broken, or undefined. */
  end?(): Break | undefined;
}

/** Collects the bytes of one entry, up to a limit. */
export class EntryBuffer {
  #parts: Buffer[] = [];
  #length = 0;
  #offset = 0;
  /** Where the entry begins in the current chunk; -1 if none is open. */
  #start = -1;

  constructor(private readonly longest: number) {}

  get isOpen(): boolean {
    return this.#start >= 0;
  }

  begin(at: number, offset: number): void {
    this.#start = at;
    this.#offset = offset;
    this.#length = 0;
  }

  /** Keeps the part of an open entry in a chunk that has been read to its end. */
  keep(chunk: Buffer): void {
    if (!this.isOpen) return;
    this.#add(chunk.subarray(this.#start));
    this.#start = 0;
  }

  /** Ends the open entry before a place of the current chunk. */
  end(chunk: Buffer, at: number): Pick<EntryText, 'offset' | 'text'> {
    this.#add(chunk.subarray(this.#start, at));
    const text = this.#length > this.longest ? undefined : Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#start = -1;
    return { offset: this.#offset, text };
  }

  #add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.longest) this.#parts = [];
    else this.#parts.push(part);
  }
}
