import { expect, it } from 'vitest';
import { checkOf, ids, judged, row } from './judged.js';
import { envelope, inPlace, isVault, onTheWire } from './wrong-answers.js';

it.concurrent('a vault that never deletes fails the delete, and its refusals are not taken for passed', async () => {
  const { report } = await judged({
    only: ['vault-delete.*', 'auth.*-key', 'guardrail-read.404.unknown', 'key-info.200.read'],
    behaviour: inPlace(isVault(204), envelope(404)),
  });
  expect(ids(report, 'fail')).toEqual(['vault-delete.204.deleted']);
  expect(checkOf(report, 'vault-delete.204.deleted').failure).toMatchObject({
    expected: '204',
    actual: '404',
    confirmed: '3/3',
  });
  const refusals = report.requirements.filter(
    ({ id, status }) => /^vault-delete\.[45]\d\d\./.test(id) && status !== 'not-observable',
  );
  expect(refusals.length).toBeGreaterThan(15);
  expect(refusals.filter(({ status }) => status !== 'inconclusive')).toEqual([]);
  expect(row(report, 'vault-delete.404.never-stored').reason).toMatch(
    /^its positive control failed: DELETE .* got 404$/,
  );
  expect(row(report, 'auth.altered-key').status).toBe('inconclusive');
  // Requirements with controls of other operations are judged all the same.
  expect(row(report, 'auth.missing-key').status).toBe('pass');
  expect(row(report, 'guardrail-read.404.unknown').status).toBe('pass');
});

it.concurrent('a server that answers everything with 401 is unjudged', async () => {
  const { report } = await judged({
    depth: 'quick',
    behaviour: inPlace(() => true, envelope(401)),
  });
  expect(report).toMatchObject({ verdict: 'unjudged', gate: { exit_code: 3 }, totals: { pass: 0, fail: 0 } });
});

it.concurrent('a server that answers everything with an empty object is non-conformant', async () => {
  const { report } = await judged({
    only: ['key-info.*', 'guardrail-read.200.*', 'auth.*-key', 'vault-delete.404.*'],
    behaviour: inPlace(
      () => true,
      () => ({ status: 200, headers: { 'Content-Type': 'application/json' }, body: {} }),
    ),
  });
  expect(report).toMatchObject({ verdict: 'non-conformant', gate: { exit_code: 1 } });
  expect(ids(report, 'fail')).toEqual(
    expect.arrayContaining(['key-info.200.data', 'guardrail-read.200.data', 'auth.missing-key']),
  );
  expect(row(report, 'vault-delete.404.never-stored').status).toBe('inconclusive');
});

it.concurrent('a delete that answers 204 and deletes nothing is a violation', async () => {
  const { report } = await judged({
    only: ['vault-delete.204.*', 'vault-delete.404.*'],
    behaviour: { removeSecret: () => undefined },
  });
  expect(ids(report, 'fail')).toEqual(
    expect.arrayContaining(['vault-delete.204.takes-effect', 'vault-delete.204.parallel']),
  );
  expect(row(report, 'vault-delete.204.deleted').status).toBe('pass');
});

it.concurrent('a body that arrives some time after a 204 is a violation', async () => {
  const { report } = await judged({
    only: ['vault-delete.204.*'],
    behaviour: onTheWire(isVault(204), (response) => {
      response.socket?.write('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n');
      setTimeout(() => response.socket?.end('hello'), 20);
    }),
  });
  expect(ids(report, 'fail')).toEqual(['vault-delete.204.no-body']);
});

// Node's parser takes the stray bytes for a second answer and the client calls the first one lost with it, so
// that every positive control of the vault fails and 204.deleted is accused in place of 204.no-body.
it.concurrent('a body that arrives together with a 204 is the same violation', async () => {
  const { report } = await judged({
    only: ['vault-delete.204.*'],
    behaviour: onTheWire(isVault(204), (response) => {
      response.socket?.end('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello');
    }),
  });
  expect(ids(report, 'fail')).toEqual(['vault-delete.204.no-body']);
});
