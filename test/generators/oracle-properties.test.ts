import { describe, expect, it } from 'vitest';
import {
  combine,
  makeGuardrailSpace,
  makeInferenceSpace,
  makeKeySpace,
  makeVaultSpace,
} from '../../generators/combinations.js';
import { listOfferedWords } from '../../generators/inputs.js';
import { consultOracle, listRequirements, predictFate } from '../../generators/oracle.js';
import { makeValidName } from '../../generators/secret-name.js';
import { makePlainVault, type Situation } from '../../generators/situation.js';
import { isPermittedStatus } from '../../judge/passive-rules.js';
import { type RequirementId, requirement } from '../../spec/ledger.js';
import { everyGuardrailRead, everyKeyRead, everyVaultDeleteWithExtras } from './situation-product.js';

const words = listOfferedWords(() => true);
const rowsAs = <S extends Situation>({ rows }: { readonly rows: readonly { readonly value: S }[] }) =>
  rows.map(({ value }) => value);
const any: readonly Situation[] = [
  ...rowsAs(combine(makeVaultSpace(words, 20), 2, 20)),
  ...rowsAs(combine(makeVaultSpace(words, 20), 3, 20)).slice(0, 1_000),
  ...rowsAs(combine(makeGuardrailSpace(words), 2, 20)),
  ...rowsAs(combine(makeKeySpace(words), 2, 20)),
  ...words.models.flatMap((model) => rowsAs(combine(makeInferenceSpace(words, model), 2, 20))),
];

function holdsForAll(situations: readonly Situation[], holds: (situation: Situation) => void): void {
  expect(situations.length).toBeGreaterThan(50);
  for (const situation of situations) holds(situation);
}

const statuses = (situation: Situation): readonly number[] => [...consultOracle(situation).allowed.keys()];
const successOf = ({ operation }: Situation) => (operation === 'vault-delete' ? 204 : 200);

describe('allowed statuses', () => {
  it('a situation allows at least one status, and only those of its operation', () => {
    holdsForAll(any, (situation) => {
      expect(statuses(situation)).not.toEqual([]);
      const isPermitted = (status: number) =>
        isPermittedStatus(situation.operation, status) || status === successOf(situation);
      expect(statuses(situation).filter((status) => !isPermitted(status))).toEqual([]);
    });
  });

  it('a situation allows the statuses of its own rules', () => {
    holdsForAll(any, (situation) => {
      const { allowed, due, maySucceed } = consultOracle(situation);
      for (const [status, rule] of allowed) expect(rule.statuses).toContain(status);
      for (const status of due.statuses) expect(allowed.has(status)).toBe(true);
      expect(maySucceed).toBe(allowed.has(successOf(situation)));
    });
  });
});

describe('named requirements', () => {
  it('the oracle names only requirements of the operation', () => {
    for (const products of [everyVaultDeleteWithExtras(), everyGuardrailRead(), everyKeyRead()]) {
      const named = new Set<string>();
      for (const situation of products) {
        const { allowed, due } = consultOracle(situation);
        for (const { requirement: id } of [due, ...allowed.values()])
          named.add(`${situation.operation} ${id}`);
      }
      expect([...named].filter((pair) => !isRowOf(pair))).toEqual([]);
    }
  });

  it('the oracle names only listed requirements for every name, and no list has a duplicate', () => {
    holdsForAll(any, (situation) => {
      const rows = listRequirements(situation.operation);
      const { allowed, due } = consultOracle(situation);
      for (const { requirement: id } of [due, ...allowed.values()]) expect(rows).toContain(id);
      expect(new Set(rows).size).toBe(rows.length);
    });
  });

  const isPlain = ({ as }: Situation) =>
    !['exhausted', 'overdrawn', 'management', 'provisioning'].includes(as);

  it('a named requirement allows the status in its id', () => {
    holdsForAll(any.filter(isPlain), (situation) => expect(listMisnamed(situation)).toEqual([]));
  });

  it('a rule is marked as open if it allows a status that decides nothing', () => {
    holdsForAll(any, (situation) => {
      const open = [...consultOracle(situation).allowed.values()].filter(({ isOpen }) => isOpen === true);
      expect(
        listMisnamed(situation).every((told) => open.some(({ requirement }) => told.startsWith(requirement))),
      ).toBe(true);
    });
  });
});

function isRowOf(pair: string): boolean {
  const [operation, id] = pair.split(' ');
  return listRequirements(operation as Situation['operation']).includes(id as RequirementId);
}

/** Lists requirements that would pass with a status that neither their id nor their statement names. */
function listMisnamed(situation: Situation): readonly string[] {
  return [...consultOracle(situation).allowed].flatMap(([status, { requirement: id }]) => {
    const inId = /\.(\d{3})\./.exec(id)?.[1];
    const mayBeRefused = /ignored or refused with 400/.test(requirement(id).statement);
    const isMeant = mayBeRefused
      ? status === 400 || status === successOf(situation)
      : speaksOf(id, status, inId);
    return isMeant ? [] : [`${id} by ${status}`];
  });
}

function speaksOf(id: RequirementId, status: number, inId: string | undefined): boolean {
  if (id === 'guardrail-read.404.malformed-id') return status === 400 || status === 404;
  if (id === 'guardrail-read.404.other-workspace') return status === 403 || status === 404;
  return inId === undefined || Number(inId) === status;
}

describe('the expected state of a secret', () => {
  const plain = makePlainVault(makeValidName('a'));

  it.each([400, 401, 403, 404, 429, 500, 503])('a delete that gets %i keeps the secret', (status) => {
    expect(predictFate(plain, status)).toBe('kept');
  });

  it.each([408, 502, 504])('a delete that gets %i may or may not keep the secret', (status) => {
    expect(predictFate(plain, status)).toBe('either');
  });

  it('a delete that gets 204 removes the secret', () => {
    expect(predictFate(plain, 204)).toBe('gone');
  });

  it.each(['GET', 'HEAD', 'OPTIONS'] as const)(
    'the method %s keeps the secret, whatever the answer',
    (method) => {
      for (const status of [200, 204, 405, 504])
        expect(predictFate({ ...plain, method }, status)).toBe('kept');
    },
  );

  it.each(['POST', 'PUT', 'PATCH'] as const)('the method %s may or may not keep the secret', (method) => {
    for (const status of [200, 204, 405]) expect(predictFate({ ...plain, method }, status)).toBe('either');
  });

  it('a delete of a routing-ambiguous name may or may not keep the secret', () => {
    const name = { class: 'routing-ambiguous', rule: 'secret-name.routing', raw: 'a%2Fb' } as const;
    for (const status of [204, 400, 404]) expect(predictFate({ ...plain, name }, status)).toBe('either');
  });

  it('a read keeps every secret', () => {
    expect(predictFate({ operation: 'key-info', as: 'member', host: 'global' }, 200)).toBe('kept');
  });
});
