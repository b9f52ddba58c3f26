import { FreeUsage } from '../accounts.js';
import type { Call, Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { counted, gate, type Override } from '../mutation.js';

/** Mutants of the area rate-limit: what is counted, and that paid models have no cap (§8.2). */
export const rateLimitCountingMutants: readonly Mutant[] = [
  // what is counted
  ...makeMutants('8.2', ['rate-limit.minute.refused'], {
    'rate-limit.streams-counted-apart': {
      subtle: 'Streamed and plain requests have an allowance each',
      override: {
        usageOf: (call, key) => (isStreamed(call) ? usageApart(call, key.text) : key.usage),
      },
    },
    'rate-limit.streams-not-counted': {
      subtle: 'Streamed requests are not counted, so that they go on until plain ones have used up the limit',
      override: {
        effects: {
          ...conforming.effects,
          inference: (call) => conforming.effects.inference(isStreamed(call) ? uncounted(call) : call),
        },
      },
    },
    'rate-limit.plain-not-counted': {
      plain: 'Plain requests are not counted',
      override: {
        effects: {
          ...conforming.effects,
          inference: (call) => conforming.effects.inference(isStreamed(call) ? call : uncounted(call)),
        },
      },
    },
  }),
  // paid models
  ...makeMutants('8.2', ['rate-limit.paid'], {
    'rate-limit.paid-counted-as-free': {
      subtle: 'Requests to paid models use up the allowance of the free ones',
      override: {
        effects: {
          ...conforming.effects,
          inference: (call) => {
            if (isPaid(call) && call.key !== undefined)
              call.behaviour.usageOf(call, call.key).add(call.server.now());
            return conforming.effects.inference(call);
          },
        },
      },
    },
    'rate-limit.paid-30-requests': {
      everydayPlain: 'A key may ask paid models 30 times',
      override: paidCap(30),
    },
    'rate-limit.paid-50-requests': { plain: 'A key may ask paid models 50 times', override: paidCap(50) },
  }),
  ...makeMutants('8.2', ['rate-limit.free-variants'], {
    'rate-limit.paid-refused-with-free-minute': {
      plain: 'Paid models are refused once the allowance per minute of the free ones is used up',
      override: gate('inference', 'free-minute', (call, original) => original(asIfFree(call))),
    },
  }),
  ...makeMutants('8.2', ['rate-limit.paid', 'rate-limit.free-variants'], {
    'rate-limit.paid-refused-with-free-day': {
      everydayPlain: 'Paid models are refused once the allowance per day of the free ones is used up',
      override: gate('inference', 'free-day', (call, original) => original(asIfFree(call))),
    },
  }),
  ...makeMutants('8.2', ['rate-limit.paid'], {
    'rate-limit.paid-streams-refused-with-free-day': {
      subtle: 'Streams of paid models are refused once the allowance per day of the free ones is used up',
      override: gate('inference', 'free-day', (call, original) =>
        original(isStreamed(call) ? asIfFree(call) : call),
      ),
    },
  }),
];

function isStreamed({ inference }: Call): boolean {
  return inference?.stream === true;
}

function isPaid({ inference }: Call): boolean {
  return inference !== undefined && !conforming.isFreeModel(inference.model);
}

/** A call to a paid model, taken for one to a free model. */
function asIfFree(call: Call): Call {
  return { ...call, behaviour: { ...call.behaviour, isFreeModel: () => true } };
}

/** A call to a free model that is not taken down as such. */
function uncounted(call: Call): Call {
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
function paidCap(limit: number): Override {
  const refusal: Refusal = {
    status: 429,
    message: 'Rate limit exceeded',
    metadata: { error_type: 'rate_limit_exceeded' },
    platform: { limit, freesInMs: 60_000 },
  };
  return gate('inference', 'free-minute', (call, original) => {
    if (!isPaid(call) || call.key === undefined) return original(call);
    return counted(call, `paid requests of ${call.key.text}`) > limit ? refusal : undefined;
  });
}
