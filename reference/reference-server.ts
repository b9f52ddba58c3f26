import type { Server } from 'node:http';
import { mutants } from './mutants.js';
import { makeReference } from './server.js';
import type { Variant } from './variant.js';
import { variants } from './variants.js';

/** Which reference server is made; the reference itself where nothing is said. */
export interface ReferenceServerOptions {
  /** A mutant by its id: the reference with one violation. `plumbline prove --list` names them all. */
  readonly mutant?: string | undefined;
  /** A variant by its id: the reference with one difference that the document permits. */
  readonly variant?: string | undefined;
  /** When set, every control call must carry it. */
  readonly controlToken?: string | undefined;
}

/** Makes the embedded server, which does not listen yet. Throws RangeError for an unknown mutant or variant. */
export function referenceServer(options: ReferenceServerOptions = {}): Server {
  const { mutation: behaviour, capabilities } = chooseServer(options);
  return makeReference({ behaviour, capabilities, controlToken: options.controlToken }).server;
}

/** How the server that is asked for differs from the reference. */
function chooseServer({
  mutant,
  variant,
}: ReferenceServerOptions): Pick<Variant, 'mutation' | 'capabilities'> {
  if (mutant !== undefined && variant !== undefined)
    throw new RangeError('A mutant and a variant are two servers. Ask for one of them.');
  if (mutant !== undefined) return findRow(mutants, 'mutant', mutant);
  return variant === undefined ? { mutation: {} } : findRow(variants, 'variant', variant);
}

function findRow<Row extends { readonly id: string }>(rows: readonly Row[], kind: string, id: string): Row {
  const row = rows.find((candidate) => candidate.id === id);
  if (row === undefined)
    throw new RangeError(`There is no ${kind} ${id}. \`plumbline prove --list\` names them all.`);
  return row;
}
