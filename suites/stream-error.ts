import {
  dispatchesError,
  findErrorChunk,
  judgeStreamMediaType,
  readErrorCode,
} from '../judge/answer-rules.js';
import type { Call } from '../judge/call.js';
import { type Check, check } from '../judge/check.js';
import type { Fault } from '../spec/vocabulary.js';
import { type Answered, asText, isAnswered } from '../targets/exchange.js';
import { NotShown } from '../targets/world.js';

// §6: the in-band error event. The members of its chunk are judged passively, wherever one is met.

/** Asserts that a stream begins as one, and ends with the error in it. */
export async function breaksOff(call: Call): Promise<void> {
  const exchange = await call.expectStatus(200, {
    requirement: 'stream-error.status',
    because: 'the stream has started before the error',
    continueOnFailure: true,
  });
  if (exchange.answer.status !== 200) return;
  call.expect(exchange, 'stream-error.media-type', judgeStreamMediaType(exchange));
  const { text } = exchange.answer;
  call.expect(exchange, 'stream-error.event', {
    ok: dispatchesError(text),
    expected: 'an event, ended by a blank line, whose data is a JSON chunk of the error',
    actual:
      findErrorChunk(text) === undefined
        ? 'no such event'
        : 'such data without the blank line that ends the event',
  });
}

/** Errors that are no rate limit; each may meet a stream that has started. */
const otherErrors: readonly (readonly [Fault, status: number])[] = [
  ['provider_bad_response', 502],
  ['model_down', 502],
  ['no_provider', 503],
  ['inference_deadline', 408],
];

/** Asserts that a stream which has started tells of an error that is no rate limit. */
export function judgeOtherError(call: Call, exchange: Answered, status: number): void {
  const code = readErrorCode(exchange.answer.text);
  call.expect(exchange, 'stream-error.other-errors', {
    // That the code is an integer is for another row.
    ok: asText(code) === asText(status),
    expected: `an error event of code ${status}`,
    actual: code === undefined ? 'no error event' : `an error event of code ${asText(code)}`,
  });
}

const otherErrorsCheck: Check = check(
  'stream-error.other-errors',
  { control: 'inference' },
  async ({ world, api, offers }) => {
    let hasStarted = false;
    for (const [fault, status] of otherErrors.filter(([one]) => offers(`fault:${one}`))) {
      await world.setFaults(fault);
      const call = api.infer({ stream: true });
      const exchange = await call.send({
        rule: 'stream-error.other-errors',
        expected: `200 or ${status}`,
        allows: (got) => got === 200 || got === status,
      });
      // A stream may be refused before it has started.
      if (!isAnswered(exchange) || exchange.answer.status !== 200) continue;
      hasStarted = true;
      judgeOtherError(call, exchange, status);
    }
    if (!hasStarted) throw new NotShown('no error met a stream that had started');
    await world.setFaults();
    await api.infer({ stream: true }).expectControl(200);
  },
);

/** The checks of §6. */
export const streamErrorChecks: readonly Check[] = [otherErrorsCheck];
