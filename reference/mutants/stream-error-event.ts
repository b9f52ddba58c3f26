import { answerStream } from '../answers.js';
import { type Answer, type Behaviour, type Call, type Frame, isFrames } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { findMidStreamRule } from '../faults.js';
import { makeCompletionFrames, makeCompletionHead } from '../inference.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { countUp, editAnswer, editEnvelope, type Mutation, setMember } from '../mutation.js';
import type { JsonObject } from '../vocabulary.js';
import { during, isStreamed } from './conditions.js';

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
      editBrokenStreams((answer, call) =>
        call.inference !== undefined && call.behaviour.isFreeModel(call.inference.model)
          ? call.behaviour.refuse(call, { status: 500, message: 'Internal error' })
          : answer,
      ),
    ),
  }),
  ...makeMutants('stream-error.media-type', {
    'stream-error.media-type-json': everyday.plain(
      'A stream that breaks is announced as application/json',
      editBrokenStreams((answer) => setMediaType(answer, 'application/json')),
    ),
    'stream-error.media-type-missing': plain(
      'A stream that breaks has no Content-Type',
      editBrokenStreams((answer) => ({ ...answer, headers: { 'Cache-Control': 'no-cache' } })),
    ),
    'stream-error.media-type-json-lines-for-free-models': subtle(
      'A stream of a free model that breaks is announced as application/x-ndjson',
      editBrokenStreams((answer, { inference }) =>
        inference !== undefined && conforming.isFreeModel(inference.model)
          ? { ...answer, headers: { ...answer.headers, 'Content-Type': 'application/x-ndjson' } }
          : answer,
      ),
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
    'stream-error.event-name-alone': subtle(
      'The error is the name of an event without data',
      rewriteLastLine(() => 'event: error\n\n'),
    ),
    'stream-error.blank-line-missing': subtle(
      'The error event ends with its data line, and no blank line follows',
      rewriteLastLine((event) => `data: ${JSON.stringify(event)}\n`),
    ),
    'stream-error.blank-line-missing-before-done': subtle(
      'No blank line stands between the error event and [DONE], which become one event',
      rewriteLastLine((event) => `data: ${JSON.stringify(event)}\ndata: [DONE]\n\n`),
    ),
    'stream-error.after-done': subtle(
      'The error event follows [DONE], after which clients read no more',
      rewriteLastLine((event) => `data: [DONE]\n\ndata: ${JSON.stringify(event)}\n\n`),
    ),
    'stream-error.field-in-upper-case': subtle(
      'The chunk stands on a line that begins with Data: in place of data:',
      rewriteLastLine((event) => `Data: ${JSON.stringify(event)}\n\n`),
    ),
    'stream-error.field-indented': subtle(
      'The data line of the error is indented by a blank, so that no parser knows the field',
      rewriteLastLine((event) => ` data: ${JSON.stringify(event)}\n\n`),
    ),
    'stream-error.line-end-escaped': subtle(
      'The line ends of the error event are written as a backslash and an n',
      rewriteLastLine((event) => `data: ${JSON.stringify(event)}\\n\\n`),
    ),
  }),
  ...makeMutants('stream-error.model', {
    'stream-error.refusal-without-model': subtle(
      'A streamed request that gets 402 gets an in-band event without model',
      { refuse: refuseInBand(402, 'model', undefined) },
    ),
  }),
  ...makeMutants('stream-error.choices', {
    'stream-error.limit-without-choices': subtle(
      'A streamed request that gets 429 gets an in-band event whose choices are empty',
      { refuse: refuseInBand(429, 'choices', []) },
    ),
  }),
  ...makeMutants('stream-error.object', {
    'stream-error.model-down-other-object': subtle(
      'A streamed request to a model that is down gets an in-band event whose object is error',
      { refuse: refuseInBand(502, 'object', 'error') },
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
  ...makeMutants('rate-limit.upstream.retry-after', {
    'rate-limit.retry-after-missing-streamed': subtle(
      'A 429 has no Retry-After if a stream was asked for, although every provider gave a hint',
      dropStreamedHeader('Retry-After', during('upstream_rate_limited_hint')),
    ),
  }),
  ...makeMutants('rate-limit.platform.header.limit', {
    'rate-limit.header-limit-missing-streamed': subtle(
      'A platform 429 has no X-RateLimit-Limit if a stream was asked for',
      dropStreamedHeader('X-RateLimit-Limit'),
    ),
  }),
  ...makeMutants('rate-limit.platform.header.reset', {
    'rate-limit.header-reset-missing-streamed': subtle(
      'A platform 429 has no X-RateLimit-Reset if a stream was asked for',
      dropStreamedHeader('X-RateLimit-Reset'),
    ),
  }),
  ...makeMutants('rate-limit.platform.error-type', {
    'rate-limit.error-type-missing-streamed': subtle(
      'A platform 429 has no error_type in its metadata if a stream was asked for',
      editEnvelope({ operation: 'inference', status: 429, when: isStreamed }, (body, { platform }) =>
        platform === undefined ? body : { ...body, error: setMember(body.error, 'metadata', {}) },
      ),
    ),
  }),
];

/** Streams that break for the fault that breaks streams alone are answered otherwise. */
function editBrokenStreams(change: (answer: Answer, call: Call) => Answer): Mutation {
  return editAnswer(
    {
      operation: 'inference',
      when: (call, { body }) => isFrames(body) && findMidStreamRule(call)?.midStream === 'alone',
    },
    change,
  );
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
function rewriteLastLine(write: (event: JsonObject) => string): Mutation {
  return editBrokenStreams((answer) => {
    if (!isFrames(answer.body)) return answer;
    const before = answer.body
      .slice(0, -1)
      .map((frame) =>
        'data' in frame ? `data: ${JSON.stringify(frame.data)}\n\n` : `: ${frame.comment}\n\n`,
      );
    return { ...answer, body: `${before.join('')}${write(errorEventOf(answer.body))}` };
  });
}

function errorEventOf(frames: readonly Frame[]): JsonObject {
  const last = frames.at(-1);
  return last !== undefined && 'data' in last && typeof last.data !== 'string' ? last.data : {};
}

function setMediaType(answer: Answer, type: string): Answer {
  return { ...answer, headers: { ...answer.headers, 'Content-Type': type } };
}

/** Streamed requests that are refused with this status get the in-band event, one member of it changed. */
function refuseInBand(status: number, field: string, value: unknown): Behaviour['refuse'] {
  return (call, refusal) => {
    if (refusal.status !== status || call.inference?.stream !== true) return conforming.refuse(call, refusal);
    const event = conforming.streamErrorEvent(
      makeCompletionHead(call.inference.model, call.server.now()),
      refusal,
    );
    return answerStream([{ data: setMember(event, field, value) }]);
  };
}

/** The 429 of a streamed request lacks a header. */
function dropStreamedHeader(name: string, when: (call: Call) => boolean = () => true): Mutation {
  return editAnswer(
    { operation: 'inference', status: 429, when: (call) => isStreamed(call) && when(call) },
    (answer) => {
      const { [name]: _left, ...headers } = answer.headers;
      return { ...answer, headers };
    },
  );
}
