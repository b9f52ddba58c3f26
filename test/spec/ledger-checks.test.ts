import { expect, it } from 'vitest';
import { passiveRules } from '../../judge/passive-rules.js';
import { ledger, type RequirementId, type RequirementRow } from '../../spec/ledger.js';
import { allChecks } from '../../suites/all-checks.js';
import { Canaries, noKeys } from '../../targets/leak-detection.js';

const passive = passiveRules(new Canaries(), noKeys).map(({ requirement }) => requirement);
const decided = new Set<RequirementId>([...allChecks.flatMap(({ decides }) => decides), ...passive]);
const isJudged = ({ level, unseen }: RequirementRow) => level !== 'silent' && unseen === undefined;

it('every observable requirement is decided by a check or a passive rule', () => {
  const forgotten = ledger.filter((row) => isJudged(row) && !decided.has(row.id));
  expect(forgotten.map(({ id }) => id)).toEqual([]);
});

it('every requirement that is not observable is decided by no check', () => {
  const judged = ledger.filter(({ id, unseen }) => unseen !== undefined && decided.has(id));
  expect(judged.map(({ id }) => id)).toEqual([]);
});

it('no passive rule decides a requirement about unspecified behaviour', () => {
  const judged = ledger.filter(({ id, level }) => level === 'silent' && passive.includes(id));
  expect(judged.map(({ id }) => id)).toEqual([]);
});

it('every check has a unique id', () => {
  const ids = allChecks.map(({ id }) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

it('every check is named after its requirement', () => {
  const strange = allChecks.filter(({ id, requirement }) => !`${id}/`.startsWith(`${requirement}/`));
  expect(strange.map(({ id }) => id)).toEqual([]);
});

it('every check decides its own requirement first, and each requirement once', () => {
  const strange = allChecks.filter(
    ({ requirement, decides }) => decides[0] !== requirement || new Set(decides).size < decides.length,
  );
  expect(strange.map(({ id }) => id)).toEqual([]);
});

it('a check that decides only unspecified behaviour exists to observe it', () => {
  const silent = new Set<string>(ledger.filter(({ level }) => level === 'silent').map(({ id }) => id));
  const observing = allChecks.filter(({ decides }) => decides.every((id) => silent.has(id)));
  expect(observing.map(({ id }) => id)).toEqual(['secret-name.routing']);
});
