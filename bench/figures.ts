import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { appendHistory, buildHistoryEntry, type HistoryEntry, readHistory } from '../reports/history.js';
import type { Report } from '../spec/report.js';

/** A figure of the bench: a ratio, or an amount in the unit that its name says. */
interface Figure {
  readonly value: number;
  /** Its bound, in words. */
  readonly target: string;
  readonly met: boolean;
}

/** The bound that a figure must meet. */
export type Bound = { readonly atLeast: number } | { readonly atMost: number };

/** How much a ratio may get worse before the short form fails. */
const maxWorse = 1 / 4;

/** How many earlier runs are shown beside a figure. */
const runsShown = 5;

/** The figures of one run of the bench, printed as they are measured. */
export class Figures {
  readonly #figures = new Map<string, Figure>();
  readonly #notes = new Map<string, number>();

  private constructor(
    private readonly before: Readonly<Record<string, Figure>>,
    private readonly history: readonly HistoryEntry[],
  ) {}

  /** Begins a run that is compared with the figures in a file, and shown beside those of the last runs. */
  static async comparedWith(file: string, historyFile: string): Promise<Figures> {
    const { figures } = JSON.parse(await readFile(file, 'utf8')) as { figures: Record<string, Figure> };
    const entries = existsSync(historyFile) ? (await readHistory(historyFile)).entries : [];
    return new Figures(figures, entries);
  }

  /** Prints a figure, its bound, and what it was in the last runs, the latest first, or else in the recorded one. */
  record(name: string, value: number, bound: Bound): void {
    const rounded = Math.round(value * 1000) / 1000;
    const met = 'atLeast' in bound ? rounded >= bound.atLeast : rounded <= bound.atMost;
    const target = 'atLeast' in bound ? `at least ${bound.atLeast}` : `at most ${bound.atMost}`;
    this.#figures.set(name, { value: rounded, target, met });
    const kept = this.history.flatMap(({ figures }) => figures?.[name] ?? []).slice(-runsShown);
    // A fresh checkout has no history.
    const before = kept.length === 0 ? [this.before[name]?.value ?? 'new'] : kept.toReversed();
    const was = before[0] === 'new' ? 'new' : `was ${before.join(', ')}`;
    process.stdout.write(
      `${name.padEnd(66)} ${String(rounded).padStart(9)}   ${target.padEnd(14)} ${was}${met ? '' : '  MISSED'}\n`,
    );
  }

  /** Keeps a value from which a figure is computed. */
  note(name: string, value: number): void {
    this.#notes.set(name, Math.round(value * 1000) / 1000);
  }

  /** The names of the figures that missed their bounds. */
  get missed(): readonly string[] {
    return [...this.#figures].filter(([, { met }]) => !met).map(([name]) => name);
  }

  /** Writes all figures, and the values they are computed from, into a file. */
  async write(file: string): Promise<void> {
    const figures = Object.fromEntries(this.#figures);
    const results = { figures, made_of: Object.fromEntries(this.#notes) };
    await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
  }

  /** Appends all figures, with the standard run of this bench, to a history that `plumbline trend` charts. */
  async keep(file: string, standardRun: Report): Promise<void> {
    const figures = Object.fromEntries([...this.#figures].map(([name, { value }]) => [name, value]));
    await appendHistory(file, { ...buildHistoryEntry(standardRun), figures });
  }

  /** Describes each figure that is more than a quarter worse than before, a line each. */
  get worse(): readonly string[] {
    return [...this.#figures].flatMap(([name, { value, target }]) => {
      const known = this.before[name]?.value;
      if (known === undefined || known === 0) return [];
      const ratio = target.startsWith('at least') ? value / known : known / value;
      return ratio >= 1 - maxWorse ? [] : [`${name}: ${value}, and was ${known}`];
    });
  }
}
