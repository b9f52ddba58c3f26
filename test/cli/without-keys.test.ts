import type { RequestListener } from 'node:http';
import { expect, it } from 'vitest';
import { groupByCause, renderCause } from '../../reports/causes.js';
import { makeEnvelope, replaceAnswers } from '../behaviours.js';
import { makeKeyData } from '../recordings/recorded.js';
import { idsWith } from '../report-rows.js';
import { answerJson, htmlForEverything, serveReference, startServer } from '../servers.js';
import { runInto } from './plumbline-process.js';

it('a conforming server is unjudged without a key, since its refusals alone do not pass', async () => {
  const { baseUrl } = await serveReference();
  const { code, stderr, report } = await runInto(baseUrl);
  const { verdict, totals, run } = report();
  expect([code, verdict, totals.pass, totals.fail, run.requests]).toEqual([3, 'unjudged', 0, 0, 7]);
  expect(idsWith(report(), 'inconclusive')).toEqual(
    expect.arrayContaining([
      ...['auth.missing-key', 'auth.unknown-key'],
      ...['guardrail-read.401.missing-key', 'vault-delete.401.missing-key'],
    ]),
  );
  const note =
    'no key is known for this target: set PLUMBLINE_KEY_MEMBER, or give a profile or a control protocol';
  expect(run.notes).toContain(note);
  expect(stderr).toMatch(
    /A key of the role member \(--key member=VALUE, or PLUMBLINE_KEY_MEMBER\) would unlock \d+ requirements \(\d+ must\): /,
  );
  const needsKeys = await runInto(`${baseUrl} --only rate-limit.*`);
  expect([needsKeys.code, needsKeys.report().run.requests]).toEqual([3, 1]);
});

it.each<readonly [string, RequestListener]>([
  ['a page', htmlForEverything],
  ['unrelated JSON', answerJson(200, { data: { hello: 'world' } })],
  ['an empty 204', (_, response) => void response.writeHead(204).end()],
  ['errors outside the envelope', answerJson(401, { no: 1 })],
])('a server that answers everything with %s is unjudged without a key', async (_words, listener) => {
  const { code, report } = await runInto(`${await startServer(listener)}/v1`);
  const { verdict, totals } = report();
  expect([code, verdict, totals.pass, totals.fail]).toEqual([3, 'unjudged', 0, 0]);
});

it.each([
  [
    'key read',
    'key-read',
    { ...makeEnvelope(200), body: { ...makeKeyData() } },
    ['auth.missing-key', 'auth.unknown-key'],
    /^2 requirements: key-info answers 200 where 401 is due, for GET \/key /,
  ],
  [
    'delete',
    'vault-delete',
    { status: 204, headers: {} },
    ['vault-delete.401.missing-key', 'vault-delete.401.unknown-key'],
    /^2 requirements: vault-delete answers 204 where 401 is due, for DELETE /,
  ],
] as const)('a %s that succeeds without a key is a violation', async (_, operation, answer, ids, words) => {
  const behaviour = replaceAnswers((_answer, call) => call.operation === operation, answer);
  const { baseUrl } = await serveReference({ behaviour });
  const { code, report } = await runInto(baseUrl);
  expect([code, report().verdict, idsWith(report(), 'fail')]).toEqual([1, 'non-conformant', ids]);
  expect(groupByCause(report()).map(renderCause)).toEqual([expect.stringMatching(words)]);
});
