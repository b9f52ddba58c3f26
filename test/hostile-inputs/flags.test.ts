import { InvalidArgumentError } from 'commander';
import { expect, it } from 'vitest';
import * as flags from '../../cli/flag-values.js';
import { merge } from '../../cli/merge.js';
import { selectServers } from '../../cli/prove/catalogue.js';
import { selectRequirements } from '../../cli/run-flags.js';
import { planJudging } from '../../library/judging-plan.js';
import { formats } from '../../reports/formats.js';
import { UsageError } from '../../spec/thrown.js';
import { plumbline } from '../cli/plumbline-process.js';
import { fileOf, folder } from '../folders.js';
import { outcomeOf, readers, refusalOf, smallReport } from './readers.js';

const noNumbers = [...'NaN Infinity -0 -1 +1 1e3 0x10 1_000 ٣ 1,5 1. .5 null'.split(' '), '', ' ', '1\n'];

const flagReaders: Readonly<Record<string, readonly [read: (text: string) => unknown, good: string]>> = {
  count: [flags.parseCount, '3'],
  concurrency: [flags.parseConcurrency, '10000'],
  seedCount: [flags.parseSeedCount, '3'],
  seed: [flags.parseSeed, '2147483647'],
  port: [flags.parsePort, '65535'],
  seconds: [flags.parseSeconds, '2147483'],
  rate: [flags.parseRate, '0.5'],
  shard: [flags.parseShard, '9999/9999'],
  path: [flags.parseCasePath, 'valid-names:0:17:3'],
  routePath: [flags.parseRoutePath, '/chat/completions'],
  url: [flags.parseUrl, 'http://127.0.0.1/v1?x=1'],
  baseUrl: [flags.parseBaseUrl, 'http://127.0.0.1/v1'],
  formatList: [flags.makeFormatsParser(formats), 'html, json'],
  ledger: [flags.parseLedgerRelease, '0.1.0'],
};

it.each(Object.entries(flagReaders))(
  'a flag of %s accepts a valid text and no other',
  (_name, [read, good]) => {
    expect(() => read(good)).not.toThrow();
    for (const text of [...noNumbers, '\u0000', '../..', '__proto__', 'x'.repeat(100_000)])
      expect(() => read(text)).toThrow(InvalidArgumentError);
  },
);

it.each([
  ['count', '9'.repeat(400)],
  ['concurrency', '10001'],
  ['seedCount', '10001'],
  ['seed', '2147483648'],
  ['port', '65536'],
  ['seconds', '2147484'],
  ['rate', `0.${'0'.repeat(400)}1`],
  ['shard', '10000/10000'],
  ['shard', '2/1'],
] as const)('a flag refuses a value out of range: %s of %s', (name, text) => {
  expect(() => flagReaders[name]?.[0](text)).toThrow(InvalidArgumentError);
});

it('the message about an invalid call cannot act on a terminal, and contains no password', async () => {
  const calls = [
    ['run', '--target', 'http://user:s3cret@127.0.0.1/v1'],
    ['observe', 'a.har', '--target', 'http://127.0.0.1/v1?key=s3cret'],
    ['run', '--reference', '--only', '\u001b[2J\u202e'],
    ['compare', '\u001b[2Jold', 'new'],
  ];
  for (const { code, stdout, stderr } of await Promise.all(calls.map((args) => plumbline(args)))) {
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
    for (const live of ['s3cret', '\u001b', '\u202e']) expect(stderr).not.toContain(live);
  }
});

const endless = `${'*?'.repeat(30)}z`;

/** Patterns that would take very long to match naively: each must match within the time limit or be refused. */
const costly: readonly string[] = [
  '{1..1000000}',
  '{1..9}{1..9}{1..9}{1..9}{1..9}{1..9}{1..9}',
  `${'{a,b}'.repeat(40)}z`,
  '+(+(+(+([a-z]))))!',
  '@(+(?)|+(?))+z',
  '(?:(?:[a-z]+)+)+!',
  '([a-z-]|[a-z-][a-z-])+!',
  '!(!(!(!(*))))',
  `${'*a'.repeat(60)}z`,
  '*'.repeat(10_000),
  '('.repeat(10_000),
  '['.repeat(3_000),
  '{'.repeat(3_000),
  '\\'.repeat(10_000),
];

const long = 'x'.repeat(70_000);

it.each([
  ['is far too long', long, 'is far too long; write a shorter one'],
  ['is empty', '', 'is empty; remove it'],
  ['matches nothing', 'nothing.*', 'no requirement matches "nothing.*"'],
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
  const refusal = 'FILE:3: policy.excused[1].requirement: takes too long to match; use fewer wildcards';
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
