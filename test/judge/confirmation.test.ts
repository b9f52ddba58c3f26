import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { check } from '../../judge/check.js';
import { ConfirmationHistory, type Doubt, reportAttempts } from '../../judge/confirmation-history.js';
import { reportOnce } from '../../judge/evidence.js';
import type { Attempt, Evidence } from '../../judge/finding.js';
import type { Answer, Call, SecretPlace } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import type { RequirementId } from '../../spec/ledger.js';
import { makeReason } from '../../spec/reasons.js';
import { allChecks } from '../../suites/all-checks.js';
import { countTimes, isVault, makeEnvelope, replaceAnswers } from '../behaviours.js';
import { findCheck, findRow, idsWith } from '../report-rows.js';
import { passOnTo, startServer } from '../servers.js';
import { judgeReference, listViolated } from './judge-reference.js';
import { knowing, sampleAttempt, sampleEvidence, sampleExchange } from './samples.js';

const refused: RequirementId = 'vault-delete.401.provisioning-key';

/** An attempt in which a request is answered wrongly, by default with a status that no transient fault causes. */
function failAt(request: number, changes: Partial<Evidence> = {}): Attempt {
  const message = `request ${request} was answered wrongly`;
  const key = `${refused} #${request}`;
  return sampleAttempt({ findings: [sampleEvidence({ requirement: refused, key, message, ...changes })] });
}

const identity = {
  operation: 'vault-delete',
  rule: refused,
  due: [401],
  request: '',
  exactRequest: '',
} as const;
const trouble = { identity, ordinal: 1, isParallel: false };
const unanswered = { ...reportOnce(sampleExchange(), knowing()), response: null };

const passing = sampleAttempt({ passed: new Set([refused]) });
const disturbed = { ...passing, disturbed: 'its positive control failed' };

/** The attempts of a history, each by its letter; a number is an attempt in which that request is answered wrongly. */
const attempts: Readonly<Record<string, Attempt>> = {
  ...{ p: passing, d: disturbed, f: { ...disturbed, foreign: { inPlaceOf: undefined } } },
  ...{ 1: failAt(1), 2: failAt(2), 3: failAt(3), 4: failAt(4), c: failAt(1, { conclusive: true }) },
  // A 500 where another answer is due, and a lost connection.
  ...{ t: failAt(1, { trouble }), l: failAt(1, { trouble, exchanges: [unanswered] }) },
};

/**
 * Makes a history of attempts by their letters; a `!` before one says that its positive control failed. Where a doubt is
 * given, the run has a low budget, and every finding is in that doubt.
 */
function makeHistory(letters: string, doubt?: Doubt, noise = 0): ConfirmationHistory {
  const [first, ...repetitions] = (letters.match(/!?./g) ?? []).map((written) => ({
    controlPassed: !written.startsWith('!'),
    attempt: attempts[written.slice(-1)] ?? passing,
  }));
  const { attempt = passing } = first ?? {};
  const hasLowBudget = doubt !== undefined;
  const history = new ConfirmationHistory(
    attempt,
    hasLowBudget,
    () => doubt ?? 'none',
    () => noise,
  );
  for (const repetition of repetitions) history.add(repetition.controlPassed, repetition.attempt);
  return history;
}

/** What a history says: what it confirmed, as `#1 3/3` of the request, and which requirements it leaves open. */
const readHistory = (history: ConfirmationHistory) => ({
  decided: history.isDecided,
  passed: history.hasPassed(refused),
  confirmed: history.confirmed.map(({ key, confirmed }) => `${key.replace(`${refused} `, '')} ${confirmed}`),
  open: [...history.inconclusive],
  reason: history.inconclusiveReason,
});

type Said = Partial<ReturnType<typeof readHistory>>;

const notDecided = { decided: false };
const unconfirmed = { decided: false, confirmed: [] };
const leftOpen = { confirmed: [], open: [refused] };
const isOver = { decided: true, passed: true, reason: undefined, open: [] };
const halfFailed = makeReason('intermittent', '5', '10', 'request 1 was answered wrongly');

it.each<readonly [title: string, letters: string, said: Said]>([
  ['a first attempt that passes settles it', 'p', { decided: true, passed: true }],
  ['two repetitions do not confirm', '111', { ...unconfirmed, open: [refused] }],
  ['three repetitions confirm', '1111', { decided: true, passed: false, confirmed: ['#1 3/3'] }],
  ['a repetition whose control failed does not confirm', '11!11', unconfirmed],
  ['later repetitions confirm although a control failed', '11!1111', { confirmed: ['#1 5/5'] }],
  ['other requests that fail do not confirm', '1234', unconfirmed],
  ['three passing attempts in a row end a disturbance', '11ppp', isOver],
  ['one passing attempt ends a disturbance that found nothing', 'ddp', isOver],
  ['a passing attempt before a disturbed one does not', 'dpd', notDecided],
  ['one passing attempt after a finding does not', '1dp', notDecided],
  ['two foreign repetitions do not end it', 'fff', notDecided],
  ['three foreign repetitions end it', 'ffff', { decided: true }],
  ['foreign repetitions that are interrupted do not', 'ffdf', notDecided],
  ['nine repetitions end it', '1p1p1p1p1p', { decided: true, confirmed: [], reason: halfFailed }],
  ['three failed controls end it', '1!1!1!1', { decided: true, confirmed: [], passed: false }],
  ['a conclusive finding needs one passing control', 'cppp', { confirmed: ['#1 1/4'] }],
  ['a conclusive finding is not confirmed by failed controls', 'c!p!p!p', { confirmed: [] }],
  // A refusal whose positive control never passed must not be reported as passed.
  ['attempts that could not be finished pass nothing', 'dddddddddd', { passed: false }],
])('in a confirmation history, %s: %s', (_title, letters, said) => {
  expect(readHistory(makeHistory(letters))).toMatchObject(said);
});

it.each<readonly [title: string, doubt: Doubt, letters: string, said: Said]>([
  ['repeats a conclusive finding once', 'none', 'cp', { decided: true, confirmed: ['#1 1/2'] }],
  ['repeats it again if its control failed', 'none', 'c!p', notDecided],
  ['repeats it again if another request failed instead', 'none', 'c2', notDecided],
  ['does not confirm it by a disturbed repetition', 'none', 'cd', { confirmed: [] }],
  ['repeats any other finding more than once', 'none', '11', notDecided],
  ['repeats any other finding again although it passed', 'none', '1p', notDecided],
  ['drops what a rate limit may have caused once it passes', 'repeat', 'cp', { confirmed: [] }],
  ['confirms that by three repetitions', 'repeat', 'cccc', { confirmed: ['#1 3/3'] }],
  ['never confirms what a rate limit caused', 'never', 'cccc', { ...leftOpen, decided: true }],
  ['waits for a passing attempt after a refusal by a rate limit', 'never', '11', notDecided],
  ['takes one passing attempt beside such a refusal', 'never', '11p', isOver],
  ['needs more than one beside a mere doubt', 'repeat', '11p', { passed: false }],
  ['waits for nine repetitions of what may be intermittent', 'lags-or-intermittent', '1pppppppp', notDecided],
  ['takes nine repetitions of what may be intermittent', 'lags-or-intermittent', '1ppppppppp', isOver],
  ['takes three of a target that may lag', 'lags', '1ppp', { decided: true }],
  ['waits for the third of a target that may lag', 'lags', '1pp', notDecided],
  ['takes one of a target that lagged in another case', 'lags-as-before', '1p', { decided: true }],
  ['never confirms a success of a target known to lag', 'lags-as-before', '1111', leftOpen],
])('a run with a low budget %s: %s, %s', (_title, doubt, letters, said) => {
  expect(readHistory(makeHistory(letters, doubt))).toMatchObject(said);
});

it.each<readonly [title: string, noise: number, letters: string, confirmed: readonly string[]]>([
  ['three repetitions confirm a 500', 0, 'tttt', ['#1 3/3']],
  ['later ones do although others were disturbed', 0, 'tdt!tttt', ['#1 6/7']],
  ['none do once it was not there', 0, 'tpttttt', []],
  ['four do not confirm a lost connection', 0, 'lllll', []],
  ['five confirm it', 0, 'llllll', ['#1 5/5']],
  ['four do not where a twentieth of all answers are noise', 0.05, 'ttttt', []],
  ['five do', 0.05, 'tttttt', ['#1 5/5']],
  ['eight do not where a third do', 1 / 3, 'ttttttttt', []],
  ['nine do', 1 / 3, 'tttttttttt', ['#1 9/9']],
])('of trouble, %s: noise %d, %s', (_title, noise, letters, confirmed) => {
  expect(readHistory(makeHistory(letters, undefined, noise)).confirmed).toEqual(confirmed);
});

it.each<readonly [noise: number, letters: string, recurs: boolean]>([
  [0.05, 't', false],
  [0.05, 'tp', false],
  [0.05, 'tpt', true],
  [0.05, '1!1', true],
  [0, '1!1', false],
  // It passed three times after that.
  [0.05, '11ppp', false],
])('at noise %d, %s is to be repeated alone: %s', (noise, letters, recurs) => {
  expect(makeHistory(letters, undefined, noise).recursInNoise).toBe(recurs);
});

it('a confirmation history lists every attempt that did not pass, in order', () => {
  expect(reportAttempts(makeHistory('1pd').attempts).map(({ attempt, came }) => [attempt, came])).toEqual([
    [1, 'request 1 was answered wrongly'],
    [3, 'its positive control failed'],
  ]);
  expect(reportAttempts(makeHistory('p').attempts)).toEqual([]);
});

const notFound = isVault(404);
const unknownIntern = 'vault-delete.404.unknown-intern';

const checks = [
  check(
    unknownIntern,
    { control: 'vault-delete', alsoDecides: ['vault-delete.404.keeps'] },
    async ({ world, api }) => {
      const name = await world.store('own');
      const intern = { label: 'an unknown intern', raw: randomUUID() };
      await api.deleteSecret({ intern, name }).expectStatus(404);
      await api.expectStillStored({ name }, 'vault-delete.404.keeps');
    },
  ),
];
const only = [unknownIntern];

it.concurrent('a status that is wrong every third time leaves the requirement inconclusive', async () => {
  const { report, worldsLeft } = await judgeReference({
    ...{ only, checks },
    behaviour: replaceAnswers(
      (answer, call) => notFound(answer, call) && countTimes(call) % 3 === 1,
      makeEnvelope(500),
    ),
  });
  expect(findRow(report, unknownIntern)).toMatchObject({
    status: 'inconclusive',
    reason: expect.stringMatching(/^failed on \d of 10 attempts: .*expected 404, got 500/),
  });
  expect(report).toMatchObject({ verdict: 'incomplete', gate: { exit_code: 4 } });
  expect(findCheck(report, unknownIntern)).toMatchObject({ outcome: 'inconclusive', failure: null });
  const noise = expect.stringMatching(/another time: vault-delete 500 \(\d+\)\. This alone/);
  expect([report.run.notes, worldsLeft]).toEqual([[noise], 0]);
});

it.concurrent('a run waits after a disturbance as long as the server asks', async () => {
  const { report } = await judgeReference({
    ...{ only, checks },
    behaviour: replaceAnswers(
      // The first answer is the control's, the second the one that counts, the third its positive control.
      (_answer, call) => call.operation === 'vault-delete' && countTimes(call) === 3,
      makeEnvelope(429, { 'Retry-After': '1' }),
    ),
  });
  expect(findRow(report, unknownIntern).status).toBe('pass');
  expect(findCheck(report, unknownIntern).duration_ms).toBeGreaterThanOrEqual(1_000);
});

it.concurrent('a delete without an answer is never repeated in the same world', async () => {
  const paths: string[] = [];
  const { report } = await judgeReference({
    only: ['vault-delete.204.deleted'],
    checks: allChecks.filter(({ id }) => id === 'vault-delete.204.deleted'),
    behaviour: {
      transmit: (response, answer, call) => {
        if (call.operation === 'vault-delete') paths.push(call.path);
        if (isVault(204)(answer, call) && countTimes(call) % 4 === 2) response.socket?.destroy();
        else response.writeHead(answer.status, answer.headers).end(JSON.stringify(answer.body));
      },
    },
  });
  expect(paths.length).toBeGreaterThan(6);
  expect(new Set(paths).size).toBe(paths.length);
  expect(idsWith(report, 'fail')).toEqual([]);
});

// Each of them comes over a connection that the step before it has used.
it.concurrent('a connection that breaks at one step of a batch every time is a violation', async () => {
  const { report } = await judgeReference({
    only: ['vault-delete.400.intern-id'],
    checks: allChecks.filter(({ id }) => id === 'vault-delete.400.keeps/chain-of-more-paths-2'),
    behaviour: {
      transmit: (response, answer, call) => {
        if (/\/interns\/[^/]*\./.test(call.path)) response.socket?.destroy();
        else conforming.transmit(response, answer, call);
      },
    },
  });
  expect(idsWith(report, 'fail')).toEqual(['vault-delete.400.intern-id']);
});

// A finding in the answer to a control must not be dropped with the attempts of that control.
it.concurrent('a single stored value in the answer to a positive control counts as a violation', async () => {
  const behaviour = {
    removeSecret: (call: Call, place: SecretPlace) => {
      call.server.memory.set('value', call.key?.world.secrets[place.scope].get(place.name));
      conforming.removeSecret(call, place);
    },
    ...replaceAnswers(
      (answer, call) => isVault(204)(answer, call) && countTimes(call) === 1,
      ({ server }) => ({ status: 204, headers: { 'X-Value': String(server.memory.get('value')) } }),
    ),
  };
  const only = ['vault-delete.204.{deleted,takes-effect,only-this-intern}', 'secrecy.*'];
  expect(await listViolated({ only, behaviour })).toEqual(['secrecy.header']);
});

const deleted = 'vault-delete.204.takes-effect';

const deletesTwice = check(deleted, { control: 'vault-delete' }, async ({ world, api }) => {
  for (const name of [await world.store('own'), await world.store('own')]) {
    await api.deleteSecret({ name }).expectControl(204);
    await api.deleteSecret({ name, query: '?x=1' }).expectStatus(404, { continueOnFailure: true });
  }
});

function keepDeleted(isKept: (passedMs: number, call: Call) => boolean) {
  const deletions = new Map<string | undefined, number>();
  return {
    removeSecret: (call: Call, place: SecretPlace) => {
      deletions.set(call.parameters.name, Date.now());
      conforming.removeSecret(call, place);
    },
    ...replaceAnswers(
      ({ status }, call) => {
        const at = deletions.get(call.parameters.name);
        return status === 404 && at !== undefined && isKept(Date.now() - at, call);
      },
      () => ({ status: 204, headers: {} }),
    ),
  };
}

it.concurrent('what is wrong only for a moment after it was arranged fails nothing', async () => {
  const behaviour = keepDeleted((passedMs) => passedMs < 900);
  const { report } = await judgeReference({ checks: [deletesTwice], behaviour });
  expect(report.run.duration_ms).toBeGreaterThan(2_000);
  expect(idsWith(report, 'pass')).toContain(deleted);
});

it.concurrent('what stays wrong a second after it was arranged fails its requirement, though not each time', async () => {
  const behaviour = keepDeleted((_passedMs, call) => countTimes(call) % 3 !== 0);
  expect(await listViolated({ checks: [deletesTwice], behaviour })).toEqual([deleted]);
});

it.concurrent('what recurs where no fault was ever lifted is not paused for at every request', async () => {
  const malformed: RequirementId = 'guardrail-read.404.malformed-id';
  let isFirst = true;
  const readsWords = check(malformed, { control: 'guardrail-read' }, async ({ world, api }) => {
    // As in a world that other checks have used before.
    if (isFirst) {
      await world.setFaults('guardrail_internal_error');
      await world.setFaults();
    }
    isFirst = false;
    for (const raw of ['one', 'two', 'three', 'four'])
      await api
        .readGuardrail({ id: { label: raw, raw } })
        .expectStatus([400, 404], { continueOnFailure: true });
  });
  const isRefused = ({ status }: Answer, { operation }: Call) =>
    operation === 'guardrail-read' && [400, 404].includes(status);
  const behaviour = replaceAnswers(isRefused, makeEnvelope(500));
  const { report } = await judgeReference({ checks: [readsWords], behaviour });
  expect(idsWith(report, 'fail')).toEqual([malformed]);
  expect(report.run.duration_ms).toBeLessThan(30_000);
});

it.concurrent('a failed case is repeated with the same names, since a server may be wrong for some only', async () => {
  let wrong: string | undefined;
  const deletes = check(deleted, { control: 'vault-delete' }, async ({ world, api }) => {
    const name = await world.store('own');
    wrong ??= name;
    await api.deleteSecret({ name }).expectStatus(204);
  });
  const behaviour = replaceAnswers(
    (answer, call) => isVault(204)(answer, call) && call.parameters.name === wrong,
    makeEnvelope(404),
  );
  expect(await listViolated({ checks: [deletes], behaviour })).toEqual([deleted]);
});

/** Passes on calls of a control, and those that set something only 300 ms after they were answered. */
function setLate(control: string, what: RegExp): RequestListener {
  const passOn = passOnTo(control);
  return async (request, response) => {
    const { method = '', url = '' } = request;
    if (method !== 'PUT') return passOn(request, response);
    const body = await text(request);
    const set = () => fetch(`${control}${url}`, { method, body });
    const isLate = what.test(`${url} ${body}`);
    response.writeHead(isLate ? 204 : (await set()).status).end();
    // The run may be over by then.
    if (isLate)
      await sleep(300)
        .then(set)
        .catch(() => undefined);
  };
}

it.each([
  [/free-usage /, 'rate-limit.day.small.refused/two-left'],
  [/faults /, 'inference.502.model-down/paid'],
  // Until then, the fault before it is in force.
  [/faults .*one_provider_limited/, 'inference.502.model-down/chain'],
  [/info /, 'key-info.200.own-figures/same-account'],
])('what a control sets late at %s fails nothing', async (what, check) => {
  const controlledAt = (url: string) => startServer(setLate(url, what));
  const checks = allChecks.filter(({ id }) => id === check);
  const { report } = await judgeReference({ checks, controlledAt });
  expect(findCheck(report, check).outcome).toBe('pass');
  expect([...idsWith(report, 'fail'), ...idsWith(report, 'inconclusive')]).toEqual([]);
});

it('a fault that a control lifts late fails nothing', async () => {
  const controlledAt = (url: string) => startServer(setLate(url, /faults .*\[\]/));
  const checks = allChecks.filter(({ id }) => id === 'vault-delete.408.timeout/chain');
  const { report } = await judgeReference({ checks, controlledAt });
  expect(idsWith(report, 'fail')).toEqual([]);
});
