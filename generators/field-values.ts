import fc from 'fast-check';

// §2.1 and §2.2: values for the fields of a guardrail and of a key.

/** Fields with their values: `{ limit_usd: 12.5, enforce_zdr: null }`. */
export type Fields = Readonly<Record<string, unknown>>;

// Every decimal and binary number format represents eighths exactly.
const amount = fc.nat(8_000_000).map((eighths) => eighths / 8);
const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);
const text = fc.oneof(
  word,
  fc.constantFrom('', 'Größe', 'Two words', 'a "quoted" <b>', '日本語', 'x'.repeat(200)),
);
// Without duplicates, since a target may refuse them.
const list = fc.option(fc.uniqueArray(word, { maxLength: 4 }), { nil: null });
const flag = fc.boolean();
const filter = fc.record({ slug: word, label: text, action: fc.constant('redact') });

// Numbers that some formats round, cut or shorten.
const amounts = [0, 1e-7, 2 ** 53, 0.1, 1_234_567.89];
const flags = [true, false];
// Texts that careless code converts to a number, null, a boolean or a date, or changes by trimming or normalizing.
const texts = [
  ...['0042', 'null', 'true', '1e3', '2025-02-30', 'no', ' a\u0301\u{1f511} ', '"<b>\\n\u2028'],
  'three\r\nlines\nin all\r\n',
  'two  blanks\u00a0, a\ttab and a joiner\u200d',
  "100% %41 1+1 it's &amp; &#39; {{it}}",
];
const many = Array.from({ length: 120 }, (_, at) => `acme-${at}`);
const lists = [
  null,
  [],
  ['null', 'Null', 'on'],
  // Some software leaves out what it takes for false, and then numbers the rest.
  ['0042', '0', '42'],
  ['b', 'a', 'c,d'],
  ['acme/large', 'acme/tiny:free', ...many],
];
const prose = `Set by a conformance run. ${'Long enough that no column cuts it. '.repeat(14)}`.trim();
const redact = (slug: string, label: string) => ({ slug, label, action: 'redact' });

/** Values of a field: plain ones, those that careless code changes, and any that the document allows. */
type Field = readonly [plain: readonly unknown[], borders: readonly unknown[], any: fc.Arbitrary<unknown>];

const guardrail = {
  name: [
    ['plumbline', 'Größe & "Quotes" <b>', ' x '],
    ['n'.repeat(300), ...texts],
    text.filter((name) => name !== ''),
  ],
  description: [[prose, ''], ['', ...texts], text],
  allowed_models: [[['acme/large'], null, []], lists, list],
  allowed_providers: [[['acme', 'globex'], null, []], [[], null, ...lists.slice(2)], list],
  ignored_models: [[['acme/tiny:free'], null, []], [['0'], ...lists], list],
  ignored_providers: [[['initech'], null, []], lists.toReversed(), list],
  limit_usd: [[12.5, 0, 1_234_567.891], amounts, amount],
  reset_interval: [['monthly'], ['monthly'], fc.constant('monthly')],
  include_byok_in_budgets: [flags, flags, flag],
  enforce_zdr: [[true, null, false], [null, ...flags], fc.option(flag, { nil: null })],
  enforce_zdr_other: [flags, flags, flag],
  enable_free_model_publication: [flags, flags, flag],
  enable_free_model_training: [[true, false, false], flags.toReversed(), flag],
  enable_paid_model_training: [flags, flags, flag],
  content_filter_builtins: [
    [[redact('email', '[EMAIL]')], []],
    [
      [],
      [redact('email', '')],
      [redact('b', 'null'), redact('a', ' 0 '), redact('c', 'true')],
      many.map((slug) => redact(slug, slug)),
    ],
    fc.uniqueArray(filter, { maxLength: 3, selector: ({ slug }) => slug }),
  ],
} as const satisfies Record<string, Field>;

const key = {
  label: [['plumbline', '', ' Größe & "Quotes" '], [prose, ...texts], text],
  limit_reset: [['monthly', null], [null, 'monthly'], fc.constantFrom('monthly', null)],
  include_byok_in_limit: [flags, flags, flag],
  is_free_tier: [flags.toReversed(), flags, flag],
} as const satisfies Record<string, Field>;

function selectValues<At extends 0 | 1 | 2>(fields: Readonly<Record<string, Field>>, at: At) {
  return Object.fromEntries(Object.entries(fields).map(([name, values]) => [name, values[at]] as const));
}

/** Makes a row for each value of the longest list; shorter lists start over. */
function makeRows(values: Readonly<Record<string, readonly unknown[]>>): readonly Fields[] {
  const count = Math.max(...Object.values(values).map(({ length }) => length));
  return Array.from({ length: count }, (_, at) =>
    Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all[at % all.length]])),
  );
}

/** Border values of the fields of a guardrail. */
export const guardrailBorders: readonly Fields[] = makeRows(selectValues(guardrail, 1));

/** Border values of the fields of a key, with consistent figures. */
export const keyBorders: readonly Fields[] = makeRows(selectValues(key, 1)).map((fields, at) => {
  const greatest = amounts[at % amounts.length] ?? 0;
  return addLimit({ ...fields, ...makeFigures(greatest, at >= amounts.length) }, greatest || null);
});

/** Guardrails that §2.1 allows, to be set and read back. */
export const guardrailSettings: readonly Fields[] = makeRows({
  ...selectValues(guardrail, 0),
  content_filters: [null],
  // In the afternoon, and in a week that counts as the next year's; and at midnight, a time that some software leaves out.
  created_at: ['2024-12-30T13:05:06.789Z', '2026-03-01T00:00:00Z'],
});

/** Key information with consistent figures; some credit always remains, since a key without any may get 402. */
export const keySettings: readonly Fields[] = makeRows({
  ...selectValues(key, 0),
  // The limits are monthly and include usage on own provider keys.
  limit: [500, null, 13.000125],
  limit_remaining: [455.25, null, 0.000125],
  usage: [100.25, 0, 123456.789],
  usage_daily: [10.125, 0, 0.001],
  // A week can begin before the month, so its figure may be the greater one.
  usage_weekly: [20.25, 0, 7.25],
  usage_monthly: [40.5, 0, 3.5],
  // Beyond 32 bits.
  byok_usage: [8.5, 0, 5_000_000_000],
  byok_usage_daily: [1.0625, 0, 1],
  byok_usage_weekly: [2.125, 0, 9.75],
  byok_usage_monthly: [4.25, 0, 9.5],
});

/** Values that a target may refuse to set, one at a time. */
export const unusualValues: { readonly guardrail: readonly Fields[]; readonly key: readonly Fields[] } = {
  guardrail: [
    // The first second of 1970, and one that 32 bits cannot count.
    { reset_interval: 'daily', created_at: '1970-01-01T00:00:00Z', updated_at: '2040-02-29T12:00:00Z' },
    { reset_interval: 'weekly', allowed_providers: ['globex', 'acme', 'globex', 'initech'] },
    ...['yearly', 'none'].map((interval) => ({ reset_interval: interval })),
    // In summer, when local time is ahead of UTC in much of the world.
    { created_at: '2024-07-01T10:20:30Z', updated_at: '2024-07-02T23:40:50Z' },
    { limit_usd: -1 },
    { name: '', ignored_providers: ['acme', '', 'globex'] },
    { allowed_models: [{ id: 'acme/large', quota: null }, 7, null] },
    { content_filters: { pattern: '0042', on: [] } },
    { content_filters: [] },
  ],
  key: [
    ...['daily', 'weekly', 'yearly', 'none', 'Every-2W'].map((reset) => ({
      ...makeFigures(0, true),
      ...{ limit: 20, limit_remaining: 20, limit_reset: reset },
    })),
    { ...makeFigures(0, true), ...{ limit: 0, limit_remaining: 0, limit_reset: null } },
    // The last request went beyond the limit.
    {
      ...makeFigures(5.25, true),
      ...{ limit: 5, limit_remaining: -0.25, limit_reset: null, include_byok_in_limit: false },
    },
  ],
};

/** Makes usage figures of a key with the given maximum, all of it used today or not. */
function makeFigures(greatest: number, isOfToday: boolean): Fields {
  const isEach = isOfToday || greatest < 1;
  const used = (name: 'usage' | 'byok_usage') => ({
    [name]: greatest,
    [`${name}_daily`]: isOfToday ? greatest : 0,
    [`${name}_weekly`]: isEach ? greatest : 0.5,
    [`${name}_monthly`]: isEach ? greatest : 0.75,
  });
  return { ...used('usage'), ...used('byok_usage') };
}

/** Adds a limit with some of it left, as a server would compute it from the figures; none for null. */
function addLimit(fields: Fields, left: number | null): Fields {
  if (left === null) return { ...fields, limit: null, limit_remaining: null, limit_reset: null };
  const span = fields.limit_reset === null ? '' : '_monthly';
  const byok = fields.include_byok_in_limit === true ? Number(fields[`byok_usage${span}`]) : 0;
  return { ...fields, limit: Number(fields[`usage${span}`]) + byok + left, limit_remaining: left };
}

/** Draws any fields of a guardrail, with values that §2.1 allows. */
export const anyGuardrail: fc.Arbitrary<Fields> = fc.record(selectValues(guardrail, 2), { requiredKeys: [] });

/** No limit, or some credit left of one, since a key without any may be refused. */
const anythingLeft = fc.oneof(
  fc.constant(null),
  amount.map((left) => left + 0.125),
);

/** Draws usage figures: that of the day is at most that of the week and of the month, and all are at most the total. */
const drawUsage = (name: 'usage' | 'byok_usage') =>
  fc.tuple(amount, amount, amount, amount).map(([day, week, month, more]) => ({
    [`${name}_daily`]: day,
    [`${name}_weekly`]: day + week,
    [`${name}_monthly`]: day + month,
    [name]: day + week + month + more,
  }));

/** Draws consistent key information, with values that §2.2 allows. */
export const anyKeyInfo: fc.Arbitrary<Fields> = fc
  .tuple(anythingLeft, fc.record(selectValues(key, 2)), drawUsage('usage'), drawUsage('byok_usage'))
  .map(([left, ...parts]) => addLimit(Object.assign({}, ...parts), left));
