import type { Capabilities } from './capabilities.js';
import { conforming } from './conforming.js';
import type { Mutation } from './mutation.js';

/** The reference with one permitted difference. */
export interface Variant {
  /** What is different: `compressed-answers`. */
  readonly id: string;
  /** The section of the document that leaves the freedom. */
  readonly section: string;
  /** What is different, in one line. */
  readonly description: string;
  /** Whether the everyday proof judges it; the rest of the catalogue is judged by `plumbline prove --all`. */
  readonly everyday: boolean;
  readonly mutation: Mutation;
  /** What its control offers, where that is less than everything. */
  readonly capabilities?: Partial<Capabilities>;
  /** How a run may end other than conformant: something is not exercised or inconclusive. */
  readonly mayEnd?: 'incomplete';
  /** Seconds that a run may take, where that is more than any other server needs. */
  readonly maxTimeS?: number;
}

/** Variants by their ids. */
export type VariantRows = Readonly<Record<string, Omit<Variant, 'id'>>>;

function makeRows(isEveryday: boolean) {
  return (section: string) =>
    (
      description: string,
      mutation: Mutation,
      more: Pick<Variant, 'capabilities' | 'mayEnd' | 'maxTimeS'> = {},
    ): VariantRows[string] => ({ section, description, everyday: isEveryday, mutation, ...more });
}

/**
 * Makes rows that only `plumbline prove --all` judges: from the section that leaves the freedom, then from what is different.
 * @example permitted('6')('[DONE] follows the in-band error', editFrames(…))
 */
export const permitted = makeRows(false);

/** Makes rows that the everyday proof judges. */
export const everyday = makeRows(true);

/** One server with all the differences of some variants, of which no two take the same decision. */
export function combineVariants(variants: readonly Variant[]): Variant {
  const list = (of: (variant: Variant) => string, separator: string) =>
    [...new Set(variants.map(of))].join(separator);
  const mutation: Record<string, unknown> = {};
  for (const [decision, value] of variants.flatMap((variant) => Object.entries(variant.mutation)))
    mutation[decision] = isTable(value)
      ? { ...usual[decision], ...(mutation[decision] ?? {}), ...pickChanged(decision, value) }
      : value;
  return {
    id: list(({ id }) => id, ' + '),
    section: list(({ section }) => section, ', §'),
    description: list(({ description }) => description, '; '),
    everyday: variants.every(({ everyday }) => everyday),
    mutation,
  };
}

/** The decisions that a mutation changes; where one is a table, the entries that it changes: `gates.vault-delete`. */
export function decisionsOf(mutation: Mutation): readonly string[] {
  return Object.entries(mutation).flatMap(([decision, value]) =>
    isTable(value)
      ? Object.keys(pickChanged(decision, value)).map((part) => `${decision}.${part}`)
      : decision,
  );
}

type Table = Readonly<Record<string, unknown>>;

/** The decisions of the reference that are tables; the others are read as empty ones. */
const usual = Object.fromEntries(
  Object.entries(conforming).map(([name, value]): [string, Table] => [name, isTable(value) ? value : {}]),
);

function pickChanged(name: string, table: Table): Table {
  return Object.fromEntries(Object.entries(table).filter(([part, value]) => value !== usual[name]?.[part]));
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null;
}
