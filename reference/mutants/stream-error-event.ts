import { answerStream } from '../answers.js';
import { type Answer, type Call, type Frame, isFrames } from '../behaviour.js';
import { findMidStreamRule } from '../faults.js';
import { makeCompletionFrames, makeCompletionHead } from '../inference.js';
import { everyday, type Mutant, makeMutants, plain, subtle, tabulate } from '../mutant.js';
import {
  countUp,
  editAnswer,
  editEnvelope,
  type Mutation,
  refuseInBand,
  setHeader,
  setMember,
  type Where,
} from '../mutation.js';
import type { JsonObject } from '../vocabulary.js';
import { isFree, isStreamed } from './conditions.js';

const lostHeaders = [
  ['rate-limit.upstream.retry-after', 'retry-after', 'Retry-After'],
  ['rate-limit.platform.header.limit', 'header-limit', 'X-RateLimit-Limit'],
  ['rate-limit.platform.header.remaining', 'header-remaining', 'X-RateLimit-Remaining'],
  ['rate-limit.platform.header.reset', 'header-reset', 'X-RateLimit-Reset'],
] as const;

/** Mutants of the area stream-error: the status, the media type, or the event as a whole is wrong. */
export const streamErrorEventMutants: readonly Mutant[] = [
  ...makeMutants('stream-error.status', {
    'stream-error.status-429': everyday.plain(
      'A stream that is hit by an error later on gets 429 as a whole',
      editBrokenStreams((_answer, call) =>
        call.behaviour.refuse(call, { status: 429, message: 'Rate limit exceeded' }),
      ),
    ),
    'stream-error.status-500-free-models': plain(
      'A stream of a free model that is hit by an error later on gets 500 as a whole',
      editAnswer(brokenStreams(isFree), (_answer, call) =>
        call.behaviour.refuse(call, { status: 500, message: 'Internal error' }),
      ),
    ),
  }),
  ...makeMutants('stream-error.media-type', {
    'stream-error.media-type-json': everyday.plain(
      'A stream that breaks is announced as application/json',
      setHeader(brokenStreams(), 'Content-Type', 'application/json'),
    ),
    'stream-error.media-type-missing': plain(
      'A stream that breaks has no Content-Type',
      setHeader(brokenStreams(), 'Content-Type', undefined),
    ),
    'stream-error.media-type-json-lines-for-free-models': subtle(
      'A stream of a free model that breaks is announced as application/x-ndjson',
      setHeader(brokenStreams(isFree), 'Content-Type', 'application/x-ndjson'),
    ),
  }),
  ...makeMutants('stream-error.event', {
    'stream-error.event-missing': everyday.plain(
      'A stream that breaks ends without a word',
      editLastFrame(() => ({ comment: 'closed' })),
    ),
    'stream-error.as-if-finished': plain(
      'A stream that breaks ends like one that is whole',
      editBrokenStreams((_answer, { inference, server }) =>
        answerStream(makeCompletionFrames(makeCompletionHead(inference?.model ?? '', server.now()))),
      ),
    ),
    'stream-error.as-comment': plain(
      'The error comes as a comment of the stream, not as a data line',
      editLastFrame((event) => ({ comment: JSON.stringify(event) })),
    ),
    'stream-error.json-cut': plain(
      'The JSON of the error event is cut before its last brace',
      editLastFrame((event) => ({ data: JSON.stringify(event).slice(0, -1) })),
    ),
    'stream-error.json-in-string': subtle(
      'The data line of the error holds a JSON string with the chunk in it',
      editLastFrame((event) => ({ data: JSON.stringify(JSON.stringify(event)) })),
    ),
    'stream-error.over-several-lines': subtle(
      'The JSON of the error is indented over several lines, of which the first alone is a data line',
      editLastFrame((event) => ({ data: JSON.stringify(event, null, 2) })),
    ),
    'stream-error.split-inside-a-word': subtle(
      'The chunk is split over two data lines inside a string, which puts a line feed there',
      editLastFrame((event) => ({
        data: JSON.stringify(event).replace('Rate limit', 'Rate\ndata: limit'),
      })),
    ),
    ...tabulate('stream-error.', subtle, rewriteLastLine, {
      'event-name-alone': ['The error is the name of an event without data', () => 'event: error\n\n'],
      'blank-line-missing': ['No blank line follows the data line of the error', (data) => `data: ${data}\n`],
      'blank-line-missing-before-done': [
        'No blank line stands between the error event and [DONE], which become one event',
        (data) => `data: ${data}\ndata: [DONE]\n\n`,
      ],
      'after-done': [
        'The error event follows [DONE], after which clients read no more',
        (data) => `data: [DONE]\n\ndata: ${data}\n\n`,
      ],
      'field-in-upper-case': ['The line begins with Data: in place of data:', (data) => `Data: ${data}\n\n`],
      'field-indented': ['The data line of the error is indented by a blank', (data) => ` data: ${data}\n\n`],
      'line-end-escaped': ['Line ends are written as a backslash and an n', (data) => `data: ${data}\\n\\n`],
    }),
  }),
  ...makeMutants('stream-error.model', {
    'stream-error.refusal-without-model': subtle(
      'A streamed request that gets 402 gets an in-band event without model',
      refuseInBand(402, (event) => setMember(event, 'model', undefined)),
    ),
  }),
  ...makeMutants('stream-error.choices', {
    'stream-error.limit-without-choices': subtle(
      'A streamed request that gets 429 gets an in-band event whose choices are empty',
      refuseInBand(429, (event) => ({ ...event, choices: [] })),
    ),
  }),
  ...makeMutants('stream-error.object', {
    'stream-error.model-down-other-object': subtle(
      'A streamed request to a model that is down gets an in-band event whose object is error',
      refuseInBand(502, (event) => ({ ...event, object: 'error' })),
    ),
  }),
  ...makeMutants('stream-error.provider', {
    'stream-error.every-second-without-provider': everyday.intermittent(
      'Every second in-band error event has no provider',
      editBrokenStreams((answer, call) =>
        countUp(call, 'broken streams') % 2 === 0
          ? withLastFrame(answer, (event) => ({ data: setMember(event, 'provider', undefined) }))
          : answer,
      ),
    ),
  }),
  ...lostHeaders.flatMap(([requirement, word, header]) =>
    makeMutants(requirement, {
      [`rate-limit.${word}-missing-streamed`]: subtle(
        `A 429 has no ${header} if a stream was asked for`,
        setHeader({ operation: 'inference', status: 429, when: isStreamed }, header, undefined),
      ),
    }),
  ),
  ...makeMutants('rate-limit.platform.error-type', {
    'rate-limit.error-type-missing-streamed': subtle(
      'A platform 429 has no error_type in its metadata if a stream was asked for',
      editEnvelope({ operation: 'inference', status: 429, when: isStreamed }, (body, { platform }) =>
        platform === undefined ? body : { ...body, error: setMember(body.error, 'metadata', {}) },
      ),
    ),
  }),
];

/** The streams that break for the fault that breaks streams alone, some of them or all. */
function brokenStreams(when: (call: Call) => boolean = () => true): Where {
  return {
    operation: 'inference',
    when: (call, { body }) => isFrames(body) && findMidStreamRule(call)?.midStream === 'alone' && when(call),
  };
}

function editBrokenStreams(change: (answer: Answer, call: Call) => Answer): Mutation {
  return editAnswer(brokenStreams(), change);
}

/** The frame of the error event is another. */
function editLastFrame(frame: (event: JsonObject) => Frame): Mutation {
  return editBrokenStreams((answer) => withLastFrame(answer, frame));
}

function withLastFrame(answer: Answer, frame: (event: JsonObject) => Frame): Answer {
  if (!isFrames(answer.body)) return answer;
  return { ...answer, body: [...answer.body.slice(0, -1), frame(errorEventOf(answer.body))] };
}

/** The lines of the error event are written otherwise, past what a frame can say. */
function rewriteLastLine(write: (data: string) => string): Mutation {
  return editBrokenStreams((answer) => {
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
