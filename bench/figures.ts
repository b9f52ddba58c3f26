import { appendFile, readFile, writeFile } from 'node:fs/promises';

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
const worseAtMost = 1 / 4;

/** How many earlier runs are shown beside a figure. */
const runsShown = 5;

/** The figures of one run of the bench, printed as they come. */
export class Figures {
  readonly #figures = new Map<string, Figure>();
  readonly #notes = new Map<string, number>();
  readonly #before: Readonly<Record<string, Figure>>;
  readonly #history: readonly KeptRun[];

  private constructor(before: Readonly<Record<string, Figure>>, history: readonly KeptRun[]) {
    this.#before = before;
    this.#history = history;
  }

  /** Begins a run that is compared with the figures in a file, and shown beside those of the last runs. */
  static async comparedWith(file: string, historyFile: string): Promise<Figures> {
    const { figures = {} } = JSON.parse(await readFile(file, 'utf8')) as Written;
    const history = await readFile(historyFile, 'utf8').catch(() => '');
    const lines = history.split('\n').filter((line) => line !== '');
    return new Figures(
      figures,
      lines.map((line) => JSON.parse(line)),
    );
  }

  /** Prints a figure, its bound, and what it was in the last runs, the latest first, or else in the recorded one. */
  record(name: string, value: number, bound: Bound): void {
    const rounded = Math.round(value * 1000) / 1000;
    const met = 'atLeast' in bound ? rounded >= bound.atLeast : rounded <= bound.atMost;
    const target = 'atLeast' in bound ? `at least ${bound.atLeast}` : `at most ${bound.atMost}`;
    this.#figures.set(name, { value: rounded, target, met });
    const kept = this.#history.flatMap(({ figures }) => figures[name] ?? []).slice(-runsShown);
    // A fresh checkout has no history.
    const before = kept.length === 0 ? [this.#before[name]?.value ?? 'new'] : kept.toReversed();
    const was = before[0] === 'new' ? 'new' : `was ${before.join(', ')}`;
    process.stdout.write(
      `${name.padEnd(66)} ${String(rounded).padStart(9)}   ${target.padEnd(14)} ${was}${met ? '' : '  MISSED'}\n`,
    );
  }

  /** Keeps an amount that another figure was made of. */
  note(name: string, value: number): void {
    this.#notes.set(name, Math.round(value * 1000) / 1000);
  }

  /** The names of the figures that missed their bounds. */
  get missed(): readonly string[] {
    return [...this.#figures].filter(([, { met }]) => !met).map(([name]) => name);
  }

  /** Writes all of them into a file, what they were made of too. */
  async write(file: string): Promise<void> {
    const figures = Object.fromEntries(this.#figures);
    const results = { figures, made_of: Object.fromEntries(this.#notes) };
    await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
  }

  /** Appends all of them to a file, a line for each run. */
  async keep(file: string): Promise<void> {
    const values = Object.fromEntries([...this.#figures].map(([name, { value }]) => [name, value]));
    const run: KeptRun = { at: new Date().toISOString(), figures: values };
    await appendFile(file, `${JSON.stringify(run)}\n`);
  }

  /** The figures that are worse by more than a quarter than before, a line each. */
  get worse(): readonly string[] {
    return [...this.#figures].flatMap(([name, { value, target }]) => {
      const known = this.#before[name]?.value;
      if (known === undefined || known === 0) return [];
      const ratio = target.startsWith('at least') ? value / known : known / value;
      return ratio >= 1 - worseAtMost ? [] : [`${name}: ${value}, and was ${known}`];
    });
  }
}

/** A line of the history: the figures of one run. */
interface KeptRun {
  readonly at: string;
  readonly figures: Readonly<Record<string, number>>;
}

interface Written {
  /** Absent from what an earlier bench wrote. */
  readonly figures?: Readonly<Record<string, Figure>>;
}
