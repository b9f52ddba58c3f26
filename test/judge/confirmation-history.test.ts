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
function doubting(
  doubt: Doubt,
  ...[first = holding, ...repetitions]: readonly Attempt[]
): ConfirmationHistory {
  const history = new ConfirmationHistory(first, true, () => doubt);
  for (const repetition of repetitions) history.add(true, repetition);
  return history;
}

/** A confirmation history over attempts, of which each but the first may come with whether its control passed (true). */
function course(...attempts: readonly (Attempt | readonly [boolean, Attempt])[]): ConfirmationHistory {
  const [first = [true, holding], ...repetitions] = attempts.map((one) =>
    'findings' in one ? ([true, one] as const) : one,
  );
  const history = new ConfirmationHistory(first[1]);
  for (const repetition of repetitions) history.add(...repetition);
  return history;
}

/** What a history says: what it confirmed, as `#1 3/3` of the request, and which requirements it leaves open. */
const readHistory = (history: ConfirmationHistory) => ({
  settled: history.isSettled,
  passed: history.hasPassed(refused),
  confirmed: history.confirmed.map(({ key, confirmed }) => `${key.replace(`${refused} `, '')} ${confirmed}`),
  open: [...history.inconclusive],
  reason: history.inconclusiveReason,
});

const conclusive = sampleAttempt({ findings: [finding(refused, 1, true)] });
const another = (request: number) => sampleAttempt({ findings: [finding(refused, request)] });
const foreign = { ...disturbed, foreign: { undecided: undefined } };
const repeat = (times: number, ...attempts: readonly Attempt[]) =>
  Array.from({ length: times }, () => attempts).flat();

const unsettled = { settled: false };
const unconfirmed = { settled: false, confirmed: [] };
const isOver = { settled: true, passed: true, reason: undefined, open: [] };

type Row = readonly [
  title: string,
  history: ConfirmationHistory,
  said: Partial<ReturnType<typeof readHistory>>,
];

it.each<Row>([
  ['a first attempt that passes settles it', course(holding), { settled: true, passed: true }],
  ['two repetitions do not confirm', course(wrong, wrong, wrong), { ...unconfirmed, open: [refused] }],
  [
    'three repetitions confirm',
    course(...repeat(4, wrong)),
    { settled: true, passed: false, confirmed: ['#1 3/3'] },
  ],
  [
    'a repetition whose control failed does not confirm',
    course(wrong, wrong, [false, wrong], wrong),
    unconfirmed,
  ],
  [
    'later repetitions confirm although a control failed',
    course(wrong, wrong, [false, wrong], wrong, wrong, wrong),
    { confirmed: ['#1 5/5'] },
  ],
  ['other requests that fail do not confirm', course(wrong, another(2), another(3), another(4)), unconfirmed],
  ['three passing attempts in a row end a disturbance', course(wrong, wrong, ...repeat(3, holding)), isOver],
  [
    'one passing attempt ends a disturbance that found nothing',
    course(disturbed, disturbed, holding),
    isOver,
  ],
  ['a passing attempt before a disturbed one does not', course(disturbed, holding, disturbed), unsettled],
  ['one passing attempt after a finding does not', course(wrong, disturbed, holding), unsettled],
  ['two foreign repetitions do not end it', course(...repeat(3, foreign)), unsettled],
  ['three foreign repetitions end it', course(...repeat(4, foreign)), { settled: true }],
  [
    'foreign repetitions that are interrupted do not',
    course(foreign, foreign, disturbed, foreign),
    unsettled,
  ],
  [
    'nine repetitions end it, with how many failed',
    course(wrong, ...repeat(4, holding, wrong), holding),
    {
      settled: true,
      confirmed: [],
      reason: makeReason('intermittent', '5', '10', 'request 1 was answered wrongly'),
    },
  ],
  [
    'three failed controls end it',
    course(wrong, [false, wrong], [false, wrong], [false, wrong]),
    { settled: true, confirmed: [], passed: false },
  ],
  [
    'a conclusive finding needs one passing control',
    course(conclusive, ...repeat(3, holding)),
    { confirmed: ['#1 1/4'] },
  ],
  [
    'a conclusive finding is not confirmed by failed controls',
    course(conclusive, [false, holding], [false, holding], [false, holding]),
    { confirmed: [] },
  ],
  // A refusal whose positive control never passed must not be reported as passed.
  ['attempts that could not be finished pass nothing', course(...repeat(10, disturbed)), { passed: false }],
])('in a confirmation history, %s', (_title, history, said) => {
  expect(readHistory(history)).toMatchObject(said);
});

/** The history of a run with a low budget over a first attempt and one repetition. */
function repeatOnce(first: Attempt, hasControlPassed: boolean, again: Attempt): ConfirmationHistory {
  const history = doubting('none', first);
  history.add(hasControlPassed, again);
  return history;
}

it.each<Row>([
  [
    'repeats a conclusive finding once',
    repeatOnce(conclusive, true, holding),
    { settled: true, confirmed: ['#1 1/2'] },
  ],
  ['repeats it again if its control failed', repeatOnce(conclusive, false, holding), unsettled],
  ['repeats it again if another request failed instead', repeatOnce(conclusive, true, another(2)), unsettled],
  [
    'does not confirm it by a disturbed repetition',
    repeatOnce(conclusive, true, disturbed),
    { confirmed: [] },
  ],
  ['repeats any other finding more than once', repeatOnce(wrong, true, wrong), unsettled],
  ['repeats any other finding again although it passed', repeatOnce(wrong, true, holding), unsettled],
  [
    'drops what a rate limit may have caused once it passes',
    doubting('repeat', conclusive, holding),
    { confirmed: [] },
  ],
  [
    'confirms that by three repetitions',
    doubting('repeat', ...repeat(4, conclusive)),
    { confirmed: ['#1 3/3'] },
  ],
  [
    'never confirms what a rate limit caused',
    doubting('never', ...repeat(4, conclusive)),
    { settled: true, confirmed: [], open: [refused] },
  ],
  ['waits for a passing attempt after a refusal by a rate limit', doubting('never', wrong, wrong), unsettled],
  ['takes one passing attempt beside such a refusal', doubting('never', wrong, wrong, holding), isOver],
  ['needs more than one beside a mere doubt', doubting('repeat', wrong, wrong, holding), { passed: false }],
  [
    'waits for nine clean repetitions if a success may be intermittent',
    doubting('lags-or-intermittent', wrong, ...repeat(8, holding)),
    unsettled,
  ],
  [
    'takes nine clean repetitions if a success may be intermittent',
    doubting('lags-or-intermittent', wrong, ...repeat(9, holding)),
    { settled: true, passed: true },
  ],
  ['takes three of a target known to lag', doubting('lags', wrong, ...repeat(3, holding)), { settled: true }],
  [
    'never confirms a success of a target known to lag',
    doubting('lags', ...repeat(4, wrong)),
    { confirmed: [], open: [refused] },
  ],
])('a run with a low budget %s', (_title, history, said) => {
  expect(readHistory(history)).toMatchObject(said);
});

it('a confirmation history lists every attempt that did not pass, in order', () => {
  const { reportedAttempts } = course(wrong, holding, disturbed);
  expect(reportedAttempts.map(({ attempt: at, came }) => [at, came])).toEqual([
    [1, wrong.findings[0]?.message],
    [3, 'its positive control failed'],
  ]);
  expect(course(holding).reportedAttempts).toEqual([]);
});
