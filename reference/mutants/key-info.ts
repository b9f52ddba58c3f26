import { addUp, DAY_MS, sumUsage, type UsageRecord, type UsageWindows } from '../accounts.js';
import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import {
  everyday,
  intermittent,
  type MutantRows,
  plain,
  subtle,
  tabulateAlike,
  tabulateFields,
} from '../mutant.js';
import {
  actWhenRefused,
  countUp,
  editAnswer,
  editBody,
  editInformation,
  editKey,
  everyNth,
  type FieldChange,
  type Mutation,
  refuseFirst,
  refuseLast,
  remember,
  setStatus,
} from '../mutation.js';
import { isJsonObject, type JsonObject } from '../vocabulary.js';
import { announcesBody } from '../wire.js';
import type { Key } from '../world.js';
import { as, during, queryOf, withoutKey, withQuery } from './conditions.js';

const UNCOUNTED = { byok_usage: 0, byok_usage_daily: 0, byok_usage_weekly: 0, byok_usage_monthly: 0 };
const nullUnlessLimited = (value: unknown, { limit }: JsonObject): unknown => (limit === null ? null : value);
const omit = (): undefined => undefined;
const omitNull = (value: unknown): unknown => value ?? undefined;
const omitZero = (value: unknown): unknown => value || undefined;
const fillUsedUp: FieldChange = (left, { limit }, { key }) =>
  (key?.limitRemaining ?? 1) <= 0 && left === key?.limitRemaining ? limit : left;

const isTenthRead = everyNth(10, 'key reads');

/** Mutants of the area key-info: the answer as a whole, its fields (§2.2), and what usage is counted. */
export const keyInfoMutants: MutantRows = {
  'key-info.data-missing': everyday.plain('key-info.200.data')(
    'The body is the Key information itself, without data',
    editBody({ operation: 'key-read', status: 200 }, (body) => (isJsonObject(body.data) ? body.data : body)),
  ),
  'key-info.body-cut-now-and-then': everyday.intermittent('key-info.200.data')(
    'data is missing on every fifth key read that is served',
    editBody({ operation: 'key-read', status: 200, when: everyNth(5, 'keys served') }, () => ({})),
  ),
  'key-info.read-201': everyday.plain('key-info.200.read')(
    'A key read gets 201',
    setStatus({ operation: 'key-read', status: 200 }, 201),
  ),
  'key-info.outside-programme-refused': subtle('key-info.200.read')(
    'A key of a caller outside the intern programme gets 404, as on the vault routes',
    refuseLast('key-read', 404, ({ key }) => key?.traits.inProgramme === false),
  ),
  'key-info.missing-key-403': everyday.plain('auth.missing-key')(
    'A key read without a key gets 403',
    setStatus({ operation: 'key-read', status: 401, when: withoutKey }, 403),
  ),
  'key-info.down-with-vault': subtle('key-info.200.read')(
    'A key read gets 502 while the vault is unreachable',
    refuseLast('key-read', 502, during('vault_unreachable')),
  ),
  'key-info.never-reset-500': subtle('key-info.200.read')(
    'The read of a key whose limit is never reset leads to 500',
    refuseLast(
      'key-read',
      500,
      ({ key }) => key?.information.limit !== null && key?.information.limit_reset === null,
    ),
  ),
  'key-info.month-remembered': subtle('key-info.windows')(
    'usage_monthly is computed once for a key, when it is first read',
    editKey('usage_monthly', (usage, _, call) =>
      call.key?.records === undefined ? usage : remember(call, `month of ${call.key.text}`, () => usage),
    ),
  ),
  'key-info.reads-cost-credits': subtle('key-info.windows')(
    'Every key read uses a hundredth of a credit',
    editKey('usage', (usage, _, { key }) => {
      if (key?.records !== undefined)
        key.records = [...key.records, { at: Date.now(), credits: 0.01, byok: 0 }];
      return usage;
    }),
  ),
  'key-info.query-500': everyday.plain('key-info.200.no-parameters')(
    'A query string leads to 500',
    refuseLast('key-read', 500, withQuery),
  ),
  'key-info.query-not-utf-8-500': subtle('key-info.200.no-parameters')(
    'A query that is not UTF-8 leads to 500',
    refuseLast('key-read', 500, ({ path }) => /[?].*%ff/i.test(path)),
  ),
  'key-info.access-token-of-the-query-401': subtle('key-info.200.no-parameters')(
    'An access_token in the query is read in place of the key in the header, and gets 401',
    refuseLast('key-read', 401, (call) => queryOf(call).has('access_token')),
  ),
  'key-info.page-of-the-query-500': subtle('key-info.200.no-parameters')(
    'A query that asks for another page leads to 500',
    refuseLast('key-read', 500, (call) => queryOf(call).has('page')),
  ),
  'key-info.forwarded-for-unknown-500': subtle('key-info.200.read')(
    'X-Forwarded-For with the word unknown in place of an address leads to 500',
    refuseLast('key-read', 500, ({ headers }) => headers['x-forwarded-for'] === 'unknown'),
  ),
  'key-info.opaque-origin-500': subtle('key-info.200.read')(
    'An origin that is no URL, the word null, leads to 500',
    refuseLast('key-read', 500, ({ headers }) => headers.origin === 'null'),
  ),
  'key-info.body-415': plain('key-info.200.no-parameters')(
    'A body leads to 415',
    refuseLast('key-read', 415, announcesBody),
  ),
  'key-info.daily-of-another-key': everyday.plain('key-info.200.own-figures')(
    'usage_daily is that of another key of the workspace',
    editKey('usage_daily', (usage, _, { key }) => {
      const other = key?.world.keys.get(key.role === 'member' ? 'management' : 'member');
      return other?.information.usage_daily ?? usage;
    }),
  ),
  'key-info.usage-of-the-account': subtle('key-info.200.own-figures')(
    'The figures are sums over the requests of all keys of the account',
    reportOn((_call, key) => {
      const records = listAccount(key).flatMap((one) => one.records ?? []);
      return records.length === 0 ? key : { ...key, records };
    }),
  ),
  'key-info.limit-of-the-account': subtle('key-info.200.own-figures')(
    'A key without a limit reports the limit of another key of its account',
    editInformation((information, key) => {
      const limited = listAccount(key).find((one) => one.information.limit !== null)?.information;
      if (limited === undefined || information.limit !== null) return information;
      return { ...information, limit: limited.limit, limit_remaining: limited.limit_remaining };
    }),
  ),
  'key-info.settings-of-the-account': subtle('key-info.200.own-figures')(
    'Every key of an account reports on the last of them',
    reportOn((_call, key) => listAccount(key).at(-1) ?? key),
  ),
  'key-info.of-another-request-now-and-then': intermittent('key-info.200.own-figures')(
    'Every tenth key read reports on the key of the request before',
    reportOn((call, key) => {
      const before = remember(call, 'key before', () => key);
      call.server.memory.set('key before', key);
      return isTenthRead(call) ? before : key;
    }),
  ),
  'auth.key-of-the-request-before': everyday.subtle('key-info.200.values')(
    'A key read reports on the key of the request before',
    reportOn((call, key) => {
      const before = call.server.memory.get('key before') as Key | undefined;
      call.server.memory.set('key before', key);
      return before ?? key;
    }),
  ),
  'auth.key-of-another-world': everyday.subtle('key-info.200.values')(
    'A key read reports on a key of the same kind in another workspace',
    reportOn(({ server }, key) => {
      const others = [...server.store.worlds()].filter((world) => world !== key.world);
      return others[0]?.keys.get(key.role) ?? key;
    }),
  ),
  'key-info.limit-null-with-remaining': everyday.plain('key-info.limit-pair')(
    'limit is null while limit_remaining is a number',
    editKey('limit', () => null),
  ),
  'key-info.daily-above-weekly': everyday.plain('key-info.usage.nested')(
    'usage_daily and usage_weekly are exchanged',
    editInformation(({ usage_daily, usage_weekly, ...others }) => ({
      ...others,
      usage_daily: usage_weekly,
      usage_weekly: usage_daily,
    })),
  ),
  'key-info.free-tier-at-ten': subtle('key-info.free-tier')(
    'is_free_tier is true for an account that has bought exactly 10 credits',
    editKey('is_free_tier', (free, _, { key }) => free === true || key?.role === 'free_large_exactly'),
  ),
  'key-info.exactly-ten-404': subtle('key-info.200.read')(
    'A key of an account that has bought exactly 10 credits is not found',
    refuseFirst('key-read', 404, as('free_large_exactly')),
  ),
  'key-info.unlimited-after-402': subtle('key-info.limit-pair')(
    'limit_remaining of a key is null once a request got 402',
    {
      ...actWhenRefused('inference', 'key-limit', ({ server, key }) =>
        server.memory.set(`402 ${key?.text}`, true),
      ),
      ...editKey('limit_remaining', (left, _, { server, key }) =>
        server.memory.has(`402 ${key?.text}`) ? null : left,
      ),
    },
  ),
  'key-info.free-tier-inverted': everyday.plain('key-info.free-tier')(
    'is_free_tier is true for an account that has paid, and false for one that has not',
    editKey('is_free_tier', (free) => !free),
  ),
  'key-info.used-up-keeps-a-credit': everyday.subtle('key-info.exhausted')(
    'limit_remaining never falls below 1',
    editKey('limit_remaining', (remaining, _, { key }) => (key?.traits.limitUsedUp ? 1 : remaining)),
  ),
  ...tabulateFields('key-info.exhausted', subtle, editKey, [
    [
      'limit_remaining',
      'used-up-as-untouched',
      'is the limit once the control left nothing of it',
      fillUsedUp,
    ],
  ]),
  ...tabulateFields('key-info.field', everyday.plain, editKey, [
    ['label', 'label-null', 'is null', () => null],
    ['limit', 'limit-as-string', 'is a string where it is a number', (limit) => limit && String(limit)],
    ['limit_reset', 'limit-reset-false', 'is false in place of null', (reset) => reset ?? false],
    ['include_byok_in_limit', 'byok-in-limit-as-string', 'is the string "true" or "false"', String],
    ['usage_daily', 'usage-daily-as-string', 'is a string', String],
    ['usage_weekly', 'usage-weekly-null', 'is null', () => null],
    ['byok_usage_daily', 'byok-usage-daily-null', 'is null', () => null],
    ['byok_usage_weekly', 'byok-usage-weekly-by-provider', 'is an object by provider', (acme) => ({ acme })],
    ['byok_usage_monthly', 'byok-usage-monthly-with-unit', 'has its unit', (usage) => `${String(usage)} USD`],
    ['is_free_tier', 'free-tier-as-number', 'is 1 or 0', Number],
  ]),
  ...tabulateFields('key-info.field', everyday.subtle, editKey, [
    ['usage', 'usage-null-when-unused', 'is null in place of 0', (usage) => usage || null],
    ['usage_monthly', 'usage-monthly-false', 'is false in place of 0', (usage) => usage || false],
  ]),
  ...tabulateFields('key-info.field.rate_limit-type', everyday.plain, editKey, [
    ['rate_limit', 'rate-limit-as-string', 'is a string', () => '20 per minute'],
  ]),
  ...tabulateFields('key-info.field.rate_limit-type', everyday.subtle, editKey, [
    ['rate_limit', 'rate-limit-null', 'is null without a limit', nullUnlessLimited],
  ]),
  ...tabulateFields('key-info.field-presence', everyday.plain, editKey, [
    ['label', 'label-missing', 'is missing', omit],
  ]),
  ...tabulateFields('key-info.field-presence', everyday.subtle, editKey, [
    ['limit', 'limit-missing-unless-limited', 'is left out for null', omitNull],
    ['usage_daily', 'usage-daily-missing-unless-used', 'is left out for 0', omitZero],
  ]),
  ...tabulateFields('key-info.field-presence', subtle, editKey, [
    ['limit_reset', 'limit-reset-missing-unless-reset', 'is left out for null', omitNull],
    ['include_byok_in_limit', 'include-byok-in-limit-missing-unless-true', 'is left out for false', omitZero],
  ]),
  'key-info.byok-usage-weekly-missing-unless-limited': subtle('key-info.field-presence')(
    'byok_usage_weekly is missing where the key has no limit',
    editKey('byok_usage_weekly', (usage, { limit }) => (limit === null ? undefined : usage)),
  ),
  ...tabulateFields('key-info.field-presence', plain, editKey, [
    ['limit_remaining', 'limit-remaining-missing', 'is missing', omit],
    ['usage', 'usage-missing', 'is missing', omit],
    ['usage_weekly', 'usage-weekly-missing', 'is missing', omit],
    ['usage_monthly', 'usage-monthly-missing', 'is missing', omit],
    ['byok_usage', 'byok-usage-missing', 'is missing', omit],
    ['byok_usage_monthly', 'byok-usage-monthly-missing', 'is missing', omit],
    ['is_free_tier', 'is-free-tier-missing', 'is missing', omit],
  ]),
  ...tabulateFields('key-info.200.values', subtle, editKey, [
    ['usage', 'usage-in-32-bits', 'has passed through a 32-bit float', (usage) => Math.fround(Number(usage))],
  ]),
  'key-info.limit-remaining-with-currency': everyday.plain('key-info.field.limit_remaining')(
    'limit_remaining is an object where it should be a number',
    editKey('limit_remaining', (amount) => (amount === null ? null : { amount, currency: 'USD' })),
  ),
  'key-info.byok-usage-as-string': everyday.plain('key-info.field.byok_usage')(
    'byok_usage is a string',
    editKey('byok_usage', String),
  ),
  'key-info.byok-usage-daily-missing-now-and-then': everyday.intermittent('key-info.field-presence')(
    'byok_usage_daily is left out on every fifth key read',
    editKey('byok_usage_daily', (usage, _, call) =>
      countUp(call, 'daily figures told') % 5 === 0 ? undefined : usage,
    ),
  ),
  'key-info.never-fresh': everyday.plain('key-info.200.values')(
    'The first read with a key is repeated for ever',
    editInformation((information, { text }, call) => remember(call, text, () => ({ ...information }))),
  ),
  'key-info.figures-of-member': plain('key-info.200.own-figures')(
    'Every key of a workspace reports the usage of its first key',
    editKey('usage', (usage, _, { key }) => key?.world.keys.get('member')?.information.usage ?? usage),
  ),
  'key-info.figures-of-member-for-one-role': subtle('key-info.200.own-figures')(
    'A key whose writes are disabled reports the usage of the first key of its workspace',
    editKey('usage', (usage, _, { key }) =>
      key?.role === 'write_disabled' ? key.world.keys.get('member')?.information.usage : usage,
    ),
  ),
  'key-info.members-of-the-query': subtle('key-info.field.limit', 'key-info.field.usage')(
    'A parameter of the query with the name of a member takes its place',
    editInformation((given, _key, call) => ({
      ...given,
      ...Object.fromEntries([...queryOf(call)].filter(([name]) => name in given)),
    })),
  ),
  'key-info.figures-of-member-until-set': subtle('key-info.200.own-figures')(
    'A key whose usage was never set reports that of the first key of its workspace',
    // 14 is what a fresh key of that role has used.
    editKey('usage', (usage, _, { key }) =>
      key?.role === 'free_large' && usage === 14 ? key.world.keys.get('member')?.information.usage : usage,
    ),
  ),
  'key-info.usage-of-the-workspace': subtle('key-info.200.own-figures')(
    'A key without records of its own reports what another one of its workspace has used',
    editInformation((information, key) => {
      const records = [...key.world.keys.values()].find(({ records: some }) => some !== undefined)?.records;
      return key.records === undefined && records !== undefined
        ? { ...information, usage: addUp(records, 'credits') }
        : information;
    }),
  ),
  ...tabulateAlike('key-info', subtle('key-info.200.own-figures'), addOtherKeys, [
    ['daily-of-the-workspace', 'usage_daily includes what other keys of the workspace used', 'usage_daily'],
    ['byok-weekly-of-the-workspace', 'byok_usage_weekly includes what other keys used', 'byok_usage_weekly'],
    ['monthly-of-the-workspace', 'usage_monthly includes what other keys used', 'usage_monthly'],
  ]),
  'key-info.day-of-any-month': subtle('key-info.windows')(
    'usage_daily counts the same day of the months before, too',
    editInformation((information, { records }, { server }) => {
      const now = server.now();
      const date = new Date(now).getUTCDate();
      const isCounted = ({ at }: UsageRecord) =>
        new Date(at).getUTCDate() === date && now - at < 330 * DAY_MS;
      return records
        ? { ...information, usage_daily: addUp(records.filter(isCounted), 'credits') }
        : information;
    }),
  ),
  'key-info.byok-week-of-twelve-days': subtle('key-info.byok-counting')(
    'byok_usage_weekly covers twelve days',
    editKey('byok_usage_weekly', (usage, _, { key, server }) =>
      key?.records === undefined ? usage : addUp(key.records, 'byok', server.now() - 12 * DAY_MS),
    ),
  ),
  'key-info.week-from-sunday': everyday.subtle('key-info.windows')(
    'usage_weekly begins on Sunday',
    editWindows(({ daily }) => ({ weekly: daily - new Date(daily).getUTCDay() * DAY_MS })),
  ),
  'key-info.midnight-not-counted': subtle('key-info.windows')(
    'What is used at midnight counts into the day before',
    editWindows(({ daily }) => ({ daily: daily + 1 })),
  ),
  'key-info.first-page-of-usage': subtle('key-info.windows')(
    'The figures are sums of the first hundred requests of a key',
    reportOn((_call, key) => (key.records ? { ...key, records: key.records.slice(0, 100) } : key)),
  ),
  'key-info.forgets-after-three-years': subtle('key-info.windows', 'key-info.byok-counting')(
    'What was used more than three years ago is forgotten',
    reportOn(({ server }, key) => {
      const records = key.records?.filter(({ at }) => at > server.now() - 3 * 365 * DAY_MS);
      return records ? { ...key, records } : key;
    }),
  ),
  'key-info.figures-with-decimal-commas': subtle('key-info.field.usage')(
    'A client that prefers German gets a usage with a fraction as a text with a decimal comma',
    editKey('usage', (usage, _, { headers }) => {
      const isGerman = headers['accept-language']?.startsWith('de') === true;
      return isGerman && Number(usage) % 1 !== 0 ? String(usage).replace('.', ',') : usage;
    }),
  ),
  'key-info.xml-if-preferred': subtle('key-info.200.data')(
    'A client that prefers XML to JSON gets XML',
    editAnswer(
      {
        operation: 'key-read',
        status: 200,
        when: ({ headers }) => /^application\/xml/.test(headers.accept ?? ''),
      },
      () => ({ status: 200, headers: { 'Content-Type': 'application/xml' }, body: '<data/>' }),
    ),
  ),
  'key-info.own-keys-not-counted': everyday.plain('key-info.byok-counting')(
    'byok_usage is 0 whatever own provider keys used',
    editInformation((information, { records }) => (records ? { ...information, ...UNCOUNTED } : information)),
  ),
  'key-info.own-keys-count-toward-every-limit': subtle('key-info.byok-counting')(
    'Usage on own provider keys counts toward a limit that is not to include it',
    { limitUse: ({ records = [] }) => records.reduce((sum, { credits, byok }) => sum + credits + byok, 0) },
  ),
  'key-info.own-keys-not-added': subtle('key-info.byok-counting')(
    'Where usage on own provider keys counts toward a limit, only the larger of the two usages does',
    {
      limitUse: ({ records = [], information }) => {
        const credits = addUp(records, 'credits');
        const isByokCounted = information.include_byok_in_limit === true;
        return isByokCounted ? Math.max(credits, addUp(records, 'byok')) : credits;
      },
    },
  ),
  'key-info.remaining-less-own-keys': subtle('key-info.byok-counting')(
    'limit_remaining is less by the usage on own provider keys, which does not count toward the limit',
    editKey('limit_remaining', (remaining, _, { key }) =>
      typeof remaining === 'number' ? remaining - addUp(key?.records ?? [], 'byok') : remaining,
    ),
  ),
  'key-info.usage-500': plain('key-info.windows')(
    'A key that has been used leads to 500',
    refuseLast('key-read', 500, ({ key }) => key?.records !== undefined),
  ),
};

function reportOn(keyFor: (call: Call, key: Key) => Key): Mutation {
  return { keyInformation: (call, key) => conforming.keyInformation(call, keyFor(call, key)) };
}

/** Adds to a figure of a key what the other keys of its workspace have used. */
function addOtherKeys(field: string): Mutation {
  return editInformation((information, key, { behaviour, server }) => {
    const others = [...key.world.keys.values()].filter((other) => other !== key);
    const records = others.flatMap((other) => other.records ?? []);
    const sums = sumUsage(records, behaviour.usageWindows(server.now()));
    return { ...information, [field]: Number(information[field]) + Number(sums[field]) };
  });
}

/** The keys that share the account of one, it among them. */
function listAccount({ world, usage }: Key): readonly Key[] {
  return [...world.keys.values()].filter((key) => key.usage === usage);
}

/**
 * Some windows of usage begin otherwise. The server's clock stands at Wednesday noon, as its Date says too: at the border of
 * a day, week or month a suite that allows for clocks that are off cannot tell one window from another.
 */
function editWindows(change: (windows: UsageWindows) => Partial<UsageWindows>): Mutation {
  return {
    usageWindows: (now) => {
      const own = conforming.usageWindows(findNoonOfWednesday(now));
      return { ...own, ...change(own) };
    },
    answer: (answer, { server }) => ({
      ...answer,
      headers: { ...answer.headers, Date: new Date(findNoonOfWednesday(server.now())).toUTCString() },
    }),
  };
}

function findNoonOfWednesday(now: number): number {
  return conforming.usageWindows(now).weekly + 2.5 * DAY_MS;
}
