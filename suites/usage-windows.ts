import { dayMs } from '../judge/answer-rules.js';
import type { CheckContext } from '../judge/api.js';
import type { Call } from '../judge/call.js';
import { type Check, check } from '../judge/check.js';
import { Disturbed } from '../judge/finding.js';
import type { RequirementId } from '../spec/ledger.js';
import type { UsageRecord } from '../spec/vocabulary.js';
import { type Answered, asText, header, isAnswered, readData } from '../targets/exchange.js';
import { isAsSet } from './field-values.js';
import type { Destination } from './requests.js';

// §2.2: which requests the usage figures of a key count, around the borders of day, week and month.

// The target's clock may be some minutes off, so a border nearby may have passed or not.
const clockMs = 15 * 60_000;
const listClocks = (now: number) => [now - clockMs, now, now + clockMs];

type Kind = 'credits' | 'byok';
type Span = '' | '_daily' | '_weekly' | '_monthly';
const spans: readonly Span[] = ['', '_daily', '_weekly', '_monthly'];

/** Returns the start of a window, in milliseconds since 1970; weeks begin on Monday. */
function findStart(span: Span, now: number): number {
  const day = Math.floor(now / dayMs) * dayMs;
  const date = new Date(day);
  const starts: Readonly<Record<Span, number>> = {
    '': Number.NEGATIVE_INFINITY,
    _daily: day,
    _weekly: day - ((date.getUTCDay() + 6) % 7) * dayMs,
    _monthly: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()),
  };
  return starts[span];
}

// When the day, week and month of `byok` usage begin is not stated, nor in which time zone.
const surelyOverMs: Readonly<Record<Span, number>> = {
  '': 0,
  _daily: 2 * dayMs,
  _weekly: 8 * dayMs,
  _monthly: 32 * dayMs,
};

// The records have different powers of two of it, so a sum shows which of them were added; together, they are few
// credits.
const unit = 0.0001;
// A server that reads usage in pages must read more than one, and must not forget old records.
const moreThanAPage = 120;
const oldYears = 5;

/** Makes the record of a request. */
export function makeUsage(timeMs: number, credits: number, byok: number): UsageRecord {
  return { at: new Date(timeMs).toISOString(), credits, byok };
}

/** Makes the record of a request a minute ago. */
export function makeRecentUsage(credits: number, byok: number, now = Date.now()): UsageRecord {
  return makeUsage(now - 60_000, credits, byok);
}

/** Makes records on both sides of each border, of the recent and the distant past, and many of years ago. */
function makeRecords(now: number): readonly UsageRecord[] {
  const clocks = listClocks(now);
  const borders = new Set(spans.slice(1).flatMap((span) => clocks.map((clock) => findStart(span, clock))));
  const monthsBefore = (months: number) => new Date(now).setUTCMonth(new Date(now).getUTCMonth() - months);
  const yearsBefore = (years: number) => new Date(now).setUTCFullYear(new Date(now).getUTCFullYear() - years);
  // A year has 52 or 53 weeks. Of two months in a row, one has the day of today.
  const before = [60_000, 7 * dayMs, 10 * dayMs, 52 * 7 * dayMs, 53 * 7 * dayMs].map((ms) => now - ms);
  const alike = [monthsBefore(1), monthsBefore(2), yearsBefore(1)];
  // Shortly before midnight, the clock that is ahead shows the next day already. No record may lie in the future.
  const times = [...before, ...alike, ...[...borders].flatMap((start) => [start, start - 1_000])].filter(
    (time) => time < now,
  );
  const old = makeUsage(yearsBefore(oldYears), unit, unit);
  const { length } = times;
  return [
    ...Array.from({ length: moreThanAPage }, () => old),
    ...times.map((time, at) => makeUsage(time, unit * 2 ** at, unit * 2 ** (length - 1 - at))),
    // Each kind without the other.
    makeRecentUsage(0, unit * 2 ** length, now),
    makeRecentUsage(unit * 2 ** length, 0, now),
  ];
}

/** Lists every correct value of a figure, for each time that it may be on the target. */
function listSums(records: readonly UsageRecord[], kind: Kind, span: Span, now: number): readonly number[] {
  const isPlain = (time: number) =>
    kind === 'credits' || now - time < 2 * 60_000 || now - time > surelyOverMs[span];
  return listClocks(now).flatMap((clock) => {
    const start = findStart(span, clock);
    return records.reduce<readonly number[]>(
      (sums, record) => {
        const time = Date.parse(record.at);
        const counted = sums.map((sum) => sum + record[kind]);
        if (!isPlain(time)) return counted.concat(sums);
        return time >= start ? counted : sums;
      },
      [0],
    );
  });
}

const figuresOf = { credits: 'usage', byok: 'byok_usage' } as const;
const rowOf: Readonly<Record<Kind, RequirementId>> = {
  credits: 'key-info.windows',
  byok: 'key-info.byok-counting',
};

export const yearMs = 365 * dayMs;
const usageChanged = 'only the usage of the key has changed';

/** Credits used, credits used on own provider keys, whether these count toward a limit of 10, and the status that is then due. */
const limitedUsage = [
  [1, 15, false, 200],
  [1, 15, true, 402],
  [0, 15, true, 402],
  // Neither of them alone uses it up.
  [6, 7, true, 402],
  [0, 15, false, 200],
] as const;

/** Asserts that the figures of a key match its usage records. */
async function judgeFigures(
  { api }: CheckContext,
  records: readonly UsageRecord[],
  now: number,
): Promise<void> {
  // A server that localizes numbers would do so in this answer.
  const call = api.readKey({ headers: { 'Accept-Language': 'de' } });
  const exchange = await call.expectStatus(200, { because: usageChanged });
  if (Math.abs(readClock(exchange) - now) > clockMs)
    throw new Disturbed('the clock of the target changed by more than 15 minutes');
  const data = readData(exchange);
  // A proxy with a wrong clock may replace the `Date` of the response, so that the clock of this machine may be the right one.
  for (const kind of ['credits', 'byok'] as const) {
    const wrong = spans
      .map((span) => ({
        name: `${figuresOf[kind]}${span}`,
        sums: [now, Date.now()].flatMap((clock) => listSums(records, kind, span, clock)),
      }))
      .filter(({ name, sums }) => name in data && !sums.some((sum) => isAsSet(name, sum, data[name])));
    call.expect(exchange, rowOf[kind], {
      ok: wrong.length === 0,
      expected: wrong.map(({ name, sums }) => `${name} ${sums[0]}`).join(', '),
      actual: wrong.map(({ name }) => `${name} ${asText(data[name])}`).join(', '),
      mismatch: { wrong: 'value', fields: wrong.map(({ name }) => name) },
    });
  }
}

/** Reads the clock of the target from the `Date` of an answer, or that of this machine if it has none. */
function readClock({ answer }: Answered): number {
  const dateMs = Date.parse(header(answer, 'date') ?? '');
  return Number.isNaN(dateMs) ? Date.now() : dateMs;
}

/**
 * Asserts that a key whose request has just been served reports something left of its limit, or no limit: with nothing
 * left, the request would have got 402 (§8.1).
 */
export async function judgeRemaining({ api }: Destination, requirement: RequirementId): Promise<void> {
  const call = api.readKey();
  const exchange = await call.send();
  // Other checks judge whether keys can be read.
  if (!isAnswered(exchange) || exchange.answer.status !== 200) return;
  const { limit_remaining: remaining } = readData(exchange);
  call.expect(exchange, requirement, {
    ok: typeof remaining !== 'number' || remaining > 0,
    expected: 'limit_remaining above 0, since the request before was served',
    actual: `limit_remaining ${asText(remaining)}`,
    mismatch: { wrong: 'value', fields: ['limit_remaining'] },
  });
}

/** Asserts that a served read of a key whose limit is used up reports nothing left of it (§8.1). */
export function judgeUsedUp(call: Call, exchange: Answered): void {
  const { limit_remaining: remaining } = readData(exchange);
  call.expect(exchange, 'key-info.exhausted', {
    ok: typeof remaining !== 'number' ? remaining === undefined : remaining <= 0,
    expected: 'limit_remaining no more than 0',
    actual: `limit_remaining ${asText(remaining)}`,
    mismatch: { wrong: 'value', fields: ['limit_remaining'] },
  });
}

/** The checks of which usage is counted, and which counts towards a limit (§2.2). */
export const usageChecks: readonly Check[] = [
  check(
    'key-info.windows',
    { sideEffects: 'settings', alsoDecides: ['key-info.byok-counting'] },
    async (context) => {
      // A server may keep the figures of the first read.
      await context.world.setUsage('member', [makeRecentUsage(1, 1)]);
      const now = readClock(await context.api.readKey().expectStatus(200, { because: usageChanged }));
      // Neither by the target's clock nor by that of this machine may a record lie in the future.
      const records = makeRecords(Math.min(now, Date.now()));
      await context.world.setUsage('member', records);
      // A read costs no credits, so the second one must show the same figures.
      for (const _read of ['first', 'second']) await judgeFigures(context, records, now);
    },
  ),
  check(
    'key-info.byok-counting/limit',
    { control: 'inference', sideEffects: 'settings', needs: ['feature:key_info', 'inference:paid'] },
    async (context) => {
      const { world, api } = context;
      const limit = { limit: 10, limit_remaining: 10, limit_reset: null };
      for (const [at, [credits, byok, counted, status]] of limitedUsage.entries()) {
        await world.setKeyInfo('member', { ...limit, include_byok_in_limit: counted });
        // A limit that does not reset is used up by old requests too.
        await world.setUsage('member', [
          makeUsage(Date.now() - (at % 2 === 0 ? 60_000 : yearMs), credits, byok),
        ]);
        const because = `${byok} credits were used on own provider keys, which ${counted ? 'count' : 'do not count'} toward the limit of 10, and ${credits} otherwise`;
        const call = api.infer({ model: 'paid', stream: at === 3 });
        if (status === 402) await call.expectRefusal(402, { because });
        else {
          await call.expectStatus(200, { because });
          await judgeRemaining(context, 'key-info.byok-counting');
        }
      }
    },
  ),
];
