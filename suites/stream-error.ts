import { streamMediaType } from '../judge/answer-rules.js';
import type { Call } from '../judge/call.js';
import { type Check, check } from '../judge/check.js';
import { dispatchesError, errorChunk } from '../judge/stream.js';

// §6: the in-band error event. The members of its chunk are judged passively, wherever one is met.

/** Asserts that a stream begins as one, and ends with the error in it. */
export async function breaksOff(call: Call): Promise<void> {
  const exchange = await call.answers(200, {
    requirement: 'stream-error.status',
    because: 'the stream has started before the error',
  });
  call.judges(exchange, 'stream-error.media-type', streamMediaType(exchange));
  const { text } = exchange.answer;
  call.judges(exchange, 'stream-error.event', {
    holds: dispatchesError(text),
    expected: 'an event, ended by a blank line, whose data is a JSON chunk of the error',
    actual:
      errorChunk(text) === undefined
        ? 'no such event'
        : 'such data without the blank line that ends the event',
  });
}

/** The checks of §6. */
export const streamErrorChecks: readonly Check[] = [
  check(
    'stream-error.status',
    { control: 'inference', also: ['stream-error.event', 'stream-error.media-type'] },
    async ({ world, api }) => {
      await world.setFaults('mid_stream_error');
      await breaksOff(api.infer({ stream: true }));
      await world.setFaults();
      await api.infer({ stream: true }).holds(200);
    },
  ),
];
