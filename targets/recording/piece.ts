/** A part of a recording that holds one exchange. */
export interface Piece {
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

/** Cuts a recording into exchanges as its bytes arrive. */
export interface Splitter {
  /** Takes the next bytes and gives every exchange that they complete. */
  push(chunk: Buffer): Iterable<Piece>;
  /** What the end of the file completes. */
  rest(): Iterable<Piece>;
  /** Where the file broke; undefined where it came to its end. */
  end(): Break | undefined;
}
