import type { RequirementId } from '../spec/ledger.js';
import type { KeptExchange } from '../spec/traffic.js';
import type { Exchange } from '../targets/exchange.js';
import type { Redactor } from '../targets/redaction.js';
import { reportedExchange } from './evidence.js';

/** How much of a run's traffic is kept: everything up to here, then failures and a sample. */
export const keptWhole = { exchanges: 2_000, characters: 4_000_000 } as const;

const failuresAtMost = 1_000;
// The sample grows with the logarithm of what is sent: after each hundred, half as many are taken.
const sampleStep = 20;
const samplesOfAStep = 100;

/** Chooses which exchanges of a run are kept, and writes them down with every secret replaced. */
export class TrafficKeeper {
  readonly #redactor: Redactor;
  readonly #write: (exchange: string) => void;
  readonly #kept = new WeakSet<Exchange>();
  #exchanges = 0;
  #characters = 0;
  #failures = 0;
  #passedOver = 0;
  #step = sampleStep;
  #samples = 0;

  /** @param write takes one KeptExchange as JSON */
  constructor(redactor: Redactor, write: (exchange: string) => void) {
    this.#redactor = redactor;
    this.#write = write;
  }

  /** An exchange came to its end; it is kept if there is room, or if it falls to the sample. */
  saw(exchange: Exchange, subject: RequirementId): void {
    if (this.#hasRoom || this.#isSampled()) this.#keep(exchange, subject);
  }

  /** The last exchanges of an attempt that did not hold. */
  failed(exchanges: readonly Exchange[], subject: RequirementId): void {
    for (const exchange of exchanges) {
      if (this.#failures >= failuresAtMost || this.#kept.has(exchange)) continue;
      this.#failures += 1;
      this.#keep(exchange, subject);
    }
  }

  get #hasRoom(): boolean {
    return this.#exchanges < keptWhole.exchanges && this.#characters < keptWhole.characters;
  }

  #isSampled(): boolean {
    this.#passedOver += 1;
    if (this.#passedOver % this.#step !== 0) return false;
    this.#samples += 1;
    if (this.#samples % samplesOfAStep === 0) this.#step *= 2;
    return true;
  }

  #keep(exchange: Exchange, subject: RequirementId): void {
    this.#kept.add(exchange);
    const kept: KeptExchange = {
      ...reportedExchange(exchange, this.#redactor),
      check: subject,
      label: this.#redactor.redact(exchange.label),
    };
    const line = JSON.stringify(kept);
    this.#exchanges += 1;
    this.#characters += line.length;
    this.#write(line);
  }
}
