import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { counted, gate, noGate, type Override } from '../mutation.js';

/** Mutants of the area rate-limit: the limits per minute and per day (§8.2). */
export const rateLimitMutants: readonly Mutant[] = [
  ...makeMutants('8.2', ['rate-limit.minute.refused'], {
    'rate-limit.21-per-minute': {
      everydayPlain: 'A free model may be asked 21 times a minute',
      alsoRed: ['rate-limit.minute.large-account', 'rate-limit.global'],
      override: { limits: { ...conforming.limits, perMinute: 21 } },
    },
  }),

  // the minute
  ...makeMutants('8.2', ['rate-limit.minute.allowed'], {
    'rate-limit.19-per-minute': {
      everydayPlain: 'A free model may be asked 19 times a minute',
      alsoRed: ['rate-limit.minute.large-account'],
      override: { limits: { ...conforming.limits, perMinute: 19 } },
    },
  }),
  ...makeMutants('8.2', ['rate-limit.minute.refused'], {
    'rate-limit.minute-missing': {
      plain: 'Free models have no limit per minute',
      override: noGate('inference', 'free-minute'),
    },
    'rate-limit.minute-missing-small': {
      plain: 'An account that has bought less than 10 credits has no limit per minute',
      override: noGate('inference', 'free-minute', isSmall),
    },
  }),
  ...makeMutants('8.2', ['rate-limit.minute.large-account'], {
    'rate-limit.minute-missing-large': {
      everydayPlain: 'An account that has bought at least 10 credits has no limit per minute',
      override: noGate('inference', 'free-minute', isLarge),
    },
    'rate-limit.19-per-minute-large': {
      plain: 'An account that has bought at least 10 credits may ask a free model 19 times a minute',
      override: minuteLimit(isLarge, 19),
    },
    'rate-limit.40-per-minute-large': {
      plain: 'An account that has bought at least 10 credits may ask a free model 40 times a minute',
      override: minuteLimit(isLarge, 40),
    },
  }),
  ...makeMutants('8.2', ['rate-limit.minute.refused'], {
    'rate-limit.minute-missing-streamed': {
      subtle: 'Streamed requests have no limit per minute',
      override: noGate('inference', 'free-minute', isStreamed),
    },
  }),
  ...makeMutants('8.2', ['rate-limit.minute.allowed'], {
    'rate-limit.19-per-minute-streamed': {
      subtle: 'The twentieth request of a minute is refused if it is streamed',
      override: minuteLimit(isStreamed, 19),
    },
  }),

  // the day
  ...makeMutants('8.2', ['rate-limit.day.small.allowed'], {
    'rate-limit.49-per-day-small': {
      everydayPlain: 'An account that has bought less than 10 credits may ask free models 49 times a day',
      override: { limits: { ...conforming.limits, perDaySmall: 49 } },
    },
  }),
  ...makeMutants('8.2', ['rate-limit.day.small.refused'], {
    'rate-limit.51-per-day-small': {
      everydayPlain: 'An account that has bought less than 10 credits may ask free models 51 times a day',
      override: { limits: { ...conforming.limits, perDaySmall: 51 } },
    },
  }),
  ...makeMutants('8.2', ['rate-limit.day.large.allowed'], {
    'rate-limit.999-per-day-large': {
      everydayPlain: 'An account that has bought at least 10 credits may ask free models 999 times a day',
      override: { limits: { ...conforming.limits, perDayLarge: 999 } },
    },
  }),
  ...makeMutants('8.2', ['rate-limit.day.large.refused'], {
    'rate-limit.1001-per-day-large': {
      everydayPlain: 'An account that has bought at least 10 credits may ask free models 1001 times a day',
      override: { limits: { ...conforming.limits, perDayLarge: 1001 } },
    },
  }),
  ...makeMutants('8.2', ['rate-limit.day.small.refused', 'rate-limit.day.large.refused'], {
    'rate-limit.day-missing': {
      plain: 'Free models have no limit per day',
      override: noGate('inference', 'free-day'),
    },
  }),
  ...makeMutants('8.2', ['rate-limit.day.small.refused'], {
    'rate-limit.day-missing-small': {
      plain: 'An account that has bought less than 10 credits has no limit per day',
      override: noGate('inference', 'free-day', isSmall),
    },
  }),
  ...makeMutants('8.2', ['rate-limit.day.large.refused'], {
    'rate-limit.day-missing-large': {
      plain: 'An account that has bought at least 10 credits has no limit per day',
      override: noGate('inference', 'free-day', isLarge),
    },
  }),
  ...makeMutants('8.2', ['rate-limit.day.large.allowed'], {
    'rate-limit.large-only-from-26-credits': {
      plain: 'The larger limit per day holds from 26 credits bought on',
      override: { limits: { ...conforming.limits, boughtEnough: 26 } },
    },
  }),
  ...makeMutants('8.2', ['rate-limit.day.small.refused'], {
    'rate-limit.large-without-credits': {
      plain: 'The larger limit per day holds for accounts that have bought nothing',
      override: { limits: { ...conforming.limits, boughtEnough: 0 } },
    },
    'rate-limit.day-missing-streamed': {
      subtle: 'Streamed requests have no limit per day',
      override: noGate('inference', 'free-day', isStreamed),
    },
  }),

  // now and then
  ...makeMutants('8.2', ['rate-limit.day.small.refused'], {
    'rate-limit.every-second-served-beyond': {
      intermittent: 'Of the requests beyond the limit per day of a small account every second is served',
      override: gate('inference', 'free-day', (call, original) => {
        const refusal = original(call);
        return refusal !== undefined && isSmall(call) && counted(call, 'beyond the day') % 2 === 0
          ? undefined
          : refusal;
      }),
    },
  }),
];

function isSmall({ key, behaviour }: Call): boolean {
  return key !== undefined && key.traits.purchased < behaviour.limits.boughtEnough;
}

function isLarge(call: Call): boolean {
  return call.key !== undefined && !isSmall(call);
}

function isStreamed({ inference }: Call): boolean {
  return inference?.stream === true;
}

/** Some calls have another limit per minute. */
function minuteLimit(when: (call: Call) => boolean, perMinute: number): Override {
  return gate('inference', 'free-minute', (call, original) => {
    const { behaviour } = call;
    return original(
      when(call)
        ? { ...call, behaviour: { ...behaviour, limits: { ...behaviour.limits, perMinute } } }
        : call,
    );
  });
}
