import { type Answer, type Frame, isFrames } from '../behaviour.js';
import { findMidStreamRule } from '../faults.js';
import { everyday, type Mutant, makeMutants, subtle, tabulate } from '../mutant.js';
import { countUp, editAnswer, type Mutation, setHeader, setMember, type Where } from '../mutation.js';
import type { JsonObject } from '../vocabulary.js';

/** The streams that break for the fault that breaks streams alone. */
const brokenStreams: Where = {
  operation: 'inference',
  when: (call, { body }) => isFrames(body) && findMidStreamRule(call)?.midStream === 'alone',
};

/** Mutants of the area stream-error: the status, the media type, or the event as a whole is wrong. */
export const streamErrorEventMutants: readonly Mutant[] = [
  ...makeMutants('stream-error.status', {
    'stream-error.status-429': everyday.plain(
      'A stream that is hit by an error later on gets 429 as a whole',
      editAnswer(brokenStreams, (_answer, call) =>
        call.behaviour.refuse(call, { status: 429, message: 'Rate limit exceeded' }),
      ),
    ),
  }),
  ...makeMutants('stream-error.media-type', {
    'stream-error.media-type-json': everyday.plain(
      'A stream that breaks is announced as application/json',
      setHeader(brokenStreams, 'Content-Type', 'application/json'),
    ),
  }),
  ...makeMutants('stream-error.event', {
    'stream-error.event-missing': everyday.plain(
      'A stream that breaks ends without a word',
      editLastFrame(() => ({ comment: 'closed' })),
    ),
    'stream-error.over-several-lines': subtle(
      'The JSON of the error is indented over several lines, of which the first alone is a data line',
      editLastFrame((event) => ({ data: JSON.stringify(event, null, 2) })),
    ),
  }),
  ...tabulate('stream-error', subtle, rewriteLastLine, [
    ['event', 'blank-line-missing', 'No blank line ends the event', (data) => `data: ${data}\n`],
    [
      'event',
      'after-done',
      'The error event follows [DONE], after which clients read no more',
      (data) => `data: [DONE]\n\ndata: ${data}\n\n`,
    ],
    ['event', 'field-in-upper-case', 'The line begins with Data:', (data) => `Data: ${data}\n\n`],
  ]),
  ...makeMutants('stream-error.provider', {
    'stream-error.every-second-without-provider': everyday.intermittent(
      'Every second in-band error event has no provider',
      editAnswer(brokenStreams, (answer, call) =>
        countUp(call, 'broken streams') % 2 === 0
          ? withLastFrame(answer, (event) => ({ data: setMember(event, 'provider', undefined) }))
          : answer,
      ),
    ),
  }),
];

/** The frame of the error event is another. */
function editLastFrame(frame: (event: JsonObject) => Frame): Mutation {
  return editAnswer(brokenStreams, (answer) => withLastFrame(answer, frame));
}

function withLastFrame(answer: Answer, frame: (event: JsonObject) => Frame): Answer {
  if (!isFrames(answer.body)) return answer;
  return { ...answer, body: [...answer.body.slice(0, -1), frame(errorEventOf(answer.body))] };
}

/** The lines of the error event are written otherwise, past what a frame can say. */
function rewriteLastLine(write: (data: string) => string): Mutation {
  return editAnswer(brokenStreams, (answer) => {
    if (!isFrames(answer.body)) return answer;
    const before = answer.body
      .slice(0, -1)
      .map((frame) =>
        'data' in frame ? `data: ${JSON.stringify(frame.data)}\n\n` : `: ${frame.comment}\n\n`,
      );
    return { ...answer, body: `${before.join('')}${write(JSON.stringify(errorEventOf(answer.body)))}` };
  });
}

function errorEventOf(frames: readonly Frame[]): JsonObject {
  const last = frames.at(-1);
  return last !== undefined && 'data' in last && typeof last.data !== 'string' ? last.data : {};
}
