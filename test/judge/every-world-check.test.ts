import { expect, it } from 'vitest';
import { everyWorldCheck } from '../../judge/every-world-check.js';
import type { Call } from '../../reference/behaviour.js';
import { alsoRefuse, countUp, remember } from '../../reference/mutation.js';
import { isUuid } from '../../spec/vocabulary.js';
import { allChecks } from '../../suites/all-checks.js';
import { idsWith } from '../report-rows.js';
import { judgeReference } from './judge-reference.js';

const refused = 'vault-delete.204.deleted';
const checks = allChecks.filter(
  (check) => check === everyWorldCheck || (check.kind === 'written' && check.id.startsWith('vault-delete.4')),
);

/** Judges a service that does not find some interns. */
async function judgeWithout(isMissing: (call: Call) => boolean) {
  const behaviour = alsoRefuse('vault-delete', (call) =>
    isUuid(call.parameters.internId ?? '') && isMissing(call)
      ? { status: 404, message: 'Intern not found' }
      : undefined,
  );
  const { report } = await judgeReference({ behaviour, checks });
  const { failure, cases } = report.checks.find(({ id }) => id === everyWorldCheck.id) ?? {};
  return { violated: idsWith(report, 'fail'), failure, cases };
}

/** Whether a request names an intern of every third world that is used. */
function isOfThird(call: Call): boolean {
  const { internId = '' } = call.parameters;
  return remember(call, `number of ${internId}`, () => countUp(call, 'interns')) % 3 === 0;
}

it('a service violates that refuses the interns of some worlds, whatever other worlds get', async () => {
  const { violated, failure } = await judgeWithout(isOfThird);
  expect(violated).toEqual([refused]);
  expect(failure).toMatchObject({ expected: '204, as in other worlds', actual: '404 throughout the world' });
});

it('a service violates nothing that refuses the first requests of some worlds', async () => {
  const isRefused = (call: Call) => countUp(call, call.parameters.internId ?? '') <= 2 && isOfThird(call);
  const { violated, cases } = await judgeWithout(isRefused);
  expect(violated).toEqual([]);
  expect(cases).toBeGreaterThan(20);
});

it('no further worlds are tried where no request got an unexpected answer', async () => {
  const { violated, cases } = await judgeWithout(() => false);
  expect([violated, cases]).toEqual([[], 0]);
});
