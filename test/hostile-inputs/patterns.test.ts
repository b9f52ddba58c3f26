import { expect, it } from 'vitest';
import { merge } from '../../cli/merge.js';
import { selectServers } from '../../cli/prove/catalogue.js';
import { selectRequirements } from '../../cli/run-flags.js';
import { planJudging } from '../../library/judging-plan.js';
import { UsageError } from '../../spec/thrown.js';
import { fileOf, folder } from '../folders.js';
import { outcomeOf, readers, refusalOf, smallReport } from './readers.js';

const endless = `${'*?'.repeat(30)}z`;

/** Patterns that would take very long to match naively: each must match within the time limit or be refused. */
const costly: readonly string[] = [
  '{1..1000000}',
  '{1..9}{1..9}{1..9}{1..9}{1..9}{1..9}{1..9}',
  `${'{a,b}'.repeat(40)}z`,
  `${'{?,??}'.repeat(40)}z`,
  '+(+(+(+([a-z]))))!',
  '@(+(?)|+(?))+z',
  '(?:(?:[a-z]+)+)+!',
  '([a-z-]|[a-z-][a-z-])+!',
  '!(!(!(!(*))))',
  `${'*a'.repeat(60)}z`,
  '*'.repeat(10_000),
  '('.repeat(10_000),
  '+('.repeat(10_000),
  '['.repeat(3_000),
  '{'.repeat(3_000),
  '\\'.repeat(10_000),
];

const long = 'x'.repeat(70_000);

it.each([
  ['is far too long', long, 'is far too long; write a shorter one'],
  ['is empty', '', 'is empty; take it out'],
  ['matches nothing', 'nothing.*', 'No requirement matches "nothing.*"'],
])('an --only pattern that %s is refused', (_name, only, words) => {
  const choosing = () => selectRequirements({ only: [only], skip: [] });
  expect(choosing).toThrow(UsageError);
  expect(choosing).toThrow(words);
});

it('no --only pattern takes longer than the time limit', () => {
  const slow = costly.filter((pattern) => {
    const start = performance.now();
    try {
      selectRequirements({ only: [pattern], skip: [] });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
    }
    return performance.now() - start > 1_800;
  });
  expect(slow).toEqual([]);
});

it('prove and the library refuse a pattern that is too long too', () => {
  expect(() => selectServers([long], false)).toThrow(UsageError);
  expect(() => planJudging({ only: [long] })).toThrow(TypeError);
});

it('a pattern of a policy has the same time limit, and its refusal names the line', async () => {
  const excused = [
    { requirement: 'vault-delete.*', reason: 'x' },
    { requirement: endless, reason: 'x' },
  ];
  const text = `target: { base_url: "http://127.0.0.1:1/v1" }\npolicy:\n  excused: ${JSON.stringify(excused)}`;
  const refusal =
    'FILE:3: policy.excused[1].requirement: takes too long to try; write it with fewer wildcards';
  expect(await refusalOf(readers['run --profile'].read, fileOf(text))).toBe(refusal);
});

it('merge refuses a report whose selection has a pattern that is too long', async () => {
  const run = { ...smallReport.run, selection: { only: [long], skip: [] } };
  const path = fileOf(JSON.stringify({ ...smallReport, run }));
  const { code, message } = await outcomeOf(() =>
    merge([path], { report: folder(), format: ['json'], quiet: true, color: false }),
  );
  expect([code, message]).toEqual([undefined, expect.stringContaining('is far too long')]);
});
