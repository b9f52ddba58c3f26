import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { type Report, statuses } from '../../spec/report.js';
import { bigReport, bigTraffic } from './big-report.js';
import {
  everyHostileText,
  hostileNames,
  hostileReport,
  hostileTexts,
  hostileTraffic,
  tenMegabytes,
} from './hostile-report.js';
import { eventfulReport, sampleReport } from './sample-report.js';

const schema = JSON.parse(readFileSync(new URL('../../spec/report.schema.json', import.meta.url), 'utf8'));
const validate = new Ajv2020({ strict: true }).compile(schema);

describe.each<readonly [string, () => Report]>([
  ['conformant', sampleReport],
  ['eventful', eventfulReport],
  ['hostile', hostileReport],
  ['big', bigReport],
])('the %s sample', (_name, make) => {
  const report = make();

  test('is a report that the schema accepts', () => {
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
  });

  test('has the totals of its rows, and no check twice', () => {
    for (const status of statuses)
      expect(report.totals[status]).toBe(report.requirements.filter((row) => row.status === status).length);
    expect(new Set(report.checks.map(({ id }) => id)).size).toBe(report.checks.length);
  });
});

describe('the hostile sample', () => {
  test('has every text in every place that a server can fill', () => {
    const placed = 'every place';
    const marked = JSON.stringify(hostileReport(placed, placed));
    const count = (text: string) => text.split(placed).length - 1;
    expect(count(marked)).toBeGreaterThan(100);
    const report = hostileReport(everyHostileText, 'short');
    const check = report.checks.find(({ further_failures }) => further_failures.length > 0);
    const [exchange] = check?.further_failures[0]?.exchanges ?? [];
    expect([
      report.target.base_url,
      report.run.notes[0],
      report.run.left_behind[0]?.why,
      report.silences[0]?.observed[0],
      Object.keys(check?.classes ?? {})[0],
      check?.attempts[0]?.came,
      check?.further_failures[0]?.message,
      check?.further_failures[0]?.actual,
      Object.keys(check?.further_failures[0]?.counterexample ?? {})[0],
      check?.further_failures[0]?.reproduce.curl,
      exchange?.request.url,
      exchange?.response?.body,
      exchange?.response?.headers[0]?.[0],
      exchange?.response?.headers[0]?.[1],
    ]).toEqual(Array.from({ length: 14 }, () => expect.stringContaining(everyHostileText)));
    for (const outcome of ['inconclusive', 'skipped'] as const)
      expect(report.checks.find((one) => one.outcome === outcome)?.reason).toBe(everyHostileText);
  });

  test('has the names that every object has already as its own', () => {
    const { counterexample } =
      hostileReport('x', 'x').checks.flatMap(({ failure }) => failure ?? [])[0] ?? {};
    expect(Object.keys(counterexample ?? {})).toEqual(expect.arrayContaining([...hostileNames]));
  });

  test('has 10 MB in one message', () => {
    const lengths = hostileReport().checks.map(({ failure }) => failure?.message.length ?? 0);
    expect(Math.max(...lengths)).toBe(tenMegabytes().length);
    expect(lengths.filter((length) => length > 10_000_000)).toHaveLength(1);
  });

  test('has traffic of every kind', () => {
    const { exchanges } = hostileTraffic(hostileTexts.NUL);
    expect(exchanges.map(({ response }) => response?.status ?? null)).toEqual([999, 0, null, 999, 0, null]);
  });
});

test('the big sample has 300 checks and 5,000 exchanges, in its violations and attempts and in its traffic', () => {
  const { checks } = bigReport();
  const kept = checks.flatMap(({ failure, attempts }) => [
    ...(failure?.exchanges ?? []),
    ...attempts.flatMap(({ exchanges }) => exchanges),
  ]);
  expect(checks).toHaveLength(300);
  expect(kept).toHaveLength(5_000);
  const { exchanges } = bigTraffic();
  expect(exchanges).toHaveLength(5_000);
  expect(JSON.stringify(exchanges).length / exchanges.length).toBeGreaterThan(900);
  expect(JSON.stringify(exchanges).length / exchanges.length).toBeLessThan(1_200);
});
