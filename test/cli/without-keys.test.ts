import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { conforming } from '../../reference/conforming.js';
import { groupByCause, renderCause } from '../../reports/causes.js';
import { makeEnvelope, replaceAnswers } from '../judge/wrong-answers.js';
import { idsWith, runInto } from './plumbline-process.js';
import { htmlForEverything, serveReference, startServer } from './servers.js';

/** The documented answer to a key read. */
const keyInformation = {
  label: 'a key',
  limit: null,
  limit_reset: null,
  limit_remaining: null,
  include_byok_in_limit: false,
  ...Object.fromEntries(
    ['usage', 'byok_usage'].flatMap((usage) =>
      ['', '_daily', '_weekly', '_monthly'].map((time) => [`${usage}${time}`, 0]),
    ),
  ),
  is_free_tier: true,
};

describe('a run without any key', () => {
  it('a conforming server is unjudged without a key, since its refusals alone do not pass', async () => {
    const { baseUrl } = await serveReference();
    const { code, stdout, stderr, report: read } = await runInto([baseUrl]);
    const report = read();
    expect([code, report.verdict]).toEqual([3, 'unjudged']);
    expect(report.totals).toMatchObject({ pass: 0, fail: 0 });
    expect(idsWith(report, 'inconclusive')).toEqual(
      expect.arrayContaining([
        ...['auth.missing-key', 'auth.unknown-key'],
        ...['guardrail-read.401.missing-key', 'vault-delete.401.missing-key'],
      ]),
    );
    expect(stdout).toContain('no key is known for this target');
    expect(stderr).toMatch(
      /A key of the role member \(--key member=VALUE, or PLUMBLINE_KEY_MEMBER\) would unlock \d+ requirements \(\d+ must\): /,
    );
    expect(report.run.requests).toBe(7);
  });

  it.each([
    ['a page to everything', htmlForEverything],
    [
      'unrelated JSON to everything',
      (_request: unknown, response: ServerResponse) => {
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"data":{"hello":"world"}}');
      },
    ],
    [
      'an empty 204 to everything',
      (_request: unknown, response: ServerResponse) => {
        response.writeHead(204).end();
      },
    ],
  ])('a server that answers with %s is unjudged without a key', async (_words, listener) => {
    const { code, report: read } = await runInto([`${await startServer(listener)}/v1`]);
    const report = read();
    expect([code, report.verdict]).toEqual([3, 'unjudged']);
    expect(report.totals).toMatchObject({ pass: 0, fail: 0 });
  });

  it('a server with errors outside the envelope is unjudged without a key', async () => {
    const { baseUrl } = await serveReference({
      behaviour: {
        ...conforming,
        ...replaceAnswers(
          () => true,
          () => ({ ...makeEnvelope(401), body: { message: 'no' } }),
        ),
      },
    });
    const { code, report: read } = await runInto([baseUrl]);
    const report = read();
    expect([code, report.totals.fail]).toEqual([3, 0]);
  });

  it.each([
    [
      'key read',
      'key-read',
      { ...makeEnvelope(200), body: { data: keyInformation } },
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
  ] as const)(
    'a %s that succeeds without a key is a violation',
    async (_what, operation, answer, ids, words) => {
      const wrong = replaceAnswers(
        (_answer, call) => call.operation === operation,
        () => answer,
      );
      const { baseUrl } = await serveReference({ behaviour: { ...conforming, ...wrong } });
      const { code, report: read } = await runInto([baseUrl]);
      const report = read();
      expect([code, report.verdict]).toEqual([1, 'non-conformant']);
      expect(groupByCause(report).map(renderCause)).toEqual([expect.stringMatching(words)]);
      expect(idsWith(report, 'fail')).toEqual(ids);
    },
  );

  it('a run without a key sends a single request if its selection needs keys', async () => {
    const { baseUrl } = await serveReference();
    const { code, report: read } = await runInto([baseUrl, '--only', 'rate-limit.*']);
    const report = read();
    expect([code, report.run.requests]).toEqual([3, 1]);
  });
});
