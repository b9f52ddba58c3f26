import { CommandRunner } from '../cli/command-runner.js';
import { command } from '../cli/plumbline-process.js';
import { inItsOwnProcess } from './commands.js';
import { judgeHostile, type Outcome } from './judge-hostile.js';
import type { Way } from './row.js';

/** Runs of the command that go on at once, each in a process that does one after another. */
export class Judges {
  readonly #runners: readonly CommandRunner[];
  #next = 0;

  /** @param count processes at once */
  constructor(count: number) {
    this.#runners = Array.from({ length: count }, () => new CommandRunner(command));
  }

  /** Judges in a process that others have used and will. */
  readonly inTurn = (way: Way): Promise<Outcome> => {
    const runner = this.#runners[this.#next++ % this.#runners.length];
    return runner === undefined ? this.alone(way) : judgeHostile(way, runner.run);
  };

  /** Judges in a process of its own, whose memory is nobody else's. */
  readonly alone = (way: Way): Promise<Outcome> => judgeHostile(way, inItsOwnProcess);

  /** Ends the processes. */
  close(): void {
    for (const runner of this.#runners) runner.close();
  }
}
