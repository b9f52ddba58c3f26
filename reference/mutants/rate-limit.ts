import { FreeUsage } from '../accounts.js';
import type { Call, Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, intermittent, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { countUp, dropGate, editGate, type Mutation } from '../mutation.js';
import { isPaid, isStreamed } from './conditions.js';

/** Mutants of the area rate-limit: the limits per minute and per day (§8.2). */
export const rateLimitMutants: readonly Mutant[] = [
  ...makeMutants('rate-limit.minute.refused', {
    'rate-limit.21-per-minute': everyday.plain(
      'A free model takes 21 requests a minute',
      { limits: { ...conforming.limits, perMinute: 21 } },
      ['rate-limit.minute.large-account', 'rate-limit.global'],
    ),
    'rate-limit.minute-missing': plain(
      'Free models have no limit per minute',
      dropGate('inference', 'free-minute'),
    ),
    'rate-limit.minute-missing-streamed': subtle(
      'Streamed requests have no limit per minute',
      dropGate('inference', 'free-minute', isStreamed),
    ),
    'rate-limit.streams-counted-apart': subtle('Streamed and plain requests have an allowance each', {
      usageOf: (call, key) => (isStreamed(call) ? usageApart(call, key.text) : key.usage),
    }),
    'rate-limit.streams-not-counted': subtle(
      'Streamed requests are not counted, so that they go on until plain ones have used up the limit',
      {
        effects: {
          ...conforming.effects,
          inference: (call) => conforming.effects.inference(isStreamed(call) ? exempt(call) : call),
        },
      },
    ),
    'rate-limit.plain-not-counted': plain('Plain requests are not counted', {
      effects: {
        ...conforming.effects,
        inference: (call) => conforming.effects.inference(isStreamed(call) ? call : exempt(call)),
      },
    }),
  }),
  ...makeMutants('rate-limit.minute.allowed', {
    'rate-limit.19-per-minute': everyday.plain(
      'A free model takes 19 requests a minute',
      { limits: { ...conforming.limits, perMinute: 19 } },
      ['rate-limit.minute.large-account'],
    ),
    'rate-limit.19-per-minute-streamed': subtle(
      'The twentieth request of a minute is refused if it is streamed',
      limitMinute(isStreamed, 19),
    ),
  }),
  ...makeMutants('rate-limit.minute.large-account', {
    'rate-limit.minute-missing-large': everyday.plain(
      'An account with 10 credits bought or more has no limit per minute',
      dropGate('inference', 'free-minute', isLarge),
    ),
    'rate-limit.19-per-minute-large': plain(
      'An account with 10 credits bought or more may ask a free model 19 times a minute',
      limitMinute(isLarge, 19),
    ),
  }),
  ...makeMutants('rate-limit.day.small.allowed', {
    'rate-limit.49-per-day-small': everyday.plain(
      'An account with less than 10 credits bought may ask free models 49 times a day',
      { limits: { ...conforming.limits, perDaySmall: 49 } },
    ),
  }),
  ...makeMutants('rate-limit.day.small.refused', {
    'rate-limit.51-per-day-small': everyday.plain(
      'An account with less than 10 credits bought may ask free models 51 times a day',
      { limits: { ...conforming.limits, perDaySmall: 51 } },
    ),
    'rate-limit.day-missing-small': plain(
      'An account with less than 10 credits bought has no limit per day',
      dropGate('inference', 'free-day', isSmall),
    ),
    'rate-limit.large-without-credits': plain(
      'The larger limit per day holds for accounts that have bought nothing',
      { limits: { ...conforming.limits, boughtEnough: 0 } },
    ),
    'rate-limit.day-missing-streamed': subtle(
      'Streamed requests have no limit per day',
      dropGate('inference', 'free-day', isStreamed),
    ),
    'rate-limit.every-second-served-beyond': intermittent(
      'Of the requests beyond the limit per day of a small account every second is served',
      editGate('inference', 'free-day', (call, original) => {
        const refusal = original(call);
        return refusal !== undefined && isSmall(call) && countUp(call, 'beyond the day') % 2 === 0
          ? undefined
          : refusal;
      }),
    ),
  }),
  ...makeMutants('rate-limit.day.large.allowed', {
    'rate-limit.999-per-day-large': everyday.plain(
      'An account with 10 credits bought or more may ask free models 999 times a day',
      { limits: { ...conforming.limits, perDayLarge: 999 } },
    ),
    'rate-limit.large-only-from-26-credits': plain(
      'The larger limit per day holds from 26 credits bought on',
      { limits: { ...conforming.limits, boughtEnough: 26 } },
    ),
  }),
  ...makeMutants('rate-limit.day.large.refused', {
    'rate-limit.1001-per-day-large': everyday.plain(
      'An account with 10 credits bought or more may ask free models 1001 times a day',
      { limits: { ...conforming.limits, perDayLarge: 1001 } },
    ),
    'rate-limit.day-missing-large': plain(
      'An account with 10 credits bought or more has no limit per day',
      dropGate('inference', 'free-day', isLarge),
    ),
  }),
  ...makeMutants('rate-limit.paid', {
    'rate-limit.paid-counted-as-free': subtle(
      'Requests to paid models use up the allowance of the free ones',
      {
        effects: {
          ...conforming.effects,
          inference: (call) => {
            if (isPaid(call) && call.key !== undefined)
              call.behaviour.usageOf(call, call.key).add(call.server.now());
            return conforming.effects.inference(call);
          },
        },
      },
    ),
    'rate-limit.paid-30-requests': everyday.plain('A key may ask paid models 30 times', capPaid(30)),
    'rate-limit.paid-streams-refused-with-free-day': subtle(
      'Streams of paid models are refused once the allowance per day of the free ones is used up',
      editGate('inference', 'free-day', (call, original) =>
        original(isStreamed(call) ? treatAsFree(call) : call),
      ),
    ),
  }),
  ...makeMutants(['rate-limit.paid', 'rate-limit.free-variants'], {
    'rate-limit.paid-refused-with-free-minute': plain(
      'Paid models are refused once the allowance per minute of the free ones is used up',
      editGate('inference', 'free-minute', (call, original) => original(treatAsFree(call))),
    ),
    'rate-limit.paid-refused-with-free-day': everyday.plain(
      'Paid models are refused once the allowance per day of the free ones is used up',
      editGate('inference', 'free-day', (call, original) => original(treatAsFree(call))),
    ),
  }),
];

function isSmall({ key, behaviour }: Call): boolean {
  return key !== undefined && key.traits.purchased < behaviour.limits.boughtEnough;
}

function isLarge(call: Call): boolean {
  return call.key !== undefined && !isSmall(call);
}

/** Some calls have another limit per minute. */
function limitMinute(when: (call: Call) => boolean, perMinute: number): Mutation {
  return editGate('inference', 'free-minute', (call, original) => {
    const { behaviour } = call;
    return original(
      when(call)
        ? { ...call, behaviour: { ...behaviour, limits: { ...behaviour.limits, perMinute } } }
        : call,
    );
  });
}

/** A call to a paid model, taken for one to a free model. */
function treatAsFree(call: Call): Call {
  return { ...call, behaviour: { ...call.behaviour, isFreeModel: () => true } };
}

/** A call to a free model that is not taken down as such. */
function exempt(call: Call): Call {
  return { ...call, behaviour: { ...call.behaviour, isFreeModel: () => false } };
}

/** What streams alone have used of a key's allowance. */
function usageApart({ server }: Call, key: string): FreeUsage {
  const known = server.memory.get(`streams of ${key}`);
  if (known instanceof FreeUsage) return known;
  const usage = new FreeUsage();
  server.memory.set(`streams of ${key}`, usage);
  return usage;
}

/** A key may ask paid models so many times, and no more. */
function capPaid(limit: number): Mutation {
  const refusal: Refusal = {
    status: 429,
    message: 'Rate limit exceeded',
    metadata: { error_type: 'rate_limit_exceeded' },
    platform: { limit, freesInMs: 60_000 },
  };
  return editGate('inference', 'free-minute', (call, original) => {
    if (!isPaid(call) || call.key === undefined) return original(call);
    return countUp(call, `paid requests of ${call.key.text}`) > limit ? refusal : undefined;
  });
}
