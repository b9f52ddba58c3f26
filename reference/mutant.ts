import type { Call } from './behaviour.js';
import type { Mutation } from './mutation.js';
import type { JsonObject } from './vocabulary.js';

/**
 * How hard a violation is to see: with one request of its kind, only for some inputs, only now and then, only at depth deep.
 */
type Hardness = 'plain' | 'subtle' | 'intermittent' | 'rare';

/** The reference with one violation. */
export interface Mutant {
  /** The area of the ledger, a dot, and what is wrong: `vault-delete.404-as-403`. */
  readonly id: string;
  /** The requirements, by their ids in the ledger, that a run against it must find violated. */
  readonly violates: readonly [string, ...string[]];
  /** Requirements that it may violate too, since they say the same of other requests. */
  readonly alsoViolates: readonly string[];
  /** What is wrong, in one line. */
  readonly description: string;
  readonly hardness: Hardness;
  /** Whether the everyday proof judges it; `plumbline prove --all` judges the rest of the catalogue too. */
  readonly everyday: boolean;
  readonly mutation: Mutation;
}

/** A mutant without what its group has in common. */
export type Row = Omit<Mutant, 'id' | 'violates'>;

export type RowMaker = (description: string, mutation: Mutation, alsoViolates?: readonly string[]) => Row;

function makeRow(hardness: Hardness, isEveryday = false): RowMaker {
  return (description, mutation, alsoViolates = []) => {
    return { alsoViolates, description, hardness, everyday: isEveryday, mutation };
  };
}

/** A row for a violation that one request of its kind shows. */
export const plain: RowMaker = makeRow('plain');

/** A row for a violation that only some inputs show. */
export const subtle: RowMaker = makeRow('subtle');

/** A row for a violation that shows only now and then. */
export const intermittent: RowMaker = makeRow('intermittent');

/** A row for a violation that only a run at depth deep is sure to find; the proof judges such a mutant at that depth. */
export const rare: RowMaker = makeRow('rare');

/** The same rows for mutants that the everyday proof judges. */
export const everyday = {
  plain: makeRow('plain', true),
  subtle: makeRow('subtle', true),
  intermittent: makeRow('intermittent', true),
};

/**
 * Makes mutants that violate the same requirements, each by its id.
 * @example makeMutants('key-info.200.read', { 'key-info.read-201': plain('A key read gets 201', …) })
 */
export function makeMutants(
  violates: string | Mutant['violates'],
  rows: Readonly<Record<string, Row>>,
): readonly Mutant[] {
  const requirements: Mutant['violates'] = typeof violates === 'string' ? [violates] : violates;
  return Object.entries(rows).map(([id, row]) => ({ id, violates: requirements, ...row }));
}

/**
 * What a mutant violates, without the area, several with a blank between them; the end of its id; what is wrong, in
 * words; and the parameter of its mutation.
 */
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
  alsoViolates?: readonly string[],
): readonly Mutant[] {
  return rows.flatMap(([violates, id, words, parameter]) => {
    const [first = '', ...others] = violates.split(' ').map((end) => `${area}.${end}`);
    return makeMutants([first, ...others], {
      [`${area}.${id}`]: row(words, mutate(parameter), alsoViolates),
    });
  });
}

/**
 * A field, the end of the mutant's id, what is wrong with the field, how its value is changed, and the requirement of the
 * area that this violates, where that is not the one about the type of the field.
 */
type FieldRow = readonly [
  field: string,
  id: string,
  words: string,
  change: (value: unknown, record: JsonObject, call: Call) => unknown,
  violates?: string,
];

/**
 * Makes mutants that change one field each of what an operation reads.
 * @example makeFieldMutants('key-info', editKey, plain, [['label', 'label-null', 'is null', () => null]])
 */
export function makeFieldMutants(
  area: 'guardrail-read' | 'key-info',
  edit: (field: string, change: FieldRow[3]) => Mutation,
  row: RowMaker,
  rows: readonly FieldRow[],
): readonly Mutant[] {
  return rows.flatMap(([field, id, words, change, violates = `field.${field}`]) =>
    makeMutants(`${area}.${violates}`, {
      [`${area}.${id}`]: row(`${field} ${words}`, edit(field, change), [`${area}.200.values`]),
    }),
  );
}
