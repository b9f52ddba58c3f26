import { expect, it, test } from 'vitest';
import { findContractFaults, parseUtcTimestamp } from '../../spec/contract.js';

const guardrail = (members: Readonly<Record<string, unknown>>) =>
  findContractFaults('GuardrailResponse', { data: members });

it('a list of wrong elements is reported in part', () => {
  const faults = guardrail({ allowed_providers: Array.from({ length: 100_000 }, () => 1) });
  expect(faults.length).toBeLessThanOrEqual(5_000);
  expect(faults[0]?.path).toEqual(['data', 'allowed_providers', '0']);
});

it('a long valid list has no fault, and a fault beside it is still found', () => {
  const allowed_providers = Array.from({ length: 100_000 }, () => 'acme');
  expect(guardrail({ allowed_providers })).toEqual([]);
  expect(guardrail({ allowed_providers, name: 1 }).map(({ path }) => path)).toEqual([['data', 'name']]);
});

it('a long wrong member name is left out, since a part of it could contain part of a key', () => {
  const [fault] = guardrail({ [`enforce_zdr_${'x'.repeat(100_000)}`]: 1 });
  expect(fault?.path).toEqual(['data', '(a long name)']);
});

const faults = (created_at: unknown) => findContractFaults('GuardrailResponse', { data: { created_at } });

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** One instant in the forms of ISO 8601; 20 November 2026 is day 324 and the Friday of week 47. */
const sameInstant = words(`
  2026-11-20T10:00:00Z 2026-11-20T10:00:00+00:00 2026-11-20T10:00:00+0000 2026-11-20T10:00:00+00
  2026-11-20T10:00Z 2026-11-20T10Z 2026-11-20T10:00:00.000000000Z 2026-11-20T10:00:00,0Z 2026-11-20T10:00.0Z
  2026-11-20T10,0Z 20261120T100000Z 20261120T100000+0000 20261120T100000.000+00 20261120T10Z
  2026-324T10:00:00Z 2026-324T10Z 2026324T100000Z 2026-W47-5T10:00:00Z 2026W475T100000Z 2026W475T10Z
  2026-11-20t10:00:00z
`);

const valid: readonly (readonly [string, number])[] = [
  ...sameInstant.map((text) => [text, Date.UTC(2026, 10, 20, 10)] as const),
  ['2024-02-29T00:00Z', Date.UTC(2024, 1, 29)],
  ['2000-02-29T00:00Z', Date.UTC(2000, 1, 29)],
  ['2024-366T00:00Z', Date.UTC(2024, 11, 31)],
  ['2026-W53-7T00:00Z', Date.UTC(2027, 0, 3)],
  ['2025-W01-1T00:00Z', Date.UTC(2024, 11, 30)],
  ['2026-11-20T24:00Z', Date.UTC(2026, 10, 21)],
  ['2026-11-20T24:00:00.000Z', Date.UTC(2026, 10, 21)],
  ['20261120T24Z', Date.UTC(2026, 10, 21)],
  ['2026-11-20T10.5Z', Date.UTC(2026, 10, 20, 10, 30)],
  ['2026-11-20T10:30.033333333Z', Date.UTC(2026, 10, 20, 10, 30, 2)],
  ['20261120T1030,25Z', Date.UTC(2026, 10, 20, 10, 30, 15)],
  ['2026-11-20T10:30:00.25Z', Date.UTC(2026, 10, 20, 10, 30, 0, 250)],
  ['20261120T103000,25+00', Date.UTC(2026, 10, 20, 10, 30, 0, 250)],
  [`2026-11-20T10:30:00.${'0'.repeat(40)}Z`, Date.UTC(2026, 10, 20, 10, 30)],
  // A leap second, and one that there never was: neither is an accusation.
  ['2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1)],
  ['20161231T235960.5Z', Date.UTC(2017, 0, 1, 0, 0, 0, 500)],
  ['2026-11-20T10:00:60Z', Date.UTC(2026, 10, 20, 10, 1)],
];

/** Texts that are no timestamps, by what is wrong with them. */
const invalid = Object.entries({
  'it lacks a part': words(`
    2026-11-20 T10:00:00Z 2026-11-20T10:00:00 20261120100000Z 2026-W47T10:00:00Z 2026-11T10:00:00Z
    2026-11-20T10:00:00.Z
  `),
  'it is not in UTC, or says so otherwise': words(`
    2026-11-20T12:00:00+02:00 2026-11-20T10:01:00+00:01 2026-11-20T10:00:00-00:00 2026-11-20T10:00:00+000
    2026-11-20T10:00:00UTC 2026-11-20T10:00:00Z+00:00
  `),
  'there is no such day': words(`
    2025-02-29T10:00:00Z 1900-02-29T10:00:00Z 2025-366T10:00:00Z 2025-W53-1T10:00:00Z
  `),
  'there is no such time of a day': words(`
    2026-11-20T25:00:00Z 2026-11-20T24:01Z 2026-11-20T24:00:00.1Z 2026-11-20T24.5Z 2026-11-20T24:00:60Z
    2026-11-20T10:60Z 2026-11-20T10:00:61Z
  `),
  'it has too few digits or too many': words('26-11-20T10:00:00Z +002026-11-20T10:00:00Z 2026-11-20T1:00Z'),
  'it mixes the basic and the extended form': words(`
    20261120T10:00:00Z 2026-11-20T100000Z 2026-1120T10:00:00Z 2026-11-20T10:0000Z
  `),
  'its fraction is not in the last part': ['2026-11-20T10.5:00Z'],
  'it has other characters': [
    ...[' 2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z\n', '2026-11-20 10:00:00Z', ''],
    ...['２０２６-11-20T10:00:00Z', 'Fri, 20 Nov 2026 10:00:00 GMT', '2026-11-20T10:00Z/2026-11-20T11:00Z'],
  ],
}).flatMap(([what, texts]) => texts.map((text) => [text, what] as const));

test.each(valid)('a timestamp can be written as %s', (text, ms) => {
  expect([faults(text), parseUtcTimestamp(text)]).toEqual([[], ms]);
});

test.each(invalid)('%j is not a timestamp, since %s', (text) => {
  expect(parseUtcTimestamp(text)).toBeUndefined();
  const fault = { path: ['data', 'created_at'], expected: 'an ISO 8601 timestamp in UTC', got: text };
  expect(faults(text)).toMatchObject([fault]);
});

test('a timestamp is parsed in time proportional to its length', () => {
  const before = process.cpuUsage();
  for (const text of ['0'.repeat(1e6), `2026-11-20T10:00:00.${'1'.repeat(1e6)}`, 'T'.repeat(1e6)])
    expect(parseUtcTimestamp(text)).toBeUndefined();
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
});
