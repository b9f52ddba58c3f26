import type { Break, Piece, Splitter } from './piece.js';
import { PieceBytes } from './piece-bytes.js';

const lineFeed = 0x0a;

/** Cuts a recording of one exchange a line; blank lines are none. */
export class LineSplitter implements Splitter {
  readonly #piece: PieceBytes;
  #offset = 0;
  #line = 1;
  #index = -1;

  /** @param longest bytes that one line may have */
  constructor(longest: number) {
    this.#piece = new PieceBytes(longest);
  }

  *push(chunk: Buffer): Generator<Piece> {
    for (let at = 0; at < chunk.length; ) {
      if (!this.#piece.isOpen) this.#piece.begin(at, this.#offset + at);
      const end = chunk.indexOf(lineFeed, at);
      if (end < 0) break;
      yield* this.#complete(chunk, end);
      this.#line += 1;
      at = end + 1;
    }
    this.#piece.keep(chunk);
    this.#offset += chunk.length;
  }

  // The last line may have no line end.
  *rest(): Generator<Piece> {
    if (this.#piece.isOpen) yield* this.#complete(Buffer.alloc(0), 0);
  }

  end(): Break | undefined {
    return undefined;
  }

  *#complete(chunk: Buffer, end: number): Generator<Piece> {
    const { offset, text } = this.#piece.end(chunk, end);
    if (text !== undefined && text.trim() === '') return;
    this.#index += 1;
    yield { index: this.#index, line: this.#line, offset, text };
  }
}
