import type { Leftover, SecretLeftover, WorldLeftover } from '../spec/journal.js';
import type { LeftBehind } from './target.js';

/** A world that may be left, as reports show it. */
export function leftWorld({ label, id }: WorldLeftover, why: string): LeftBehind {
  const toDo = 'delete it by the control protocol, or wait until it expires';
  return id === undefined
    ? {
        ...{ kind: 'world', scope: 'world', name: `opened for ${label}` },
        why: 'the answer with its id did not come; if it was made, wait until it expires',
      }
    : { kind: 'world', scope: 'world', name: id, why: `${why}; ${toDo}`, id };
}

/** A secret that may be left, as reports show it. */
export function leftSecret({ scope, intern, name }: Omit<SecretLeftover, 'kind'>, why: string): LeftBehind {
  return { kind: 'secret', scope, name, why, ...(intern === undefined ? {} : { intern }) };
}

/** Something that a run which was killed may have left. */
export function leftByKilledRun(leftover: Leftover): LeftBehind {
  const why = 'the run was killed before it could delete it';
  return leftover.kind === 'world'
    ? leftWorld(leftover, why)
    : leftSecret(leftover, `${why}; delete it with the member key`);
}
