import { stream } from '../answers.js';
import { bearerKey } from '../authentication.js';
import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { answers, changedMember, noGate, noGates, restatused } from '../mutation.js';
import { ownerOf, servesAs } from './credential-rule.js';
import { all, as, during } from './vault-delete-builders.js';

/** Mutants of inference that are wrong only where a key, a kind of model, a stream or a fault meet (§6 to §8). */
export const inferenceCombinationMutants: readonly Mutant[] = [
  ...makeMutants('7.3', ['auth.disabled-key'], {
    'auth.disabled-key-streams': {
      subtle: 'A disabled key may stream',
      override: noGate('inference', 'key-enabled', isStreamed),
    },
  }),
  ...makeMutants('5', ['auth.unknown-key'], {
    'auth.unknown-key-streams-free-models': {
      subtle: 'A streamed request to a free model is routed with an unknown key',
      override: servesAs('inference', (call) =>
        isStreamed(call) && isFree(call) && bearerKey(call.headers.authorization) !== undefined
          ? ownerOf(call)
          : undefined,
      ),
    },
  }),
  ...makeMutants('8.1', ['credit-limit.overdrawn.paid'], {
    'credit-limit.overdrawn-served-by-fallback': {
      subtle:
        'An overdrawn account is served on paid models while the first provider is limited, by the fallback',
      override: noGates(
        'inference',
        ['account-balance', 'fault'],
        all(as('overdrawn'), during('upstream_rate_limited'), (call) => !isFree(call)),
      ),
    },
  }),
  ...makeMutants('7.3', ['inference.502.model-down'], {
    'inference.free-model-down-silent-stream': {
      subtle: 'A streamed request to a free model that is down gets a stream that tells no error',
      override: answers({ operation: 'inference', status: 502, when: all(isStreamed, isFree) }, () =>
        stream([{ data: '[DONE]' }]),
      ),
    },
  }),
  ...makeMutants('7.3', ['inference.503.no-provider'], {
    'inference.no-provider-404-for-free-models': {
      subtle: 'A plain request to a free model that no provider can serve is answered 404',
      override: restatused(
        { operation: 'inference', status: 503, when: (call) => isFree(call) && !isStreamed(call) },
        404,
      ),
    },
  }),
  ...makeMutants('7.3', ['rate-limit.upstream.status'], {
    'rate-limit.upstream-502-for-paid-streams': {
      subtle: 'A stream of a paid model that the upstream provider limits is answered 502',
      override: restatused(
        {
          operation: 'inference',
          status: 429,
          when: all(isStreamed, during('upstream_rate_limited'), (call) => !isFree(call)),
        },
        502,
      ),
    },
  }),
  ...makeMutants('7.4', ['rate-limit.upstream.retry-after'], {
    'rate-limit.retry-after-missing-for-free-models': {
      subtle: 'The 429 of a free model has no Retry-After although every provider gave a hint',
      override: answers({ operation: 'inference', status: 429, when: isFree }, (answer) => {
        const { 'Retry-After': _hint, ...headers } = answer.headers;
        return { ...answer, headers };
      }),
    },
  }),
  ...makeMutants('6', ['stream-error.provider'], {
    'stream-error.provider-missing-for-free-models': {
      subtle: 'The in-band error event of a free model has no provider',
      override: {
        streamErrorEvent: (head, refusal) => {
          const event = conforming.streamErrorEvent(head, refusal);
          return conforming.isFreeModel(head.model) ? changedMember(event, 'provider', undefined) : event;
        },
      },
    },
  }),
];

function isStreamed({ inference }: Call): boolean {
  return inference?.stream === true;
}

function isFree({ inference }: Call): boolean {
  return inference !== undefined && conforming.isFreeModel(inference.model);
}
