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

/** The figures of one run of the bench, printed as they come. */
export class Figures {
  readonly #figures = new Map<string, Figure>();
  readonly #notes = new Map<string, number>();
  readonly #before: Readonly<Record<string, Figure>>;

  private constructor(before: Readonly<Record<string, Figure>>) {
    this.#before = before;
  }

  /** Begins a run that is compared with the figures in a file. */
  static async comparedWith(file: string): Promise<Figures> {
    const { figures = {} } = JSON.parse(await readFile(file, 'utf8')) as Written;
    return new Figures(figures);
  }

  /** Prints a figure, its bound, and what it was before. */
  record(name: string, value: number, bound: Bound): void {
    const rounded = Math.round(value * 1000) / 1000;
    const met = 'atLeast' in bound ? rounded >= bound.atLeast : rounded <= bound.atMost;
    const target = 'atLeast' in bound ? `at least ${bound.atLeast}` : `at most ${bound.atMost}`;
    this.#figures.set(name, { value: rounded, target, met });
    const before = this.#before[name]?.value;
    const was = before === undefined ? 'new' : `was ${before}`;
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
    await appendFile(file, `${JSON.stringify({ at: new Date().toISOString(), figures: values })}\n`);
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

interface Written {
  /** Absent from what an earlier bench wrote. */
  readonly figures?: Readonly<Record<string, Figure>>;
}
