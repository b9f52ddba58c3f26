import { expect, it } from 'vitest';
import { check } from '../../judge/check.js';
import type { Call, SecretPlace } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { countTimes, isVault, replaceAnswers } from '../behaviours.js';
import { idsWith } from '../report-rows.js';
import { judgeReference, listViolated } from './judge-reference.js';

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
