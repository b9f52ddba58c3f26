import type { FieldChange, Mutation } from './mutation.js';

/** How hard a violation is to detect: by one request, by some inputs, intermittently, or only at depth deep. */
type Hardness = 'plain' | 'subtle' | 'intermittent' | 'rare';

/** The reference with one violation. */
export interface Mutant {
  /** The area of the ledger, a dot, and what is wrong: `vault-delete.404-as-403`. */
  readonly id: string;
  /** The requirements, by their ids in the ledger, that a run against it must find violated. */
  readonly violates: readonly [string, ...string[]];
  /** What is wrong, in one line. */
  readonly description: string;
  readonly hardness: Hardness;
  /** Whether the everyday proof judges it; `plumbline prove --all` judges the rest of the catalogue too. */
  readonly everyday: boolean;
  readonly mutation: Mutation;
}

/** Mutants by their ids. */
export type MutantRows = Readonly<Record<string, Omit<Mutant, 'id'>>>;

/** All rows made so far. A row that is missing from the catalogue was overwritten by another with the same ID. */
export const rowsMade = new Set<MutantRows[string]>();

/**
 * Makes the rows of one hardness: from the requirements that a mutant violates, then from what is wrong with it.
 * @example plain('key-info.200.read')('A key read gets 201', setStatus({ operation: 'key-read' }, 201))
 */
export type RowMaker = (
  ...violates: Mutant['violates']
) => (description: string, mutation: Mutation) => MutantRows[string];

function makeRows(hardness: Hardness, isEveryday = false): RowMaker {
  return (...violates) =>
    (description, mutation) => {
      const row = { violates, description, hardness, everyday: isEveryday, mutation };
      rowsMade.add(row);
      return row;
    };
}

/** A violation that one request of its kind shows. */
export const plain = makeRows('plain');

/** A violation that only some inputs show. */
export const subtle = makeRows('subtle');

/** A violation that occurs only intermittently. */
export const intermittent = makeRows('intermittent');

/** A violation that only a run at depth deep is sure to find; the proof judges such a mutant at that depth. */
export const rare = makeRows('rare');

/** The same for mutants that the everyday proof judges. */
export const everyday = {
  plain: makeRows('plain', true),
  subtle: makeRows('subtle', true),
  intermittent: makeRows('intermittent', true),
};

/** What a mutant violates and its id, both without the area; what is wrong; and the parameter of its mutation. */
type TableRow<Parameter> = readonly [violates: string, id: string, words: string, parameter: Parameter];

/**
 * Makes mutants of one area that differ in the parameter of one mutation.
 * @example tabulate('secret-name', subtle, readNameAs, [['identity', 'trims-blanks', 'Blanks are cut off', trim]])
 */
export function tabulate<Parameter>(
  area: string,
  row: RowMaker,
  mutate: (parameter: Parameter) => Mutation,
  rows: readonly TableRow<NoInfer<Parameter>>[],
): MutantRows {
  return Object.fromEntries(
    rows.map(([violates, id, words, parameter]) => {
      const [first = '', ...others] = violates.split(' ').map((end) => `${area}.${end}`);
      return [`${area}.${id}`, row(first, ...others)(words, mutate(parameter))];
    }),
  );
}

/**
 * Makes mutants of one area that violate the same and differ in the parameter of one mutation; a row has the end of the
 * id, what is wrong, in words, and the parameter.
 * @example tabulateAlike('auth', subtle('auth.altered-key'), readKeyBy, [['key-up-to-a-semicolon', 'A key ends at ;', cut]])
 */
export function tabulateAlike<Parameter>(
  area: string,
  row: ReturnType<RowMaker>,
  mutate: (parameter: Parameter) => Mutation,
  rows: readonly (readonly [id: string, words: string, parameter: NoInfer<Parameter>])[],
): MutantRows {
  return Object.fromEntries(
    rows.map(([id, words, parameter]) => [`${area}.${id}`, row(words, mutate(parameter))]),
  );
}

/** A field, the end of the mutant's id, what is wrong with the field, and how its value is changed. */
type FieldRow = readonly [field: string, id: string, words: string, change: FieldChange];

/**
 * Makes mutants that change one field each of what an operation reads.
 * @param violates the requirement that each violates; `AREA.field` stands for the one about the type of its field
 * @example tabulateFields('key-info.field', plain, editKey, [['label', 'label-null', 'is null', () => null]])
 */
export function tabulateFields(
  violates: `${'guardrail-read' | 'key-info'}.${string}`,
  row: RowMaker,
  edit: (field: string, change: FieldChange) => Mutation,
  rows: readonly FieldRow[],
): MutantRows {
  const [area] = violates.split('.');
  return Object.fromEntries(
    rows.map(([field, id, words, change]) => {
      const requirement = violates.endsWith('.field') ? `${violates}.${field}` : violates;
      return [`${area}.${id}`, row(requirement)(`${field} ${words}`, edit(field, change))];
    }),
  );
}
