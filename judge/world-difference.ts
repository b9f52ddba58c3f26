import type { RequirementId } from '../spec/ledger.js';
import { safeMethods } from '../spec/vocabulary.js';
import type { Exchange } from '../targets/exchange.js';
import { type Difference, keepingStatuses } from '../targets/world-state.js';

/** What findings about the state of a world are about. */
export const worldStateSubject = 'the state of a world';

/** The requirements of refusals that must delete nothing. */
export const keepsRows: readonly RequirementId[] = keepingStatuses.map(
  (status) => `vault-delete.${status}.keeps` as const,
);

/** The requirements that the state of a world can violate. */
export const worldStateRows = [
  'vault-delete.204.only-the-named',
  'vault-delete.204.takes-effect',
  'vault-delete.204.only-this-intern',
  'vault-delete.204.only-this-scope',
  'vault-delete.safe-methods',
  ...keepsRows,
] as const satisfies readonly RequirementId[];

/** The requirement that a status keeps what it refuses to delete; undefined where it need not. */
export function keepsRowOf(status: number | undefined): RequirementId | undefined {
  const known = keepingStatuses.find((keeping) => keeping === status);
  return known === undefined ? undefined : `vault-delete.${known}.keeps`;
}

/** The requirement that a request violates which leaves a world otherwise than it should be. */
export function rowOfDifference(
  { operation, request: { method, url }, answer }: Exchange,
  { kind, scope, name }: Difference,
): RequirementId {
  if (operation !== 'vault-delete' || method !== 'DELETE') return 'vault-delete.safe-methods';
  // Only what a 204 told to be gone can remain, whichever request brings it back.
  if (kind === 'remaining') return 'vault-delete.204.takes-effect';
  if (answer?.status !== 204) return keepsRowOf(answer?.status) ?? 'vault-delete.204.only-the-named';
  if (!url.includes(`/${name}`)) return 'vault-delete.204.only-the-named';
  return scope === 'own' || scope === 'sibling'
    ? 'vault-delete.204.only-this-intern'
    : 'vault-delete.204.only-this-scope';
}

/** The requirements that hold where a world is as it should be after requests with these methods and statuses. */
export function rowsShownBy(outcomes: Iterable<string>): readonly RequirementId[] {
  return [...outcomes].flatMap((outcome): readonly RequirementId[] => {
    const [method = '', status] = outcome.split(' ');
    if (safeMethods.includes(method)) return ['vault-delete.safe-methods'];
    if (method !== 'DELETE') return [];
    if (status === '204') return ['vault-delete.204.only-the-named', 'vault-delete.204.takes-effect'];
    const row = keepsRowOf(Number(status));
    return row === undefined ? [] : [row];
  });
}

/** What was expected of a world and what it holds, in words. */
export function explainDifference({ kind, scope }: Difference): {
  readonly expected: string;
  readonly actual: string;
} {
  const where = scope === 'workspace' ? 'the workspace' : `the intern ${scope}`;
  switch (kind) {
    case 'missing':
      return {
        expected: `a secret of ${where} to stay`,
        actual: 'the control protocol no longer lists it',
      };
    case 'remaining':
      return {
        expected: `the secret of ${where} to be gone`,
        actual: 'the control protocol still lists it',
      };
    case 'added':
      return {
        expected: 'no secret but those that were stored',
        actual: `the control protocol lists another one of ${where}`,
      };
  }
}
