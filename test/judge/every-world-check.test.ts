import { expect, it } from 'vitest';
import type { FinalCheck } from '../../judge/check.js';
import { everyWorldCheck } from '../../judge/every-world-check.js';
import type { Call } from '../../reference/behaviour.js';
import { alsoRefuse, countUp, remember } from '../../reference/mutation.js';
import { isUuid } from '../../spec/vocabulary.js';
import { allChecks } from '../../suites/all-checks.js';
import { idsWith } from '../report-rows.js';
import { judgeReference } from './judge-reference.js';

const refused = 'vault-delete.204.deleted';
const others = allChecks.filter((check) => check.kind === 'written' && check.id.startsWith('vault-delete.4'));

/** Judges a service that refuses deletes for some interns. */
async function judgeRefusing(
  status: 404 | 500,
  isRefused: (call: Call) => boolean,
  check: FinalCheck = everyWorldCheck,
) {
  const behaviour = alsoRefuse('vault-delete', (call) =>
    isUuid(call.parameters.internId ?? '') && isRefused(call)
      ? { status, message: 'Not this intern' }
      : undefined,
  );
  const { report } = await judgeReference({ behaviour, checks: [...others, check] });
  const { failure, cases } = report.checks.find(({ id }) => id === check.id) ?? {};
  return { violated: idsWith(report, 'fail'), open: idsWith(report, 'inconclusive'), failure, cases };
}

/** Numbers the interns of a kind that requests name, from 1. */
function numberIntern(call: Call, kind = 'interns'): number {
  const { internId = '' } = call.parameters;
  return remember(call, `number of ${internId}`, () => countUp(call, kind));
}

/** Whether a request names an intern of every third world that is used. */
const isOfThird = (call: Call): boolean => numberIntern(call) % 3 === 0;

it('a service violates that refuses the interns of some worlds, whatever other worlds get', async () => {
  const { violated, failure } = await judgeRefusing(404, isOfThird);
  expect(violated).toEqual([refused]);
  expect(failure).toMatchObject({ expected: '204, as in other worlds', actual: '404 throughout the world' });
});

it('further worlds are tried for a second one where one of a hundred was refused', async () => {
  let isBegun = false;
  const judge: FinalCheck['judge'] = (means) => {
    isBegun = true;
    return everyWorldCheck.judge(means);
  };
  const isRefused = (call: Call) =>
    isBegun ? [30, 150].includes(numberIntern(call, 'interns of the check')) : isOfThird(call);
  const { violated } = await judgeRefusing(404, isRefused, { ...everyWorldCheck, judge });
  expect(violated).toEqual([refused]);
});

it('a service violates nothing that refuses the first requests of some worlds', async () => {
  const isRefused = (call: Call) => countUp(call, call.parameters.internId ?? '') <= 2 && isOfThird(call);
  const { violated, cases } = await judgeRefusing(404, isRefused);
  expect(violated).toEqual([]);
  expect(cases).toBeGreaterThan(20);
});

it('a service that is in trouble in some worlds is left inconclusive', async () => {
  const isOfThirdKey = (call: Call): boolean => {
    const id = call.key?.world.id;
    return id !== undefined && remember(call, `number of ${id}`, () => countUp(call, 'keys')) % 3 === 0;
  };
  const { violated, open } = await judgeRefusing(500, isOfThirdKey);
  expect(violated).toEqual([]);
  expect(open).toContain(refused);
});
