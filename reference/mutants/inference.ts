import { answerStream } from '../answers.js';
import { parseBearerKey } from '../authentication.js';
import type { Answer, Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { makeCompletionFrames, makeCompletionHead } from '../inference.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import {
  dropGate,
  editAnswer,
  editErrorEvent,
  editFault,
  refuseInBandAs,
  setHeader,
  setMember,
  setStatus,
} from '../mutation.js';
import { all, as, during, endSilently, isFree, isPaid, isStreamed } from './conditions.js';
import { findOwner, serveAs } from './credential-mutations.js';

/** Mutants of the area inference. */
export const inferenceMutants: readonly Mutant[] = [
  ...makeMutants('inference.502.model-down', {
    'inference.model-down-500': everyday.plain(
      'A model that is down gets 500',
      editFault('model_down', { status: 500 }),
    ),
    'inference.model-down-200-with-envelope': plain(
      'A model that is down gets 200 with the error in the body',
      editAnswer({ operation: 'inference', status: 502, when: during('model_down') }, (answer) => ({
        ...answer,
        status: 200,
      })),
    ),
    'inference.model-down-empty-completion': plain(
      'A model that is down gets 200 with a completion that says nothing',
      editAnswer(
        { operation: 'inference', status: 502, when: all(isPlain, during('model_down')) },
        emptyCompletion,
      ),
    ),
    'inference.model-down-504-streamed': everyday.subtle(
      'A streamed request to a model that is down gets 504',
      setStatus({ operation: 'inference', status: 502, when: isStreamed }, 504),
    ),
    'inference.free-model-down-silent-stream': subtle(
      'A streamed request to a free model that is down gets a stream without an error',
      editAnswer({ operation: 'inference', status: 502, when: all(isStreamed, isFree) }, endSilently),
    ),
  }),
  ...makeMutants(['inference.502.model-down', 'stream-error.other-errors'], {
    'inference.model-down-silent-stream': subtle(
      'A streamed request to a model that is down gets a stream that ends at once without an error',
      editAnswer({ operation: 'inference', status: 502, when: isStreamed }, endSilently),
    ),
    'inference.model-down-in-band-500': subtle(
      'A streamed request to a model that is down gets the in-band event with the code 500',
      refuseInBandAs(500, 502),
    ),
  }),
  ...makeMutants('inference.503.no-provider', {
    'inference.no-provider-502': everyday.plain(
      'A request that no provider can serve gets 502',
      editFault('no_provider', { status: 502 }),
    ),
    'inference.no-provider-429-streamed': subtle(
      'A streamed request that no provider can serve gets 429',
      setStatus({ operation: 'inference', status: 503, when: isStreamed }, 429),
    ),
    'inference.no-provider-404-for-free-models': subtle(
      'A plain request to a free model that no provider can serve gets 404',
      setStatus({ operation: 'inference', status: 503, when: all(isFree, isPlain) }, 404),
    ),
  }),
  ...makeMutants(['inference.503.no-provider', 'stream-error.other-errors'], {
    'inference.no-provider-whole-stream': subtle(
      'A streamed request that no provider can serve gets an ordinary stream',
      editAnswer({ operation: 'inference', status: 503, when: isStreamed }, ordinaryStream),
    ),
    'inference.no-provider-in-band-502': subtle(
      'A streamed request that no provider can serve gets the in-band event with the code 502',
      refuseInBandAs(502, 503),
    ),
  }),
  ...makeMutants('inference.routed', {
    'inference.paid-models-unknown': everyday.plain(
      'Requests to paid models are refused with 400, as if there were no such model',
      editAnswer({ operation: 'inference', status: 200, when: isPaid }, (_answer, call) =>
        call.behaviour.refuse(call, { status: 400, message: 'There is no such model' }),
      ),
      [
        'key-info.byok-counting',
        'inference.502.provider-response',
        'credit-limit.balance-restored',
        'credit-limit.limit-restored',
        'rate-limit.free-variants',
        'rate-limit.paid',
        'rate-limit.fallback',
      ],
    ),
  }),
  ...makeMutants('auth.disabled-key', {
    'auth.disabled-key-streams': subtle(
      'A disabled key may stream',
      dropGate('inference', 'key-enabled', isStreamed),
    ),
  }),
  ...makeMutants('auth.unknown-key', {
    'auth.unknown-key-streams-free-models': subtle(
      'A streamed request to a free model is routed with an unknown key',
      serveAs('inference', (call) =>
        isStreamed(call) && isFree(call) && parseBearerKey(call.headers.authorization) !== undefined
          ? findOwner(call)
          : undefined,
      ),
    ),
  }),
  ...makeMutants('credit-limit.overdrawn.paid', {
    'credit-limit.overdrawn-served-by-fallback': subtle(
      'An overdrawn account is served on paid models while the first provider is limited, by the fallback',
      dropGate(
        'inference',
        ['account-balance', 'fault'],
        all(as('overdrawn'), during('upstream_rate_limited'), isPaid),
      ),
    ),
  }),
  ...makeMutants('rate-limit.upstream.status', {
    'rate-limit.upstream-502-for-paid-streams': subtle(
      'A stream of a paid model that the upstream provider limits gets 502',
      setStatus(
        {
          operation: 'inference',
          status: 429,
          when: all(isStreamed, during('upstream_rate_limited'), isPaid),
        },
        502,
      ),
    ),
  }),
  ...makeMutants('rate-limit.upstream.retry-after', {
    'rate-limit.retry-after-missing-for-free-models': subtle(
      'The 429 of a free model has no Retry-After although every provider gave a hint',
      setHeader({ operation: 'inference', status: 429, when: isFree }, 'Retry-After', undefined),
    ),
  }),
  ...makeMutants('stream-error.provider', {
    'stream-error.provider-missing-for-free-models': subtle(
      'The error event of a free model has no provider',
      editErrorEvent((event) =>
        conforming.isFreeModel(String(event.model)) ? setMember(event, 'provider', undefined) : event,
      ),
    ),
  }),
];

function isPlain(call: Call): boolean {
  return !isStreamed(call);
}

function ordinaryStream(_answer: Answer, { inference, server }: Call): Answer {
  return answerStream(makeCompletionFrames(makeCompletionHead(inference?.model ?? '', server.now())));
}

function emptyCompletion(_answer: Answer, { inference, server }: Call): Answer {
  const head = makeCompletionHead(inference?.model ?? '', server.now());
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    body: { ...head, object: 'chat.completion', choices: [] },
  };
}
