import { expect, test } from 'vitest';
import { findContractFaults, parseUtcTimestamp } from '../../spec/contract.js';

const faults = (created_at: unknown) => findContractFaults('GuardrailResponse', { data: { created_at } });

/** One instant in the forms of ISO 8601; 20 November 2026 is day 324 and the Friday of week 47. */
const sameInstant = `
  2026-11-20T10:00:00Z 2026-11-20T10:00:00+00:00 2026-11-20T10:00:00+0000 2026-11-20T10:00:00+00
  2026-11-20T10:00Z 2026-11-20T10Z 2026-11-20T10:00:00.000000000Z 2026-11-20T10:00:00,0Z 2026-11-20T10:00.0Z
  2026-11-20T10,0Z 20261120T100000Z 20261120T100000+0000 20261120T100000.000+00 20261120T10Z
  2026-324T10:00:00Z 2026-324T10Z 2026324T100000Z 2026-W47-5T10:00:00Z 2026W475T100000Z 2026W475T10Z
  2026-11-20t10:00:00z
`;

const valid: readonly (readonly [string, number])[] = [
  ...sameInstant
    .trim()
    .split(/\s+/)
    .map((text) => [text, Date.UTC(2026, 10, 20, 10)] as const),
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

const invalid: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['a date without a time', '2026-11-20'],
  ['a time without a date', 'T10:00:00Z'],
  ['no zone', '2026-11-20T10:00:00'],
  ['a blank for T', '2026-11-20 10:00:00Z'],
  ['no T', '20261120100000Z'],
  ['an offset', '2026-11-20T12:00:00+02:00'],
  ['an offset of minutes', '2026-11-20T10:01:00+00:01'],
  ['a negative zero', '2026-11-20T10:00:00-00:00'],
  ['three digits of an offset', '2026-11-20T10:00:00+000'],
  ['the name of a zone', '2026-11-20T10:00:00UTC'],
  ['two zones', '2026-11-20T10:00:00Z+00:00'],
  ['29 February of a common year', '2025-02-29T10:00:00Z'],
  ['29 February of a common century', '1900-02-29T10:00:00Z'],
  ['day 366 of a common year', '2025-366T10:00:00Z'],
  ['week 53 of a year without one', '2025-W53-1T10:00:00Z'],
  ['a week without a day', '2026-W47T10:00:00Z'],
  ['a month without a day', '2026-11T10:00:00Z'],
  ['hour 25', '2026-11-20T25:00:00Z'],
  ['a minute after 24:00', '2026-11-20T24:01Z'],
  ['a fraction after 24:00', '2026-11-20T24:00:00.1Z'],
  ['a fraction after hour 24', '2026-11-20T24.5Z'],
  ['a leap second after 24:00', '2026-11-20T24:00:60Z'],
  ['minute 60', '2026-11-20T10:60Z'],
  ['second 61', '2026-11-20T10:00:61Z'],
  ['a point without a fraction', '2026-11-20T10:00:00.Z'],
  ['a fraction that is not the last part', '2026-11-20T10.5:00Z'],
  ['a year of two digits', '26-11-20T10:00:00Z'],
  ['a year of six digits', '+002026-11-20T10:00:00Z'],
  ['one digit of an hour', '2026-11-20T1:00Z'],
  ['a basic date with an extended time', '20261120T10:00:00Z'],
  ['an extended date with a basic time', '2026-11-20T100000Z'],
  ['half of the hyphens', '2026-1120T10:00:00Z'],
  ['half of the colons', '2026-11-20T10:0000Z'],
  ['a blank before', ' 2026-11-20T10:00:00Z'],
  ['a line end behind', '2026-11-20T10:00:00Z\n'],
  ['digits of another script', '２０２６-11-20T10:00:00Z'],
  ['a date as HTTP has it', 'Fri, 20 Nov 2026 10:00:00 GMT'],
  ['an interval', '2026-11-20T10:00Z/2026-11-20T11:00Z'],
];

test.each(valid)('a timestamp can be written as %s', (text, ms) => {
  expect([faults(text), parseUtcTimestamp(text)]).toEqual([[], ms]);
});

test.each(invalid)('a timestamp is not %s: %j', (_what, text) => {
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
