import { InvalidArgumentError } from 'commander';
import { expect, it } from 'vitest';
import * as flags from '../../cli/flag-values.js';
import { plumbline } from '../cli/plumbline-process.js';

const noNumbers = [...'NaN Infinity -0 -1 +1 1e3 0x10 1_000 ٣ 1,5 1. .5 null'.split(' '), '', ' ', '1\n'];

const readers: Readonly<Record<string, readonly [read: (text: string) => unknown, good: string]>> = {
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
  url: [flags.parseUrl, 'http://127.0.0.1/v1'],
  formatList: [flags.parseFormats, 'html, json'],
  ledger: [flags.parseLedgerRelease, '0.1.0'],
};

it.each(Object.entries(readers))('a flag of %s accepts a valid text and no other', (_name, [read, good]) => {
  expect(() => read(good)).not.toThrow();
  for (const text of [...noNumbers, '\u0000', '../..', '__proto__', 'x'.repeat(100_000)])
    expect(() => read(text)).toThrow(InvalidArgumentError);
});

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
  expect(() => readers[name]?.[0](text)).toThrow(InvalidArgumentError);
});

it('the message about an invalid call cannot act on a terminal, and contains no password', async () => {
  const calls = [
    ['run', '--target', 'http://user:s3cret@127.0.0.1/v1'],
    ['run', '--reference', '--only', '\u001b[2J\u202e'],
    ['compare', '\u001b[2Jold', 'new'],
  ];
  for (const { code, stdout, stderr } of await Promise.all(calls.map((args) => plumbline(args)))) {
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
    for (const live of ['s3cret', '\u001b', '\u202e']) expect(stderr).not.toContain(live);
  }
});
