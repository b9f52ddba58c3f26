import type { RequirementId } from '../spec/ledger.js';
import type { Mismatch } from '../spec/report.js';
import { safeMethods } from '../spec/vocabulary.js';
import type { Exchange } from '../targets/exchange.js';
import type { World } from '../targets/world.js';
import { type Difference, differenceLastsMs, keepingStatuses } from '../targets/world-state.js';
import type { WorldUse } from './world-pool.js';

/** A world that did not hold what it should, and its users. */
export interface WorldSuspect<User> {
  readonly difference: Difference;
  /** The users that may have caused it, the most likely first. */
  readonly users: readonly User[];
  readonly storer: User | undefined;
}

// Each kind of difference is investigated once, and several may show one kind.
const maxSuspects = 4;

/** Audits every world before it is closed. */
export class WorldAudit<User> {
  readonly suspects: WorldSuspect<User>[] = [];
  readonly passed = new Set<RequirementId>();

  constructor(private readonly signal: AbortSignal) {}

  readonly audit = async ({ state }: World, uses: readonly WorldUse<User>[]): Promise<void> => {
    if (state === undefined || state.stored.length === 0 || this.signal.aborted) return;
    if (this.suspects.length >= maxSuspects) return;
    // A world that could not be listed shows nothing.
    const differences = await state.differences(differenceLastsMs, this.signal).catch(() => undefined);
    if (differences === undefined) return;
    const [difference] = differences;
    if (difference === undefined) {
      for (const row of findPassedRows(state.outcomes)) this.passed.add(row);
      return;
    }
    const { scope, name } = difference;
    const place = state.stored.findLastIndex((stored) => stored.scope === scope && stored.name === name);
    const by = uses.findIndex(({ storedFrom, storedTo }) => storedFrom <= place && place < storedTo);
    const users = uses.slice(Math.max(by, 0)).map(({ user }) => user);
    this.suspects.push({ difference, users, storer: uses[by]?.user });
  };
}

export const worldStateSubject = 'the state of a world';

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

/** Finds the requirement that a status deletes nothing; undefined where there is none. */
export function findKeepsRow(status: number | undefined): RequirementId | undefined {
  return keepsRows.find((row) => row === `vault-delete.${status}.keeps`);
}

/** Finds the requirement that a request violates by a difference. */
export function findViolatedRow(
  { operation, request: { method, url }, answer }: Exchange,
  { kind, scope, name }: Difference,
): RequirementId {
  if (operation !== 'vault-delete' || method !== 'DELETE') return 'vault-delete.safe-methods';
  // Only what a 204 deleted can remain, whichever request brings it back.
  if (kind === 'remaining') return 'vault-delete.204.takes-effect';
  if (answer?.status !== 204) return findKeepsRow(answer?.status) ?? 'vault-delete.204.only-the-named';
  const [path = ''] = url.split(/[?#]/);
  if (!path.endsWith(`/${name}`)) return 'vault-delete.204.only-the-named';
  return scope === 'own' || scope === 'sibling'
    ? 'vault-delete.204.only-this-intern'
    : 'vault-delete.204.only-this-scope';
}

/** Finds the requirements that pass where a world is clean after requests with these methods and statuses. */
function findPassedRows(outcomes: Iterable<string>): readonly RequirementId[] {
  return [...outcomes].flatMap((outcome): RequirementId | readonly RequirementId[] => {
    const [method = '', status] = outcome.split(' ');
    if (safeMethods.includes(method)) return ['vault-delete.safe-methods'];
    if (method !== 'DELETE') return [];
    if (status === '204') return ['vault-delete.204.only-the-named', 'vault-delete.204.takes-effect'];
    return findKeepsRow(Number(status)) ?? [];
  });
}

/** Explains a difference: what was expected of the world, and what it holds. */
export function explainDifference({ kind, scope }: Difference) {
  const where = scope === 'workspace' ? 'the workspace' : `the intern ${scope}`;
  const words = {
    missing: [`a secret of ${where} to stay`, 'no longer lists it', 'lost'],
    remaining: [`the secret of ${where} to be gone`, 'still lists it', 'kept'],
    added: ['no secret but those that were stored', `lists another one of ${where}`, 'added'],
  } as const;
  const [expected, does, secret] = words[kind];
  const mismatch: Mismatch = { wrong: 'secret', secret };
  return { expected, actual: `the control protocol ${does}`, mismatch };
}
