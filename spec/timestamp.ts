import { getDate } from '@0dep/piso';

// Written with two-digit hours or more, with minutes and seconds where they are given, and in UTC. Whether the date
// exists and basic and extended format are mixed is for the library to say.
const dateAndTime =
  /^(\d{4}-?(?:\d\d-?\d\d|\d{3}|W\d\d-?\d))[Tt](\d\d(?::?\d\d){0,2})(?:[.,](\d+))?(?:[Zz]|\+00(?::?00)?)$/;

const secondMs = 1_000;
/** What a fraction is a fraction of, by the number of digits of the time before it. */
const unitMs: Readonly<Record<number, number>> = { 2: 3_600 * secondMs, 4: 60 * secondMs, 6: secondMs };

/**
 * Returns the instant that a text names, in milliseconds since 1970; undefined where the text is no ISO 8601 date and
 * time in UTC (§2.1). A leap second and a lower-case `t` or `z` are accepted: standards differ about them.
 */
export function parseUtcTimestamp(text: string): number | undefined {
  const [, date, time, fraction] = dateAndTime.exec(text) ?? [];
  if (date === undefined || time === undefined) return undefined;
  const beyondMs = Number(`0.${fraction ?? 0}`) * (unitMs[time.replaceAll(':', '').length] ?? 0);
  // The last instant of a day has nothing after it.
  if (time.startsWith('24') && beyondMs > 0) return undefined;
  const wholeMs = instantOf(date, time);
  // To the microsecond: a decimal fraction of a minute is rounded where it is written.
  return wholeMs === undefined ? undefined : wholeMs + Math.round(beyondMs * 1_000) / 1_000;
}

/** The library takes no hour alone and no leap second. */
function instantOf(date: string, time: string): number | undefined {
  const toMinutes = time.length === 2 ? `${time}${date.includes('-') ? ':' : ''}00` : time;
  const isLeapSecond = /^\d\d(:?)\d\d\1(?:60)$/.test(toMinutes);
  const toSeconds = isLeapSecond ? toMinutes.replace(/60$/, '59') : toMinutes;
  try {
    return getDate(`${date}T${toSeconds}Z`).getTime() + (isLeapSecond ? secondMs : 0);
  } catch {
    return undefined;
  }
}
