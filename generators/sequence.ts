import fc from 'fast-check';
import { type Fault, type Intern, interns, type Scope, vaultFaults } from '../spec/vocabulary.js';
import type { CredentialWord } from './credential.js';
import { type HostWord, locateSecret, type Vocabulary } from './situation.js';

/** One step of a sequence in one of two worlds. */
export type SequenceStep =
  | { readonly do: 'store'; readonly world: 0 | 1; readonly scope: Scope; readonly name: string }
  | {
      readonly do: 'delete';
      readonly world: 0 | 1;
      readonly intern: Intern;
      readonly name: string;
      readonly as: CredentialWord;
      readonly host: HostWord;
    }
  | { readonly do: 'fault'; readonly world: 0 | 1; readonly fault: Fault | 'none' };

/** Names that share beginnings or endings, or nearly look alike. */
export const sequenceNames = ['a', 'ab', 'a_b', 'ab1'] as const;

// With the requests of the final check, this stays below the limit of a world.
const longestSequence = 12;

/** Stores every name in every scope of the first world. */
function storeEverywhere({ stored }: Vocabulary): SequenceStep[] {
  return (['own', 'sibling', 'workspace', 'foreign'] as const)
    .filter((scope) => scope === 'sibling' || stored.includes(locateSecret('own', scope)))
    .flatMap((scope) => sequenceNames.map((name) => ({ do: 'store', world: 0, scope, name }) as const));
}

/** Draws steps that store, delete and set faults, in one world or two interleaved: `store a, delete a, delete a`. */
export function drawSequence(words: Vocabulary): fc.Arbitrary<readonly SequenceStep[]> {
  return fc.oneof(drawSequenceIn(words, [0]), drawSequenceIn(words, [0, 0, 1]));
}

function drawSequenceIn(
  words: Vocabulary,
  worlds: readonly (0 | 1)[],
): fc.Arbitrary<readonly SequenceStep[]> {
  const world = fc.constantFrom(...worlds);
  const name = fc.constantFrom(...sequenceNames);
  const store = fc.record({
    do: fc.constant('store' as const),
    world,
    scope: fc.constantFrom<Scope>('own', 'own', 'sibling', 'workspace', 'foreign'),
    name,
  });
  const remove = fc.record({
    do: fc.constant('delete' as const),
    world,
    intern: fc.constantFrom<Intern>('own', ...interns),
    name,
    // Mostly the right key and host, since a sequence of refusals shows little.
    as: preferPlain<CredentialWord>('member', words.credentials),
    host: preferPlain<HostWord>('global', words.hosts),
  });
  const faults = words.faults.filter((fault) => vaultFaults.includes(fault));
  const fault = fc.record({
    do: fc.constant('fault' as const),
    world,
    fault: fc.constantFrom<Fault | 'none'>('none', ...faults),
  });
  const step: fc.Arbitrary<SequenceStep> = fc.oneof(
    { weight: 4, arbitrary: store },
    { weight: 6, arbitrary: remove },
    // Without faults, the target cannot clear one either.
    { weight: faults.length === 0 ? 0 : 1, arbitrary: fault },
  );
  const start = fc.subarray(storeEverywhere(words));
  const steps = fc.array(step, { minLength: 2, maxLength: longestSequence });
  return fc.tuple(start, steps).map(([stored, more]) => [...stored, ...more]);
}

function preferPlain<T>(plain: T, others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant(plain) },
    { weight: 1, arbitrary: fc.constantFrom(plain, ...others) },
  );
}
