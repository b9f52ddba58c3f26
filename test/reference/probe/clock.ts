// 45 seconds into a minute, 15 minutes before the end of a UTC day: both ends are within reach.
const START = Date.UTC(2026, 4, 20, 23, 44, 45);

/** A clock that moves only when it is told to, so that no answer depends on when it is asked for. */
export class Clock {
  #now = START;

  /** Milliseconds since 1970. */
  readonly now = (): number => this.#now;

  forward(ms: number): void {
    this.#now += ms;
  }

  /** Puts the clock back to where it began, so that scripts can be played in any order. */
  reset(): void {
    this.#now = START;
  }
}
