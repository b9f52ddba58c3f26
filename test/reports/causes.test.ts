import { expect, it } from 'vitest';
import { editAnswer } from '../../reference/mutation.js';
import { groupByCause, renderCause, renderReplayCommand } from '../../reports/causes.js';
import { numberFailures } from '../../reports/failed-requirements.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Failure } from '../../spec/report.js';
import type { Operation, Role } from '../../spec/vocabulary.js';
import { judgeReference } from '../judge/judge-reference.js';
import { sampleFailure, sampleReport } from './sample-report.js';

function wrongStatus(id: RequirementId, due: number, got: number, request: string, steps = 1): Failure {
  const exchange = sampleFailure(id).exchanges.slice(0, 1);
  return sampleFailure(id, {
    situation_parts: { operation: 'vault-delete', outcome: got, request },
    message: `${request}: expected ${due}, got ${got}`,
    expected: String(due),
    actual: String(got),
    mismatch: { wrong: 'status', due: [due], asked: { key: 'member' } },
    exchanges: Array.from({ length: steps }, () => exchange).flat(),
    reproduce: { curl: 'curl', command: 'plumbline run', origin: { check: id } },
  });
}

const twoCauses = sampleReport({
  failures: [
    wrongStatus('vault-delete.404.never-stored', 404, 500, 'DELETE own/a name as member'),
    wrongStatus('auth.disabled-key', 401, 403, 'DELETE own/a name as disabled', 3),
    wrongStatus('vault-delete.401.missing-key', 401, 403, 'DELETE own/a name with the header none', 2),
    wrongStatus('auth.altered-key', 401, 403, 'DELETE own/a name with the header extended'),
    sampleFailure('secrecy.key-echo'),
  ],
  rows: { 'key-info.200.data': ['fail', 'Recorded traffic showed it.'] },
});

it('puts the largest group first, and says so where it explains most', () => {
  const causes = groupByCause(twoCauses);
  expect(causes.map(renderCause)).toEqual([
    '3 requirements: vault-delete answers 403 instead of 401, for DELETE own/a name with the header none and 2 other requests. Fix this first.',
    '1 requirement: vault-delete answers 500 instead of 404, for DELETE own/a name as member.',
    '1 requirement: key-info.200.data: Recorded traffic showed it.',
  ]);
  expect(causes.map(({ isMost }) => isMost)).toEqual([true, false, false]);
});

it('takes names that are not validated and names that are not found for two causes', () => {
  const failures = [
    wrongStatus('secret-name.refuses.upper-case', 400, 404, 'DELETE own/NAME as member'),
    wrongStatus('secret-name.refuses.punctuation', 400, 404, 'DELETE own/a.b as member'),
    wrongStatus('secret-name.accepts.percent-encoded', 204, 404, 'DELETE own/%61bc as member'),
  ];
  expect(groupByCause(sampleReport({ failures })).map(renderCause)).toEqual([
    '2 requirements: vault-delete answers 404 instead of 400, for DELETE own/NAME as member and 1 other request. Fix this first.',
    '1 requirement: vault-delete answers 404 instead of 204, for DELETE own/%61bc as member.',
  ]);
});

it('takes names and keys that are served though they should be refused for two causes', () => {
  const served = (id: RequirementId, due: number, operation: Operation, key: 'none' | Role) => ({
    ...wrongStatus(id, due, operation === 'vault-delete' ? 204 : 200, `${operation} with ${key}`),
    situation_parts: { operation, outcome: 200, request: `${operation} with ${key}` },
    mismatch: { wrong: 'status', due: [due], asked: { key } } as const,
  });
  const names = served('vault-delete.400.percent-encoding', 400, 'vault-delete', 'member');
  const keys = (['vault-delete', 'inference', 'key-info'] as const).map((operation) =>
    served('auth.altered-key', 401, operation, 'none'),
  );
  const ids = served('guardrail-read.404.other-workspace', 404, 'guardrail-read', 'management');
  const countCauses = (...failures: readonly Failure[]) => groupByCause(sampleReport({ failures })).length;
  expect(countCauses(names, ...keys.slice(0, 2))).toBe(3);
  expect(countCauses(names, ...keys)).toBe(2);
  expect(countCauses(names, ...keys, ids)).toBe(1);
});

it('replays the violation of the fewest steps, by its number in the report, or names the command of the run', () => {
  const [cause, , unseen] = groupByCause(twoCauses, 'out/reports');
  const { number = 0 } = cause?.simplest ?? {};
  expect(numberFailures(twoCauses)[number - 1]?.failure.requirement).toBe('auth.altered-key');
  expect(cause && renderReplayCommand(cause)).toBe(`plumbline replay out/reports ${number}`);
  expect(unseen && renderReplayCommand(unseen)).toBeUndefined();
  const [old] = groupByCause(sampleReport({ failures: [sampleFailure('auth.bearer')] }));
  expect(old && renderReplayCommand(old)).toBe(old?.simplest?.failure.reproduce.command);
});

it('groups what version 0.1 wrote by requirement, since it has words only', () => {
  const failures = (['vault-delete.404.never-stored', 'vault-delete.404.other-intern'] as const).map((id) =>
    sampleFailure(id, { counterexample: { request: 'DELETE own/stored as member' } }),
  );
  expect(groupByCause(sampleReport({ failures })).map(renderCause)).toEqual([
    '1 requirement: vault-delete: expected 404, got 204.',
    '1 requirement: vault-delete: expected 404, got 204.',
  ]);
});

it('a violation that an intermediary made says so, and counts as before', async () => {
  const unreachable = { operation: 'vault-delete', status: 502 } as const;
  const judgeLine = async (server: string) => {
    const { report } = await judgeReference({
      only: ['vault-delete.502.*', 'envelope.json-object'],
      behaviour: editAnswer(unreachable, (answer) => ({
        ...answer,
        headers: { 'Content-Type': 'text/plain', Server: server },
        body: 'Bad gateway',
      })),
    });
    return report;
  };
  const [named, plain] = [await judgeLine('awselb/2.0'), await judgeLine('vault')];
  const words = 'answered by AWS load balancer, probably not by the service';
  const [finding, ofApplication] = [named, plain].map((report) => numberFailures(report)[0]?.failure);
  expect(finding?.answered_by).toBe('AWS load balancer');
  expect(finding?.message).toContain(`; ${words}`);
  expect(groupByCause(named)[0]?.fault).toContain(`502 text/plain in place of JSON, ${words}`);
  expect(ofApplication).not.toHaveProperty('answered_by');
  expect(ofApplication?.message).not.toContain('answered by');
  expect(named.totals).toEqual(plain.totals);
  expect(finding?.case).toBe(ofApplication?.case);
});
