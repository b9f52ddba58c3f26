import { expect, it } from 'vitest';
import { ConfirmationHistory, type Doubt } from '../../judge/confirmation-history.js';
import type { Attempt, Evidence } from '../../judge/finding.js';
import type { RequirementId } from '../../spec/ledger.js';
import { makeReason } from '../../spec/reasons.js';
import { sampleAttempt, sampleEvidence } from './samples.js';

const refused: RequirementId = 'vault-delete.401.provisioning-key';

/** A finding of a wrong answer, by default with a status that no transient fault causes. */
function finding(requirement: RequirementId, request: number, conclusive = false): Evidence {
  const message = `request ${request} was answered wrongly`;
  return sampleEvidence({ requirement, key: `${requirement} #${request}`, conclusive, message });
}

const holding = sampleAttempt({ passed: new Set([refused]) });
const wrong = sampleAttempt({ findings: [finding(refused, 1)] });
const disturbed = sampleAttempt({ passed: new Set([refused]), disturbed: 'its positive control failed' });

/** A confirmation history in a run with a low budget, in which every finding is in doubt. */
function doubting(doubt: Doubt, first: Attempt, ...repetitions: readonly Attempt[]): ConfirmationHistory {
  const history = new ConfirmationHistory(first, true, () => doubt);
  for (const repetition of repetitions) history.add(true, repetition);
  return history;
}

/** A confirmation history over attempts; each repetition says whether its control passed (default: true). */
function course(
  first: Attempt,
  ...repetitions: readonly (Attempt | readonly [boolean, Attempt])[]
): ConfirmationHistory {
  const made = new ConfirmationHistory(first);
  for (const repetition of repetitions) {
    if ('findings' in repetition) made.add(true, repetition);
    else made.add(...repetition);
  }
  return made;
}

const confirmedOf = ({ confirmed }: ConfirmationHistory) =>
  confirmed.map(({ key, confirmed: times }) => [key, times]);

it('a confirmation history lists every attempt that did not pass, in order', () => {
  const told = course(wrong, holding, disturbed).reportedAttempts;
  expect(told.map(({ attempt: at, came }) => [at, came])).toEqual([
    [1, wrong.findings[0]?.message],
    [3, 'its positive control failed'],
  ]);
  expect(course(holding).reportedAttempts).toEqual([]);
});

it('a first attempt that passes settles the confirmation history', () => {
  expect(course(holding).isSettled).toBe(true);
  expect(course(holding).hasPassed(refused)).toBe(true);
});

it('a finding is not confirmed before three repetitions', () => {
  const twice = course(wrong, wrong, wrong);
  expect(twice.isSettled).toBe(false);
  expect(confirmedOf(twice)).toEqual([]);
  expect([...twice.inconclusive]).toEqual([refused]);
});

it('a finding is confirmed by three repetitions, each with a passing control', () => {
  const thrice = course(wrong, wrong, wrong, wrong);
  expect(thrice.isSettled).toBe(true);
  expect(confirmedOf(thrice)).toEqual([[`${refused} #1`, '3/3']]);
  expect(thrice.hasPassed(refused)).toBe(false);
});

it('a conclusive finding is repeated if a rate limit may have caused it, and dropped if one did', () => {
  const conclusive = sampleAttempt({ findings: [finding(refused, 1, true)] });
  expect(confirmedOf(doubting('none', conclusive, holding))).toEqual([[`${refused} #1`, '1/2']]);
  expect(confirmedOf(doubting('repeat', conclusive, holding))).toEqual([]);
  expect(confirmedOf(doubting('repeat', conclusive, conclusive, conclusive, conclusive))).toEqual([
    [`${refused} #1`, '3/3'],
  ]);
  const never = doubting('never', conclusive, conclusive, conclusive, conclusive);
  expect([never.isSettled, confirmedOf(never), [...never.inconclusive]]).toEqual([true, [], [refused]]);
});

it('what a rate limit refused says nothing, so one passing attempt beside it decides', () => {
  const limited = doubting('never', wrong, wrong, holding);
  expect(doubting('never', wrong, wrong).isSettled).toBe(false);
  expect(limited.isSettled).toBe(true);
  expect(limited.hasPassed(refused)).toBe(true);
  expect(limited.inconclusiveReason).toBeUndefined();
  expect([...limited.inconclusive]).toEqual([]);
  expect(doubting('repeat', wrong, wrong, holding).hasPassed(refused)).toBe(false);
});

it('a success that may be intermittent needs nine clean repetitions, or three where the target is known to lag', () => {
  const clean = (count: number) => Array.from({ length: count }, () => holding);
  expect(doubting('lags-or-intermittent', wrong, ...clean(8)).isSettled).toBe(false);
  const passed = doubting('lags-or-intermittent', wrong, ...clean(9));
  expect([passed.isSettled, passed.hasPassed(refused)]).toEqual([true, true]);
  expect(doubting('lags', wrong, ...clean(3)).isSettled).toBe(true);
  const lagging = doubting('lags', wrong, wrong, wrong, wrong);
  expect([confirmedOf(lagging), [...lagging.inconclusive]]).toEqual([[], [refused]]);
});

it('a repetition whose control failed does not confirm a finding', () => {
  const doubtful = course(wrong, wrong, [false, wrong], wrong);
  expect(confirmedOf(doubtful)).toEqual([]);
  expect(doubtful.isSettled).toBe(false);
  expect(confirmedOf(course(wrong, wrong, [false, wrong], wrong, wrong, wrong))).not.toEqual([]);
});

it('repetitions in which another request fails do not confirm a finding', () => {
  const elsewhere = [2, 3, 4].map((request) => sampleAttempt({ findings: [finding(refused, request)] }));
  const shifting = course(wrong, ...elsewhere);
  expect(confirmedOf(shifting)).toEqual([]);
  expect(shifting.isSettled).toBe(false);
});

it('three passing attempts in a row show that a disturbance is over', () => {
  const passed = course(wrong, wrong, holding, holding, holding);
  expect(passed.isSettled).toBe(true);
  expect(passed.hasPassed(refused)).toBe(true);
  expect(passed.inconclusiveReason).toBeUndefined();
  expect([...passed.inconclusive]).toEqual([]);
});

it('one passing attempt is enough after attempts that were disturbed and found nothing', () => {
  const passed = course(disturbed, disturbed, holding);
  expect(passed.isSettled).toBe(true);
  expect(passed.hasPassed(refused)).toBe(true);
  expect(passed.inconclusiveReason).toBeUndefined();
  expect(course(disturbed, holding, disturbed).isSettled).toBe(false);
  expect(course(wrong, disturbed, holding).isSettled).toBe(false);
});

it('confirmation stops after three repetitions that something in front of the service answered', () => {
  const foreign = { ...disturbed, foreign: { undecided: undefined } };
  expect(course(foreign, foreign, foreign).isSettled).toBe(false);
  expect(course(foreign, foreign, foreign, foreign).isSettled).toBe(true);
  expect(course(foreign, foreign, disturbed, foreign).isSettled).toBe(false);
});

it('confirmation stops after nine repetitions and reports how many failed', () => {
  const nine = Array.from({ length: 9 }, (_, at) => (at % 2 === 0 ? holding : wrong));
  const intermittent = course(wrong, ...nine);
  expect(intermittent.isSettled).toBe(true);
  expect(confirmedOf(intermittent)).toEqual([]);
  expect(intermittent.inconclusiveReason).toEqual(
    makeReason('intermittent', '5', '10', 'request 1 was answered wrongly'),
  );
});

it('confirmation stops after three failed controls', () => {
  const broken = course(wrong, [false, wrong], [false, wrong], [false, wrong]);
  expect(broken.isSettled).toBe(true);
  expect(confirmedOf(broken)).toEqual([]);
  expect(broken.hasPassed(refused)).toBe(false);
});

it('a conclusive finding is confirmed by one attempt with a passing control', () => {
  const first = sampleAttempt({ findings: [finding(refused, 1, true)] });
  expect(confirmedOf(course(first, holding, holding, holding))).toEqual([[`${refused} #1`, '1/4']]);
  expect(confirmedOf(course(first, [false, holding], [false, holding], [false, holding]))).toEqual([]);
});

it('a conclusive finding needs no more repetitions than were requested', () => {
  const conclusive = sampleAttempt({ findings: [finding(refused, 1, true)] });
  const frugal = (first: Attempt, controlHeld: boolean, again: Attempt): ConfirmationHistory => {
    const made = doubting('none', first);
    made.add(controlHeld, again);
    return made;
  };
  expect(frugal(conclusive, true, holding).isSettled).toBe(true);
  expect(confirmedOf(frugal(conclusive, true, holding))).toEqual([[`${refused} #1`, '1/2']]);
  expect(frugal(conclusive, false, holding).isSettled).toBe(false);
  const another = sampleAttempt({ findings: [finding(refused, 2)] });
  expect(frugal(conclusive, true, another).isSettled).toBe(false);
  expect(confirmedOf(frugal(conclusive, true, disturbed))).toEqual([]);
  expect(frugal(wrong, true, wrong).isSettled).toBe(false);
  expect(frugal(wrong, true, holding).isSettled).toBe(false);
});

// A refusal whose positive control never passed must not be reported as passed.
it('a requirement does not pass on attempts that could not be finished', () => {
  const repetitions = Array.from({ length: 9 }, () => disturbed);
  expect(course(disturbed, ...repetitions).hasPassed(refused)).toBe(false);
});
