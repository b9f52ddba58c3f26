import { expect, it } from 'vitest';
import { readShard, writeShard } from '../../judge/plan.js';
import { Selection } from '../../judge/selection.js';
import { allChecks } from '../../suites/all-checks.js';
import { isVault, makeEnvelope, replaceAnswers } from '../behaviours.js';
import { idsWith } from '../report-rows.js';
import { judgeReference } from './judge-reference.js';

it('a run of one area is conformant despite violations elsewhere', async () => {
  const behaviour = replaceAnswers(isVault(404), makeEnvelope(500));
  const { report } = await judgeReference({ only: ['key-info.*'], depth: 'quick', behaviour });
  expect(report).toMatchObject({ verdict: 'conformant', gate: { exit_code: 0 } });
});

it('a selection of rules for every response is decided by the requests of all checks', async () => {
  const only = ['stream-error.id', 'rate-limit.success-headers'];
  const checks = allChecks.filter(({ id }) => /^(?:inference|stream-error|key-info)\./.test(id));
  const { report } = await judgeReference({ only, checks, depth: 'quick' });
  expect(report.verdict).toBe('conformant');
  expect(idsWith(report, 'pass').toSorted()).toEqual(only.toSorted());
});

// Only the checks of the active requirement run, and they may not exercise the passive ones.
it('a selected rule for every response is decided beside an active requirement', async () => {
  const { report } = await judgeReference({ only: ['envelope.*', 'key-info.200.read'] });
  expect(report.verdict).toBe('conformant');
});

it('--skip removes requirements that --only selects, and a selection names the patterns that match nothing', () => {
  const selection = new Selection({ only: ['vault-delete.404.*', 'auth.*'], skip: ['*.404.keeps'] });
  const ids = ['vault-delete.404.never-stored', 'vault-delete.404.keeps', 'vault-delete.401.keeps'] as const;
  expect(ids.map((id) => selection.has(id))).toEqual([true, false, false]);
  const { unmatched } = new Selection({ only: ['auth.*', 'vault.*'], skip: ['key-info.bearer'] });
  expect(unmatched).toEqual(['vault.*', 'key-info.bearer']);
});

it('a shard is written as its number and how many there are, and nothing else is read as one', () => {
  for (const text of ['1/1', '2/3', '3/3', '12/40']) {
    const shard = readShard(text);
    expect(shard && writeShard(shard)).toBe(text);
  }
  for (const text of ['0/3', '4/3', '3', '1/0', '-1/3', '1.5/3', '1/3/5', '01/3', '1/99999', '', '1/ 3'])
    expect([text, readShard(text)]).toEqual([text, undefined]);
});
