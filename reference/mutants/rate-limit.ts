import { conforming } from '../behaviour.js';
import type { Call } from '../call.js';
import type { Mutant, Override } from '../mutant.js';
import { counted, gate, noGate } from '../override.js';

/** Mutants of the area rate-limit: the limits per minute and per day (§8.2). */
export const rateLimitMutants: readonly Mutant[] = [
  {
    id: 'rate-limit.21-per-minute',
    section: '8.2',
    turnsRed: ['rate-limit.minute.refused'],
    description: 'A free model may be asked 21 times a minute',
    hardness: 'plain',
    override: { limits: { ...conforming.limits, perMinute: 21 } },
  },

  // the minute
  {
    id: 'rate-limit.19-per-minute',
    section: '8.2',
    turnsRed: ['rate-limit.minute.allowed'],
    description: 'A free model may be asked 19 times a minute',
    hardness: 'plain',
    override: { limits: { ...conforming.limits, perMinute: 19 } },
  },
  {
    id: 'rate-limit.minute-missing',
    section: '8.2',
    turnsRed: ['rate-limit.minute.refused'],
    description: 'Free models have no limit per minute',
    hardness: 'plain',
    override: noGate('inference', 'free-minute'),
  },
  {
    id: 'rate-limit.minute-missing-small',
    section: '8.2',
    turnsRed: ['rate-limit.minute.refused'],
    description: 'An account that has bought less than 10 credits has no limit per minute',
    hardness: 'plain',
    override: noGate('inference', 'free-minute', isSmall),
  },
  {
    id: 'rate-limit.minute-missing-large',
    section: '8.2',
    turnsRed: ['rate-limit.minute.large-account'],
    description: 'An account that has bought at least 10 credits has no limit per minute',
    hardness: 'plain',
    override: noGate('inference', 'free-minute', isLarge),
  },
  {
    id: 'rate-limit.19-per-minute-large',
    section: '8.2',
    turnsRed: ['rate-limit.minute.large-account'],
    description: 'An account that has bought at least 10 credits may ask a free model 19 times a minute',
    hardness: 'plain',
    override: minuteLimit(isLarge, 19),
  },
  {
    id: 'rate-limit.40-per-minute-large',
    section: '8.2',
    turnsRed: ['rate-limit.minute.large-account'],
    description: 'An account that has bought at least 10 credits may ask a free model 40 times a minute',
    hardness: 'plain',
    override: minuteLimit(isLarge, 40),
  },
  {
    id: 'rate-limit.minute-missing-streamed',
    section: '8.2',
    turnsRed: ['rate-limit.minute.refused'],
    description: 'Streamed requests have no limit per minute',
    hardness: 'subtle',
    override: noGate('inference', 'free-minute', isStreamed),
  },
  {
    id: 'rate-limit.19-per-minute-streamed',
    section: '8.2',
    turnsRed: ['rate-limit.minute.allowed'],
    description: 'The twentieth request of a minute is refused if it is streamed',
    hardness: 'subtle',
    override: minuteLimit(isStreamed, 19),
  },

  // the day
  {
    id: 'rate-limit.49-per-day-small',
    section: '8.2',
    turnsRed: ['rate-limit.day.small.allowed'],
    description: 'An account that has bought less than 10 credits may ask free models 49 times a day',
    hardness: 'plain',
    override: { limits: { ...conforming.limits, perDaySmall: 49 } },
  },
  {
    id: 'rate-limit.51-per-day-small',
    section: '8.2',
    turnsRed: ['rate-limit.day.small.refused'],
    description: 'An account that has bought less than 10 credits may ask free models 51 times a day',
    hardness: 'plain',
    override: { limits: { ...conforming.limits, perDaySmall: 51 } },
  },
  {
    id: 'rate-limit.999-per-day-large',
    section: '8.2',
    turnsRed: ['rate-limit.day.large.allowed'],
    description: 'An account that has bought at least 10 credits may ask free models 999 times a day',
    hardness: 'plain',
    override: { limits: { ...conforming.limits, perDayLarge: 999 } },
  },
  {
    id: 'rate-limit.1001-per-day-large',
    section: '8.2',
    turnsRed: ['rate-limit.day.large.refused'],
    description: 'An account that has bought at least 10 credits may ask free models 1001 times a day',
    hardness: 'plain',
    override: { limits: { ...conforming.limits, perDayLarge: 1001 } },
  },
  {
    id: 'rate-limit.day-missing',
    section: '8.2',
    turnsRed: ['rate-limit.day.small.refused', 'rate-limit.day.large.refused'],
    description: 'Free models have no limit per day',
    hardness: 'plain',
    override: noGate('inference', 'free-day'),
  },
  {
    id: 'rate-limit.day-missing-small',
    section: '8.2',
    turnsRed: ['rate-limit.day.small.refused'],
    description: 'An account that has bought less than 10 credits has no limit per day',
    hardness: 'plain',
    override: noGate('inference', 'free-day', isSmall),
  },
  {
    id: 'rate-limit.day-missing-large',
    section: '8.2',
    turnsRed: ['rate-limit.day.large.refused'],
    description: 'An account that has bought at least 10 credits has no limit per day',
    hardness: 'plain',
    override: noGate('inference', 'free-day', isLarge),
  },
  {
    id: 'rate-limit.large-only-from-26-credits',
    section: '8.2',
    turnsRed: ['rate-limit.day.large.allowed'],
    description: 'The larger limit per day holds from 26 credits bought on',
    hardness: 'plain',
    override: { limits: { ...conforming.limits, boughtEnough: 26 } },
  },
  {
    id: 'rate-limit.large-without-credits',
    section: '8.2',
    turnsRed: ['rate-limit.day.small.refused'],
    description: 'The larger limit per day holds for accounts that have bought nothing',
    hardness: 'plain',
    override: { limits: { ...conforming.limits, boughtEnough: 0 } },
  },
  {
    id: 'rate-limit.day-missing-streamed',
    section: '8.2',
    turnsRed: ['rate-limit.day.small.refused'],
    description: 'Streamed requests have no limit per day',
    hardness: 'subtle',
    override: noGate('inference', 'free-day', isStreamed),
  },

  // now and then
  {
    id: 'rate-limit.every-second-served-beyond',
    section: '8.2',
    turnsRed: ['rate-limit.day.small.refused'],
    description: 'Of the requests beyond the limit per day of a small account every second is served',
    hardness: 'intermittent',
    override: gate('inference', 'free-day', (call, original) => {
      const refusal = original(call);
      return refusal !== undefined && isSmall(call) && counted(call, 'beyond the day') % 2 === 0
        ? undefined
        : refusal;
    }),
  },
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
