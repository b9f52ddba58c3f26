import { stream } from '../answers.js';
import type { Answer, Call, Frame, InferenceRequest, Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { completionHead, openingFrames } from '../inference.js';
import { counted, type Override } from '../mutation.js';
import { makeVariants, type Variant } from '../variant.js';

/** Variants that refuse a streamed request in band: 200, and the event of the code (§6). */
export const streamRefusalVariants: readonly Variant[] = [
  ...makeVariants('6', {
    'stream-refusals-in-band': {
      everyday:
        'A streamed request that is refused for credit, a limit or upstream gets 200 and the in-band event',
      override: inBand(
        () => true,
        (event, opening) => [...opening.slice(0, 1), event],
      ),
    },
    'stream-refusals-of-credit-in-band': {
      description: 'A streamed request that is refused for credit gets 200 and nothing but the in-band event',
      override: inBand(
        ({ status }) => status === 402,
        (event) => [event],
      ),
    },
    'stream-limits-in-band-after-words': {
      description: 'A streamed request beyond a limit gets 200, some words, the in-band event and [DONE]',
      override: inBand(
        ({ status }) => status === 429,
        (event, opening) => [...opening, event, { data: '[DONE]' }],
      ),
    },
    'stream-upstream-in-band': {
      description: 'A streamed request that fails upstream gets 200, comments and the in-band event',
      override: inBand(
        ({ status }) => status >= 500,
        (event) => [{ comment: 'processing' }, { comment: 'processing' }, event, { comment: 'end' }],
      ),
    },
    'stream-refusals-in-turns': {
      description: 'Every other refusal of a streamed request comes in band, the others as the status',
      override: inBand(
        (_refusal, call) => counted(call, 'refused streams') % 2 === 0,
        (event) => [event],
      ),
    },
  }),
  ...makeVariants('7.4', {
    'stream-refusals-in-band-with-headers': {
      description: 'Refusals in band carry the headers of a platform limit and Retry-After',
      override: inBand(
        () => true,
        (event) => [event],
        (refusal, call) => ({
          'Retry-After': '1',
          ...refusal.headers,
          ...(refusal.platform && call.behaviour.platformHeaders(refusal.platform, call.server.now())),
        }),
      ),
    },
  }),
];

/** Some refusals of streamed requests come as a stream, made from the event and what may come before it. */
function inBand(
  isOne: (refusal: Refusal, call: Call) => boolean,
  frames: (event: Frame, opening: readonly Frame[]) => readonly Frame[],
  headers: (refusal: Refusal, call: Call) => Record<string, string> = () => ({}),
): Override {
  return {
    refuse: (call, refusal) => {
      const asked = streamedRequest(call, refusal);
      if (asked === undefined || !isOne(refusal, call)) return conforming.refuse(call, refusal);
      const head = completionHead(asked.model, call.server.now());
      const event = { data: call.behaviour.streamErrorEvent(head, refusal) };
      const answer: Answer = stream(frames(event, openingFrames(head)));
      return { ...answer, headers: { ...answer.headers, ...headers(refusal, call) } };
    },
  };
}

/** The request, where it asks for a stream and what refuses it may come in band. */
function streamedRequest({ inference }: Call, { status }: Refusal): InferenceRequest | undefined {
  return inference?.stream === true && [402, 429, 502, 503].includes(status) ? inference : undefined;
}
