import type { Call, Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants } from '../mutant.js';
import { countUp, dropGate, editGate, type Mutation } from '../mutation.js';
import { isPaid } from './conditions.js';

/** Mutants of the area rate-limit: the limits per minute and per day (§8.2). */
export const rateLimitMutants: readonly Mutant[] = [
  ...makeMutants('rate-limit.minute.refused', {
    'rate-limit.21-per-minute': everyday.plain(
      'A free model takes 21 requests a minute',
      { limits: { ...conforming.limits, perMinute: 21 } },
      ['rate-limit.minute.large-account', 'rate-limit.global'],
    ),
  }),
  ...makeMutants('rate-limit.minute.allowed', {
    'rate-limit.19-per-minute': everyday.plain(
      'A free model takes 19 requests a minute',
      { limits: { ...conforming.limits, perMinute: 19 } },
      ['rate-limit.minute.large-account'],
    ),
  }),
  ...makeMutants('rate-limit.minute.large-account', {
    'rate-limit.minute-missing-large': everyday.plain(
      'An account with 10 credits bought or more has no limit per minute',
      dropGate('inference', 'free-minute', isLarge),
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
  }),
  ...makeMutants('rate-limit.day.large.allowed', {
    'rate-limit.999-per-day-large': everyday.plain(
      'An account with 10 credits bought or more may ask free models 999 times a day',
      { limits: { ...conforming.limits, perDayLarge: 999 } },
    ),
  }),
  ...makeMutants('rate-limit.day.large.refused', {
    'rate-limit.1001-per-day-large': everyday.plain(
      'An account with 10 credits bought or more may ask free models 1001 times a day',
      { limits: { ...conforming.limits, perDayLarge: 1001 } },
    ),
  }),
  ...makeMutants('rate-limit.paid', {
    'rate-limit.paid-30-requests': everyday.plain('A key may ask paid models 30 times', capPaid(30)),
  }),
  ...makeMutants(['rate-limit.paid', 'rate-limit.free-variants'], {
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

/** A call to a paid model, taken for one to a free model. */
function treatAsFree(call: Call): Call {
  return { ...call, behaviour: { ...call.behaviour, isFreeModel: () => true } };
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
