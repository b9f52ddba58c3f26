import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import {
  burstOverMs,
  isNearMidnight,
  judgePlatformLimit,
  perMinute,
  platformLimitRows,
  readErrorCode,
  tooManyPerMinute,
} from '../judge/answer-rules.js';
import type { Api, CheckContext, InferenceRequest } from '../judge/api.js';
import type { Call } from '../judge/call.js';
import { type Check, type CheckId, check, type GeneratedCheck } from '../judge/check.js';
import { Disturbed } from '../judge/finding.js';
import type { Property } from '../judge/generated-cases.js';
import { property } from '../judge/property-check.js';
import { isObject } from '../spec/json.js';
import type { RequirementId } from '../spec/ledger.js';
import { makeReason } from '../spec/reasons.js';
import type { Role } from '../spec/vocabulary.js';
import { type Answer, type Exchange, isAnswered, json, limitResetMs } from '../targets/exchange.js';
import { NotShown } from '../targets/world.js';
import { enablePaidRequests } from './credit-limit.js';
import { plainAndStreamed } from './inference.js';
import { expectPlatformLimit, paidIsServed } from './rate-limit.js';
import { laterMs } from './requests.js';

// §8.2: the limits of free models, by usage that the control protocol sets and by requests that are really sent.

// These use up the allowances of the world's accounts.
const sideEffects = 'free-usage';
const minuteMs = 60_000;
// Less than half a minute.
const longLaterMs = 12_000;
// A control may set the usage up to two seconds late; one more is for the network.
const settingMs = 3_000;

/** Requests to free models that an account may make within a day. */
const perDay = { free_small: 50, free_large: 1000, free_large_exactly: 1000 } as const;
const small = 'free_small';

interface Used {
  readonly minute: number;
  readonly day: number;
}

/** Whether usage may expire during the check: that of the minute always, that of the day around midnight. */
function isTimed({ minute }: Used): boolean {
  return minute > 0 || isNearMidnight(Date.now());
}

function describeUsed({ minute, day }: Used): string {
  return `${minute} requests were made in this minute and ${day} in this day`;
}

// ── The last request within each limit, and the first beyond it ──

/** The usage that is set for an account, and the requirements about the next request and the one after it. */
interface Border extends Used {
  readonly as: keyof typeof perDay | 'member';
  /** How many more requests are within the limit; one where absent. */
  readonly left?: number;
  readonly served: RequirementId;
  /** Absent if the request after the allowed ones is within the limit too. */
  readonly refused?: RequirementId;
  /** Whether that request is streamed where the allowed ones are not, or the other way round: both count alike. */
  readonly endsOtherwise?: boolean;
}

const lastOfMinute = { minute: perMinute - 1, day: perMinute - 1 };
const rowsOfMinute = { served: 'rate-limit.minute.allowed', refused: 'rate-limit.minute.refused' } as const;
const rowsOfSmallDay = {
  served: 'rate-limit.day.small.allowed',
  refused: 'rate-limit.day.small.refused',
} as const;
const largeDay: RequirementId = 'rate-limit.day.large.allowed';
const largeMinute: RequirementId = 'rate-limit.minute.large-account';

/** More usage than a small account may have, and the last request of a large one. */
const makeLargeDay = (as: keyof typeof perDay): readonly Border[] => [
  { as, minute: 0, day: perDay.free_small, served: largeDay },
  { as, minute: 0, day: perDay[as] - 1, served: largeDay, refused: 'rate-limit.day.large.refused' },
];

const borders: readonly Border[] = [
  { as: small, ...lastOfMinute, ...rowsOfMinute },
  // The limit of a minute holds however many requests the day has had.
  {
    ...{ as: 'free_large', minute: perMinute - 1, day: 500, served: largeMinute, refused: largeMinute },
    endsOtherwise: true,
  },
  ...makeLargeDay('free_large'),
  { as: small, minute: 0, day: perDay.free_small - 1, ...rowsOfSmallDay },
];

/** Checks limits one after another, and that they do not apply to paid models. */
function batchBorders(id: CheckId, all: readonly Border[], { streamed = false } = {}): Check {
  const select = (offers: CheckContext['offers']) => all.filter(({ as }) => offers(`role:${as}`));
  const listRows = (offers: CheckContext['offers']): readonly RequirementId[] => {
    const offered = select(offers);
    const rows = offered.flatMap(({ served, refused }) => [served, refused ?? served]);
    const isSmall = offered.some(({ as }) => as === small);
    if (rows.length > 0) rows.push(...platformLimitRows);
    if (isSmall && offers('inference:paid')) rows.push('rate-limit.paid', 'rate-limit.free-variants');
    if (isSmall && offers('role:free_small_second')) rows.push('rate-limit.global');
    return [...new Set(rows)];
  };
  return check(
    id,
    {
      title: 'Within each limit of free models the last request is served, and the next is refused.',
      sideEffects,
      runsWithoutOwnNeeds: true,
      needs: ['feature:free_usage', 'inference:free'],
      alsoDecides: listRows(() => true).filter((row) => !id.startsWith(`${row}/`)),
      decidableOn: listRows,
    },
    async (context) => {
      const offered = select(context.offers);
      const judgesPaid = offered.some(({ as }) => as === small) && context.offers('inference:paid');
      const pays = judgesPaid && (await enablePaidRequests(context, small));
      for (const border of offered) {
        const isLimited = await judgeBorder(border, context, streamed);
        // The batch that is not streamed is in the opening of a run, where every request counts.
        const isJudged = border.as === small && (streamed || border.minute === 0);
        if (isJudged && pays) await judgePaid(context.api, isLimited, streamed);
      }
    },
  );
}

/** Asserts that the last request within a limit is served, and the next refused. Returns whether it was refused. */
async function judgeBorder(
  { as, left = 1, served, refused, endsOtherwise = false, ...used }: Border,
  { world, api, offers }: CheckContext,
  stream: boolean,
): Promise<boolean> {
  const since = performance.now();
  await world.setFreeUsage(as, used.minute, used.day);
  let nth = 0;
  const ask = (role: Role, request: InferenceRequest = {}) =>
    api.infer({ as: role, model: 'free', stream, ...request, nth: ++nth });
  const timed = isTimed(used);
  const within = { requirement: served, because: describeUsed(used), continueOnFailure: true } as const;
  for (let sent = 0; sent < left; sent++) {
    const { answer } = await ask(as).expectStatus(200, within);
    // A refusal proves something only if the requests before it were served.
    if (answer.status !== 200) return false;
  }
  if (refused === undefined) return false;
  if (used.minute > 0) await useRefilled(() => ask(as), since);
  // Requests are counted by account, whatever address a client claims.
  const call = ask(as, { headers: claimedAddress, stream: stream !== endsOtherwise });
  const { exchange, inBand } = await expectPlatformLimit(call, {
    timed,
    requirement: refused,
    because: 'the limit was reached by the request before',
  });
  const isLimited = exchange.answer.status === 429 || inBand;
  // What one key of the account has used up is used up for its other key.
  if (isLimited && as === small && offers('role:free_small_second'))
    await expectPlatformLimit(ask('free_small_second'), {
      timed,
      requirement: 'rate-limit.global',
      because: 'the other key of the account has reached the limit',
    });
  return isLimited;
}

const address = '198.51.100.7';
const claimedAddress = { 'X-Forwarded-For': address, 'X-Real-IP': address };

// A limiter may allow one more request every 3 s, not all of them again after a minute.
const refillMs = minuteMs / perMinute;
// Another one may be allowed by the time that the next request arrives.
const aheadMs = 1_000;

/**
 * Sends the requests that a limiter which refills evenly allows again by now, until one is refused.
 * @param since when the allowance was used up, by `performance.now()`
 */
async function useRefilled(ask: () => Call, since: number): Promise<void> {
  const countRefilled = () => Math.floor((performance.now() - since + aheadMs) / refillMs);
  for (let served = 0; served < countRefilled(); served++) {
    const { answer } = await ask().send('any');
    if (answer?.status !== 200) return;
  }
}

/** Asserts that paid models have no cap, whether or not the account has reached its limit for free ones. */
async function judgePaid(api: Api, isLimited: boolean, alsoStreamed: boolean): Promise<void> {
  for (const stream of alsoStreamed ? plainAndStreamed : [false]) {
    const call = api.infer({ as: small, model: 'paid', stream });
    const exchange = await call.expectStatus(200, paidIsServed);
    if (!isLimited) continue;
    call.expect(exchange, 'rate-limit.free-variants', {
      ok: exchange.answer.status === 200,
      expected: '200, since the id of the model does not end in :free',
      actual: String(exchange.answer.status),
      mismatch: { wrong: 'status', due: [200] },
    });
  }
}

/** Checks that the limit of a minute holds for longer than a second. */
const later: Check = check(
  'rate-limit.minute.refused/later',
  { sideEffects, needs: ['feature:free_usage'] },
  async (context) => {
    const { world, api, signal, offers } = context;
    const used = { minute: perMinute, day: perDay.free_small - 10 };
    const pays = offers('inference:paid') && (await enablePaidRequests(context, small));
    const since = performance.now();
    await world.setFreeUsage(small, used.minute, used.day);
    await sleep(laterMs, undefined, { signal });
    const because = `${describeUsed(used)}, ${laterMs} ms before`;
    const ask = (request: InferenceRequest = {}) => api.infer({ as: small, model: 'free', ...request });
    const expectLimited = async () => {
      await useRefilled(ask, since);
      await ask().expectRefusal(429, { because, timed: true });
    };
    await expectLimited();
    // A process that fails on it forgets what it has counted.
    await ask({ body: { text: '{', type: 'application/json' } }).send('any');
    if (pays) await ask({ model: 'paid' }).send('any');
    await expectLimited();
  },
);

/** What checks of a minute that take longer than a standard run have in common; each waits beside the rest of a deep run. */
const ofLongMinute = {
  needs: ['feature:free_usage', 'inference:free', `role:${small}`],
  control: 'inference',
  count: { quick: 0, standard: 0, deep: 1 },
  vaultRequests: 0,
  pool: () => 'free-usage',
  classOf: () => 'minutes',
} satisfies Partial<Property<number>>;

/** Checks that the limit of a minute holds for 12 s. A fixed minute may end within one such wait, but not within two in a row. */
const minuteGoesOn: GeneratedCheck = property<number>({
  ...ofLongMinute,
  name: 'minute-goes-on',
  title: `The limit of a minute still holds after ${longLaterMs / 1_000} s.`,
  decides: ['rate-limit.minute.refused'],
  cases: () => ({ walk: [], arbitrary: fc.constant(longLaterMs) }),
  run: async (ms, { world, api, signal }) => {
    const ask = () => api.infer({ as: small, model: 'free' });
    const use = async () => {
      const since = performance.now();
      await world.setFreeUsage(small, perMinute, perMinute);
      await sleep(ms, undefined, { signal });
      await useRefilled(ask, since);
    };
    await use();
    const { answer } = await ask().send('any');
    if (answer?.status === 200) await use();
    const because = `${describeUsed({ minute: perMinute, day: perMinute })}, ${ms} ms before`;
    await ask().expectRefusal(429, { because, timed: true });
  },
});

/** Checks that free requests are served again after a minute. A counter that nothing resets would still refuse them. */
const minuteEnds: GeneratedCheck = property<number>({
  ...ofLongMinute,
  name: 'minute-ends',
  title: 'Once the minute is over, requests to free models are served again.',
  decides: ['rate-limit.minute.allowed'],
  cases: () => ({ walk: [], arbitrary: fc.constant(minuteMs + settingMs) }),
  run: async (ms, { world, api, signal }) => {
    await world.setFreeUsage(small, perMinute, perMinute);
    await sleep(ms, undefined, { signal });
    const because = `the last of ${perMinute} requests was made ${ms / 1_000} s before`;
    await api.infer({ as: small, model: 'free' }).expectStatus(200, { because });
  },
});

export const longMinutes: readonly GeneratedCheck[] = [minuteEnds, minuteGoesOn];

/** The limits of §8.2, by usage that is set. */
export const freeLimitBatches: readonly Check[] = [
  batchBorders('rate-limit.minute.allowed/chain', borders),
  batchBorders('rate-limit.minute.allowed/chain-streamed', borders, { streamed: true }),
  batchBorders('rate-limit.day.small.refused/two-left', [
    { as: small, minute: 0, day: perDay.free_small - 2, left: 2, ...rowsOfSmallDay, endsOtherwise: true },
  ]),
  // Any account has the limit of a minute, whatever it has bought.
  batchBorders('rate-limit.minute.refused/any-account', [{ as: 'member', ...lastOfMinute, ...rowsOfMinute }]),
  // An account that has bought exactly 10 credits has bought at least 10.
  batchBorders('rate-limit.day.large.allowed/exactly-ten', [
    { as: 'free_large_exactly', ...lastOfMinute, served: largeMinute, refused: largeMinute },
    ...makeLargeDay('free_large_exactly'),
  ]),
  // Early in the plan, since it waits.
  later,
];

/** Sends six requests at once with one left within the limit: a server that counts too late serves several. */
const atOnce: Check = check(
  'rate-limit.minute.refused/at-once',
  { sideEffects, needs: ['feature:free_usage'] },
  async ({ world, api }) => {
    // A server may count a stream only once it has ended.
    for (const stream of plainAndStreamed) {
      const since = performance.now();
      await world.setFreeUsage(small, lastOfMinute.minute, lastOfMinute.day);
      const calls = Array.from({ length: 6 }, () => api.infer({ as: small, model: 'free', stream }));
      const exchanges = await Promise.all(calls.map((call) => call.send('burst')));
      const isServed = ({ answer }: Exchange) =>
        answer?.status === 200 && readErrorCode(answer.text) === undefined;
      const refilled = Math.floor((performance.now() - since) / refillMs);
      const tooMany = exchanges.filter(isServed)[1 + refilled];
      const shown = tooMany ?? exchanges.find(isAnswered);
      if (shown === undefined) throw new Disturbed('none of the requests was answered');
      calls[0]?.expect(shown, 'rate-limit.minute.refused', {
        ok: tooMany === undefined,
        expected: 'one of six requests at once to be served, the last within the limit',
        actual: 'two or more of them were served',
        mismatch: { wrong: 'status', due: [429] },
      });
    }
  },
);

/** Checks that a second key does not change the limits of an account (§8.2): both use the same allowance. */
const secondKey: Check = check('rate-limit.global', { sideEffects }, async ({ world, api }) => {
  const ask = (as: Role) => api.infer({ as, model: 'free' });
  await world.setFreeUsage(small, 0, 0);
  await ask('free_small_second').expectControl(200);
  for (const used of [
    { minute: perMinute, day: perMinute },
    { minute: 0, day: perDay.free_small },
  ]) {
    await world.setFreeUsage(small, used.minute, used.day);
    const because = `${describeUsed(used)} with the other key`;
    await ask('free_small_second').expectRefusal(429, { because, timed: isTimed(used) });
  }
  await world.setFreeUsage(small, lastOfMinute.minute, lastOfMinute.day);
  await ask('free_small_second').expectControl(200);
  const because = 'the other key made the last request within the limit';
  await ask(small).expectRefusal(429, { because, timed: isTimed(lastOfMinute) });
});

// ── Requests that are really sent ──

// Requests sent in place of those that got another status: occasional trouble says nothing about limits.
const maxSpares = 20;

const maxBursts = 10;

/** Sends requests until `wanted` were served, or one was refused by a limit other than one on bursts. */
async function sendUntil(
  { api, signal }: CheckContext,
  requests: readonly InferenceRequest[],
  wanted: number,
  rule: RequirementId,
) {
  // A proxy may limit the whole host; its 429 page says nothing about the service.
  const allows = (status: number, answer: Answer) =>
    status === 200 || (status === 429 && isObject(json(answer)));
  // Findings are reported for the first call: a server may refuse a different one of them each time.
  let call: Call | undefined;
  let served = 0;
  // Requests that got neither a success nor a platform limit, and may have been counted or not.
  let unclear = 0;
  let left = wanted + maxSpares;
  let bursts = 0;
  for (;;) {
    const calls = Array.from({ length: Math.min(wanted - served, left) }, (_, at) =>
      api.infer(requests[at % requests.length]),
    );
    call ??= calls[0];
    left -= calls.length;
    const sent = await Promise.all(calls.map((one) => one.send({ rule, statuses: [200, 429], allows })));
    const answered = sent.filter(isAnswered);
    // Not the limit of a provider (§7.4).
    const limited = answered.filter(
      (one) => one.answer.status === 429 && judgePlatformLimit(one).some(({ ok }) => ok),
    );
    const [refused] = limited;
    const servedNow = answered.filter(({ answer }) => answer.status === 200).length;
    served += servedNow;
    unclear += sent.length - servedNow - limited.length;
    const overMs = limitResetMs(refused?.answer) ?? burstOverMs / 2;
    if (refused !== undefined && servedNow > 0 && overMs <= burstOverMs) {
      if (++bursts > maxBursts) throw new Disturbed(`a limit on bursts refused requests ${bursts} times`);
      left += limited.length;
      await sleep(overMs, undefined, { signal });
      continue;
    }
    const last = answered.at(-1);
    if (
      last === undefined ||
      call === undefined ||
      (served < wanted && refused === undefined && left === 0)
    ) {
      throw new Disturbed(`only ${served} of ${wanted} requests were served, and no limit refused one`);
    }
    if (served >= wanted || refused !== undefined) return { served, unclear, refused, last, call };
  }
}

/** Checks that the first 20 requests of a minute are served, and at least one of 41 is refused. */
function checkSent(id: RequirementId, as: 'free_small' | 'free_large', refused?: RequirementId): Check {
  const alsoDecides = refused === undefined ? [] : [refused];
  return check(`${id}/sent`, { sideEffects: 'settings', needs: ['worlds'], alsoDecides }, async (context) => {
    // A stream counts once, like any other request.
    const kinds = as === small ? [false] : plainAndStreamed;
    const requests: readonly InferenceRequest[] = kinds.map((stream) => ({ as, model: 'free', stream }));
    if (as === small) await sendOtherRequests(context, as);
    const start = performance.now();
    const first = await sendUntil(context, requests, perMinute, id);
    judgeSent(id, first, `the first ${perMinute} requests of a minute to be served`);
    if (first.refused !== undefined) return;
    const { refused: refusal, last } = await sendUntil(context, requests, tooManyPerMinute - perMinute, id);
    if (performance.now() - start > minuteMs)
      throw new Disturbed(`${tooManyPerMinute} requests took more than a minute`);
    first.call.expect(refusal ?? last, refused ?? id, {
      ok: refusal !== undefined,
      expected: `at least one 429 among ${tooManyPerMinute} requests within a minute`,
      actual: 'all of them were served',
      mismatch: { wrong: 'status', due: [429] },
    });
  });
}

/** Sends a key read and a delete, which must not count toward the limits of free models. */
async function sendOtherRequests({ world, api, offers }: CheckContext, as: Role): Promise<void> {
  await api.readKey({ as }).send('any');
  if (offers('store')) await api.deleteSecret({ as, name: world.names.next() }).send('any');
}

function judgeSent(
  id: RequirementId,
  { served, unclear, refused: refusal, last, call }: Awaited<ReturnType<typeof sendUntil>>,
  expected: string,
): void {
  if (refusal !== undefined && unclear > 0)
    throw new Disturbed(`${unclear} requests got no answer that says whether they were counted`);
  call.expect(refusal ?? last, id, {
    ok: refusal === undefined,
    expected,
    actual: `429 beside ${served} that were served`,
    mismatch: { wrong: 'status', due: [200] },
  });
}

/** The checks of §8.2 that are not batches. */
export const freeLimitChecks: readonly Check[] = [
  check('rate-limit.paid/sent', { sideEffects: 'settings' }, async (context) => {
    if (!(await enablePaidRequests(context, small)))
      throw new NotShown(makeReason('lacking', 'credit for paid models on the key of free_small'));
    // A cap may count only streams.
    const requests = plainAndStreamed.map((stream) => ({ as: small, model: 'paid', stream }) as const);
    const sent = await sendUntil(context, requests, perDay.free_small + 1, 'rate-limit.paid');
    judgeSent('rate-limit.paid', sent, 'paid models to have no cap on requests');
    // A shared account may have used up its free requests.
    if (!context.offers('worlds')) return;
    await context.api
      .infer({ as: small, model: 'free' })
      .expectStatus(200, { because: 'requests to paid models do not count for free ones' });
  }),
  checkSent('rate-limit.minute.allowed', small, 'rate-limit.minute.refused'),
  checkSent('rate-limit.minute.large-account', 'free_large'),
  secondKey,
  atOnce,
];
