import { setTimeout as sleep } from 'node:timers/promises';
import { type Fields, keySettings } from '../generators/field-values.js';
import { plainKey } from '../generators/situation.js';
import { judgeLimitPair, judgeNestedUsage } from '../judge/answer-rules.js';
import type { Api, CheckContext } from '../judge/api.js';
import { awaitAll } from '../judge/attempt.js';
import type { Call } from '../judge/call.js';
import { type Check, check } from '../judge/check.js';
import { keyInformationFields, type Role, vaultFaults } from '../spec/vocabulary.js';
import { asText, isAnswered, readData } from '../targets/exchange.js';
import { NotShown } from '../targets/world.js';
import { checkReadWithExtras } from './batches/reads.js';
import { expectReadable, isAsSet, judgeFields, setEach } from './field-values.js';
import type { Destination } from './requests.js';
import { judgeUsedUp, makeRecentUsage } from './usage-windows.js';

// §2.2 and §4.3: the information about the calling key.

const ofSettings = { sideEffects: 'settings' } as const;
// Reads with each of three keys, enough for several keys to use one connection in turn.
const parallelReads = 8;
// Longer than most caches keep an answer of a key read.
const sharedCacheMs = 300;
// More than a pool or a buffer of one connection usually holds.
const readsOnOneConnection = 64;
const [first = {}, , third = {}] = keySettings;

async function judgeAsSet({ api }: CheckContext, fields: Fields): Promise<void> {
  const call = api.readKey();
  judgeFields(call, await expectReadable(call, fields), 'key-info.200.values', fields);
}

async function judgeOwnFigures(
  { api }: Destination,
  as: Role,
  own: Fields,
  others: Fields,
  { conclusive = false } = {},
): Promise<void> {
  const call = api.readKey({ as });
  // A new key has zeros and no limit as well, where what was set is applied late.
  const isOthers = (name: string, reported: unknown) =>
    typeof reported === 'number' &&
    reported !== 0 &&
    isAsSet(name, others[name], reported) &&
    !isAsSet(name, own[name], reported);
  judgeFields(call, await call.expectControl(200), 'key-info.200.own-figures', own, {
    isWrong: isOthers,
    of: 'another-key',
    conclusive,
  });
}

/** Sets the figures of two keys, and asserts that neither reports those of the other. */
async function judgeTwoKeys(context: CheckContext, one: Role, other: Role, figures: Fields): Promise<void> {
  await context.world.setKeyInfo(one, first);
  await context.world.setKeyInfo(other, figures);
  await judgeOwnFigures(context, one, first, figures);
  await judgeOwnFigures(context, other, figures, first);
}

/** Makes Key information without a limit, whose usage figures are all the same. */
const makeFigures = (used: number): Fields => ({
  ...{ limit: null, limit_remaining: null, limit_reset: null },
  ...Object.fromEntries(
    keyInformationFields.filter((name) => name.includes('usage')).map((name) => [name, used]),
  ),
});

/**
 * Asserts that the figures of a key are what they were before. One that differs from the first of two reads to the second is
 * left out, since somebody else uses the key.
 */
async function judgeUnchanged({ api }: Destination, as: Role, before: Fields): Promise<void> {
  const call = api.readKey({ as });
  const exchange = await call.expectControl(200);
  const figures = Object.fromEntries(keyInformationFields.map((name) => [name, before[name]] as const));
  const isChanged = (name: string, reported: unknown) => !isAsSet(name, before[name], reported);
  const data = readData(exchange);
  const hasChanged = keyInformationFields.some((name) => isChanged(name, data[name]));
  const again = hasChanged ? readData(await api.readKey({ as }).expectControl(200)) : data;
  judgeFields(call, exchange, 'key-info.200.own-figures', figures, {
    isWrong: (name, reported) => isChanged(name, reported) && isAsSet(name, again[name], reported),
    of: 'another-key',
  });
}

/** Reads the key repeatedly over one connection; returns the number of the first read that fails, or undefined. */
async function readUntilFailure(api: Api, reads: number, connection: symbol): Promise<number | undefined> {
  for (let nth = 1; nth <= reads; nth++) {
    // A rate limit may refuse some of them; the run does not slow down for it.
    const { answer } = await api.readKey({ connection }).send('burst');
    if (answer?.status !== 200) return nth;
  }
  return undefined;
}

/** Asserts that an answer has the label that the key had when it was read alone. */
async function expectLabel(call: Call, label: unknown): Promise<void> {
  const exchange = await call.expectStatus([200, 402], { because: 'it was read before' });
  const read = exchange.answer.status === 200 ? readData(exchange).label : label;
  call.expect(exchange, 'key-info.200.own-figures', {
    ok: read === label,
    expected: `the label ${asText(label)}, as when the key was read alone`,
    actual: `the label ${asText(read)}`,
    mismatch: { wrong: 'value', fields: ['label'], of: 'another-key' },
  });
}

/** Keys that differ from the usual one in what a read does not depend on. */
const neverSet: readonly Role[] = ['free_large', 'free_small', 'unscoped', 'outsider', 'write_disabled'];

/** Roles whose figures come from the target itself, if it offers them. */
const reportingRoles: readonly Role[] = ['member', 'free_small', 'free_large', 'exhausted', 'overdrawn'];

/** The checks of §2.2 and §4.3. */
export const keyInfoChecks: readonly Check[] = [
  checkReadWithExtras('key-info.200.no-parameters/each', 'key-info.200.read', plainKey),
  check('key-info.200.read', { isControl: true }, async ({ api }) => {
    await api.readKey().expectStatus(200);
    await api.readKey().expectStatus(200, { because: 'the same key has just been good for it' });
  }),
  check('key-info.200.read/on-one-connection', async ({ api }) => {
    let connection = Symbol('first');
    const failed = await readUntilFailure(api, readsOnOneConnection, connection);
    // An intermittent failure would occur at another place the next time.
    const isRegular =
      failed !== undefined && (await readUntilFailure(api, failed, Symbol('next'))) === failed;
    if (isRegular) {
      connection = Symbol('last');
      await readUntilFailure(api, failed - 1, connection);
    }
    await api
      .readKey({ connection })
      .expectStatus(200, { because: 'other reads of the same key were served' });
  }),
  check(
    'key-info.200.read/after-failures',
    { needs: ['worlds', 'store'] },
    async ({ world, api, offers }) => {
      for (const fault of vaultFaults.filter((one) => offers(`fault:${one}`))) {
        const [name, connection] = [await world.store('own'), Symbol(fault)];
        await world.setFaults(fault);
        await api.deleteSecret({ name, connection }).send('any');
        await world.setFaults();
        const because = `the request before it on the connection met ${fault}`;
        await api.readKey({ connection }).expectStatus(200, { because });
      }
    },
  ),
  check('key-info.200.values', ofSettings, async (context) => {
    const set = (fields: Fields) => context.world.setKeyInfo('member', fields);
    for await (const [at, fields] of setEach(keySettings, set)) {
      await judgeAsSet(context, fields);
      // A read must not be counted as use.
      if (at === 0) await judgeAsSet(context, fields);
    }
  }),
  check('key-info.200.own-figures', ofSettings, async (context) => {
    await judgeTwoKeys(context, 'member', 'free_large', third);
    await judgeOwnFigures(context, 'member', first, third);
  }),
  // Two keys of one account, of which the second has no limit.
  check(
    'key-info.200.own-figures/same-account',
    { ...ofSettings, needs: ['role:free_small', 'role:free_small_second'] },
    async (context) => {
      const keys = ['free_small', 'free_small_second'] as const;
      for (const figures of [third, makeFigures(0)]) await judgeTwoKeys(context, ...keys, figures);
      if (!context.offers('feature:usage')) return;
      const [one, other] = keys;
      await context.world.setUsage(one, [makeRecentUsage(1, 1)]);
      await judgeOwnFigures(context, other, makeFigures(0), makeFigures(1));
      await context.world.setUsage(other, [makeRecentUsage(1, 1)]);
      for (const as of keys) await judgeOwnFigures(context, as, makeFigures(1), makeFigures(2));
    },
  ),
  check('key-info.200.own-figures/in-parallel', ofSettings, async (context) => {
    const other = await context.openWorld();
    // No other check sets these figures, so nothing but a mix-up gives one key those of another.
    const [figures, others] = [makeFigures(101.125), makeFigures(202.25)];
    const unique = { conclusive: true };
    await context.world.setKeyInfo('member', figures);
    await context.world.setKeyInfo('free_large', others);
    await other.world.setKeyInfo('member', others);
    const reads = Array.from({ length: parallelReads }, () => [
      judgeOwnFigures(context, 'member', figures, others, unique),
      judgeOwnFigures(context, 'free_large', others, figures, unique),
      judgeOwnFigures(other, 'member', others, figures, unique),
    ]);
    await awaitAll(reads.flat());
  }),
  // Where no figures can be set, the label shows whose Key information an answer holds.
  check(
    'key-info.200.own-figures/labels',
    { needs: ['role:member'], runsWithoutOwnNeeds: true },
    async ({ api, offers, signal }) => {
      if (offers('feature:key_info')) throw new NotShown('figures that were set show more');
      const labels = new Map<Role, unknown>();
      for (const as of reportingRoles.filter((role) => offers(`role:${role}`))) {
        // Otherwise a cache that all keys share would give them all one label.
        await sleep(sharedCacheMs, undefined, { signal });
        const { label } = readData(await api.readKey({ as }).send());
        if (typeof label === 'string') labels.set(as, label);
      }
      if (new Set(labels.values()).size < 2) throw new NotShown('the keys have no labels of their own');
      const reads = Array.from({ length: parallelReads }, () => [...labels]).flat();
      await awaitAll(reads.map(([as, label]) => expectLabel(api.readKey({ as }), label)));
    },
  ),
  check('key-info.200.own-figures/never-set', ofSettings, async (context) => {
    const { world, api, offers } = context;
    const before = new Map<Role, Fields>();
    for (const as of neverSet.filter((role) => offers(`role:${role}`))) {
      const exchange = await api.readKey({ as }).send();
      if (isAnswered(exchange) && exchange.answer.status === 200) before.set(as, readData(exchange));
    }
    await world.setKeyInfo('member', first);
    if (offers('feature:usage')) await world.setUsage('member', [makeRecentUsage(1, 1)]);
    for (const [as, fields] of before) await judgeUnchanged(context, as, fields);
  }),
  check('key-info.limit-pair', { alsoDecides: ['key-info.usage.nested'] }, async ({ api, offers }) => {
    const call = api.readKey();
    await call.expectControl(200);
    for (const as of reportingRoles.filter((role) => offers(`role:${role}`))) {
      const exchange = await api.readKey({ as }).send();
      // An exhausted or overdrawn key may be refused.
      if (!isAnswered(exchange) || exchange.answer.status !== 200) continue;
      for (const ruling of [judgeLimitPair(exchange), judgeNestedUsage(exchange)])
        call.expect(exchange, ruling.requirement, {
          ...ruling,
          actual: `${ruling.actual} for the key ${as}`,
        });
    }
  }),
  check('key-info.free-tier', { alsoDecides: ['key-info.200.read'] }, async ({ api, offers }) => {
    const buyers = ['free_large', 'free_large_exactly'] as const;
    for (const as of buyers.filter((role) => offers(`role:${role}`))) {
      const call = api.readKey({ as });
      const exchange = await call.expectStatus(200, { requirement: 'key-info.200.read' });
      const value = readData(exchange).is_free_tier;
      call.expect(exchange, 'key-info.free-tier', {
        ok: value !== true,
        expected: 'is_free_tier false for an account that has bought credits',
        actual: `is_free_tier ${asText(value)}`,
        mismatch: { wrong: 'value', fields: ['is_free_tier'] },
      });
    }
  }),
  check('key-info.exhausted', async ({ api }) => {
    await api.readKey().expectControl(200);
    const call = api.readKey({ as: 'exhausted' });
    const exchange = await call.expectStatus([200, 402]);
    if (exchange.answer.status === 402) throw new NotShown('the target refuses an exhausted key, as it may');
    judgeUsedUp(call, exchange);
  }),
];
