import type { KeptExchange } from '../spec/journal.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Exchange } from '../targets/exchange.js';
import type { Redactor } from '../targets/redaction.js';
import { reportExchange } from './evidence.js';

/** How much of a run's traffic is kept completely; beyond that, only failures and a sample. */
export const keptWhole = { exchanges: 2_000, characters: 4_000_000 } as const;

const maxFailures = 1_000;
// The sample grows with the logarithm of what is sent: after each hundred samples the step doubles.
const sampleStep = 20;
const samplesOfAStep = 100;

/** Receives an exchange that ended, and the requirement that it was sent for. */
export type OnExchange = (exchange: Exchange, subject: RequirementId) => void;

/** Writes a sample of a run's exchanges, redacted. */
export class TrafficLog {
  readonly #kept = new WeakSet<Exchange>();
  #exchanges = 0;
  #characters = 0;
  #failures = 0;
  #dropped = 0;
  #step = sampleStep;
  #samples = 0;

  /**
   * @param write receives each KeptExchange as JSON
   * @param onExchange receives every exchange, whether it is kept or not
   */
  constructor(
    private readonly redactor: Redactor,
    private readonly write: (exchange: string) => void,
    private readonly onExchange?: OnExchange,
  ) {}

  /** Keeps an exchange if there is room, or if it is in the sample. */
  add(exchange: Exchange, subject: RequirementId): void {
    this.onExchange?.(exchange, subject);
    const hasRoom = this.#exchanges < keptWhole.exchanges && this.#characters < keptWhole.characters;
    if (hasRoom || this.#isSampled()) this.#keep(exchange, subject);
  }

  addFailed(exchanges: readonly Exchange[], subject: RequirementId): void {
    for (const exchange of exchanges) {
      if (this.#failures >= maxFailures || this.#kept.has(exchange)) continue;
      this.#failures += 1;
      this.#keep(exchange, subject);
    }
  }

  #isSampled(): boolean {
    this.#dropped += 1;
    if (this.#dropped % this.#step !== 0) return false;
    this.#samples += 1;
    if (this.#samples % samplesOfAStep === 0) this.#step *= 2;
    return true;
  }

  #keep(exchange: Exchange, subject: RequirementId): void {
    this.#kept.add(exchange);
    const label = this.redactor.redact(exchange.label);
    const kept: KeptExchange = { ...reportExchange(exchange, this.redactor), check: subject, label };
    const line = JSON.stringify(kept);
    this.#exchanges += 1;
    this.#characters += line.length;
    this.write(line);
  }
}
