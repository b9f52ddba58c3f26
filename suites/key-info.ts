import { type Fields, keySettings } from '../generators/field-values.js';
import { judgeLimitPair, judgeNestedUsage, type RuleResult } from '../judge/answer-rules.js';
import type { CheckContext } from '../judge/api.js';
import type { Call } from '../judge/call.js';
import { type Check, check } from '../judge/check.js';
import type { Role } from '../spec/vocabulary.js';
import { type Answered, asText, dataOf } from '../targets/exchange.js';
import { NotShown } from '../targets/world.js';
import { isAsSet, judgeFields } from './as-set.js';
import { awaitAll } from './requests.js';

// §2.2 and §4.3: what a key reports of itself.

const control = 'key-info';
// Of each of three keys: enough that several share a connection one after another.
const parallelReads = 8;

/** Asserts that a key reports what was set for it. */
async function reportsAsSet({ api }: CheckContext, fields: Fields): Promise<void> {
  const call = api.readKey();
  judgeFields(call, await call.expectControl(200), 'key-info.200.values', fields);
}

/** Asserts that a key does not report what was set for another. */
async function reportsItsOwn({ api }: CheckContext, as: Role, own: Fields, others: Fields): Promise<void> {
  const call = api.readKey({ as });
  const isOthers = (name: string, reported: unknown) =>
    isAsSet(name, others[name], reported) && !isAsSet(name, own[name], reported);
  judgeFields(call, await call.expectControl(200), 'key-info.200.own-figures', own, isOthers);
}

/** Roles whose figures are the target's own; a role that it does not offer is passed over. */
const reportingRoles: readonly Role[] = ['member', 'free_small', 'free_large', 'exhausted', 'overdrawn'];

async function eachKey(context: CheckContext, judge: (exchange: Answered, as: Role) => void): Promise<void> {
  for (const as of reportingRoles.filter((role) => context.offers(`role:${role}`))) {
    const exchange = await context.api.readKey({ as }).send();
    // An exhausted or overdrawn key may be refused.
    if (exchange.answer?.status === 200) judge({ ...exchange, answer: exchange.answer }, as);
  }
}

/** Judges the figures of one key, and says whose they are. */
function judgesFor(as: Role, call: Call, exchange: Answered, ruling: RuleResult): void {
  call.expect(exchange, ruling.requirement, { ...ruling, actual: `${ruling.actual} for the key ${as}` });
}

/** The checks of §2.2 and §4.3. */
export const keyInfoChecks: readonly Check[] = [
  check('key-info.200.read', { control, isControl: true }, async ({ api }) => {
    await api.readKey().expectStatus(200);
    await api.readKey().expectStatus(200, { because: 'the same key has just been good for it' });
  }),
  check('key-info.200.values', { control, sideEffects: 'settings' }, async (context) => {
    for (const [at, fields] of keySettings.entries()) {
      await context.world.setKeyInfo('member', fields);
      await reportsAsSet(context, fields);
      // A read must not be counted as use.
      if (at === 0) await reportsAsSet(context, fields);
    }
  }),
  check('key-info.200.own-figures', { control, sideEffects: 'settings' }, async (context) => {
    const [first = {}, , third = {}] = keySettings;
    await context.world.setKeyInfo('member', first);
    await context.world.setKeyInfo('free_large', third);
    await reportsItsOwn(context, 'member', first, third);
    await reportsItsOwn(context, 'free_large', third, first);
    await reportsItsOwn(context, 'member', first, third);
  }),
  check('key-info.200.own-figures/in-parallel', { control, sideEffects: 'settings' }, async (context) => {
    const [first = {}, , third = {}] = keySettings;
    const other = { ...context, ...(await context.openWorld()) };
    await context.world.setKeyInfo('member', first);
    await context.world.setKeyInfo('free_large', third);
    await other.world.setKeyInfo('member', third);
    const reads = Array.from({ length: parallelReads }, () => [
      reportsItsOwn(context, 'member', first, third),
      reportsItsOwn(context, 'free_large', third, first),
      reportsItsOwn(other, 'member', third, first),
    ]);
    await awaitAll(reads.flat());
  }),
  check('key-info.limit-pair', { control, also: ['key-info.usage.nested'] }, async (context) => {
    const call = context.api.readKey();
    await call.expectControl(200);
    await eachKey(context, (exchange, as) => {
      judgesFor(as, call, exchange, judgeLimitPair(exchange));
      judgesFor(as, call, exchange, judgeNestedUsage(exchange));
    });
  }),
  check('key-info.free-tier', { control }, async ({ api }) => {
    const call = api.readKey({ as: 'free_large' });
    const exchange = await call.expectControl(200);
    const value = dataOf(exchange).is_free_tier;
    call.expect(exchange, 'key-info.free-tier', {
      ok: value !== true,
      expected: 'is_free_tier false for an account that has bought credits',
      actual: `is_free_tier ${asText(value)}`,
    });
  }),
  check('key-info.exhausted', { control }, async ({ api }) => {
    await api.readKey().expectControl(200);
    const call = api.readKey({ as: 'exhausted' });
    const exchange = await call.expectStatus([200, 402]);
    if (exchange.answer.status === 402) throw new NotShown('an exhausted key is refused here, as it may be');
    const remaining = dataOf(exchange).limit_remaining;
    call.expect(exchange, 'key-info.exhausted', {
      ok: typeof remaining !== 'number' ? remaining === undefined : remaining <= 0,
      expected: 'limit_remaining no more than 0',
      actual: `limit_remaining ${asText(remaining)}`,
    });
  }),
];
