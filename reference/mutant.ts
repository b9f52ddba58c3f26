import type { Override } from './mutation.js';

/** How hard a violation is to see: with one request of its kind, only for some inputs, only now and then. */
type Hardness = 'plain' | 'subtle' | 'intermittent';

/** The reference with one violation of one statement. */
export interface Mutant {
  /** The area of the ledger, a dot, and what is wrong: `vault-delete.404-as-403`. */
  readonly id: string;
  /** The section of the document that is violated. */
  readonly section: string;
  /** The requirements, by their ids in the ledger, that a run against it must find violated. */
  readonly turnsRed: readonly [string, ...string[]];
  /** Requirements that it may violate besides, since they say the same of other requests; none where absent. */
  readonly alsoRed?: readonly string[];
  /** What is wrong, in one line. */
  readonly description: string;
  readonly hardness: Hardness;
  /** Whether the everyday proof judges it; the rest of the catalogue is judged by `plumbline prove --all`. */
  readonly everyday: boolean;
  readonly override: Override;
}

/** What a mutant does wrong, in one line, under how hard that is to see and whether that is judged every day. */
type Row = Pick<Mutant, 'alsoRed' | 'override'> &
  (
    | { readonly plain: string }
    | { readonly subtle: string }
    | { readonly intermittent: string }
    | { readonly everydayPlain: string }
    | { readonly everydaySubtle: string }
    | { readonly everydayIntermittent: string }
  );

/** Makes mutants that violate the same requirements, each by its id. */
export function makeMutants(
  section: string,
  turnsRed: Mutant['turnsRed'],
  rows: Readonly<Record<string, Row>>,
): readonly Mutant[] {
  return Object.entries(rows).map(([id, row]) => {
    const { alsoRed = [], override } = row;
    return { id, section, turnsRed, alsoRed, ...describe(row), override };
  });
}

function describe(row: Row): Pick<Mutant, 'hardness' | 'everyday' | 'description'> {
  if ('plain' in row) return { hardness: 'plain', everyday: false, description: row.plain };
  if ('subtle' in row) return { hardness: 'subtle', everyday: false, description: row.subtle };
  if ('intermittent' in row)
    return { hardness: 'intermittent', everyday: false, description: row.intermittent };
  if ('everydayPlain' in row) return { hardness: 'plain', everyday: true, description: row.everydayPlain };
  if ('everydaySubtle' in row) return { hardness: 'subtle', everyday: true, description: row.everydaySubtle };
  return { hardness: 'intermittent', everyday: true, description: row.everydayIntermittent };
}
