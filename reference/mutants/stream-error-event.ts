import { stream } from '../answers.js';
import { type Answer, type Behaviour, type Call, type Frame, isFrames } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { midStreamRule } from '../faults.js';
import { completionFrames, completionHead } from '../inference.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { answers, changedMember, counted, type Override } from '../mutation.js';
import type { JsonObject } from '../vocabulary.js';

/** Mutants of the area stream-error: the status, the media type, or the event as a whole is wrong. */
export const streamErrorEventMutants: readonly Mutant[] = [
  // the status
  ...makeMutants('6', ['stream-error.status'], {
    'stream-error.status-429': {
      everydayPlain: 'A stream that is hit by an error later on is answered 429 as a whole',
      override: brokenStreams((_answer, call) =>
        call.behaviour.refuse(call, { status: 429, message: 'Rate limit exceeded' }),
      ),
    },
    'stream-error.status-500-free-models': {
      plain: 'A stream of a free model that is hit by an error later on is answered 500 as a whole',
      override: brokenStreams((answer, call) =>
        call.inference !== undefined && call.behaviour.isFreeModel(call.inference.model)
          ? call.behaviour.refuse(call, { status: 500, message: 'Internal error' })
          : answer,
      ),
    },
  }),

  // the media type
  ...makeMutants('6', ['stream-error.media-type'], {
    'stream-error.media-type-json': {
      everydayPlain: 'A stream that breaks is announced as application/json',
      override: brokenStreams((answer) => announced(answer, 'application/json')),
    },
    'stream-error.media-type-plain': {
      plain: 'Event streams are announced as text/plain',
      override: answers({ operation: 'inference', when: (_call, { body }) => isFrames(body) }, (answer) =>
        announced(answer, 'text/plain; charset=utf-8'),
      ),
    },
    'stream-error.media-type-missing': {
      plain: 'A stream that breaks has no Content-Type',
      override: brokenStreams((answer) => ({ ...answer, headers: { 'Cache-Control': 'no-cache' } })),
    },
  }),

  // the event
  ...makeMutants('6', ['stream-error.event'], {
    'stream-error.event-missing': {
      everydayPlain: 'A stream that breaks ends without a word',
      override: lastFrame(() => ({ comment: 'closed' })),
    },
    'stream-error.done-alone': {
      plain: 'A stream that breaks ends with [DONE] and no error',
      override: lastFrame(() => ({ data: '[DONE]' })),
    },
    'stream-error.as-if-finished': {
      plain: 'A stream that breaks ends like one that is whole',
      override: brokenStreams((_answer, { inference, server }) =>
        stream(completionFrames(completionHead(inference?.model ?? '', server.now()))),
      ),
    },
    'stream-error.as-comment': {
      plain: 'The error comes as a comment of the stream, not as a data line',
      override: lastFrame((event) => ({ comment: JSON.stringify(event) })),
    },
    'stream-error.in-words': {
      plain: 'The data line of the error holds words, no JSON',
      override: lastFrame(() => ({ data: 'error: rate limit exceeded' })),
    },
    'stream-error.json-cut': {
      plain: 'The JSON of the error event is cut before its last brace',
      override: lastFrame((event) => ({ data: JSON.stringify(event).slice(0, -1) })),
    },
    'stream-error.json-in-string': {
      subtle: 'The data line of the error holds a JSON string with the chunk in it',
      override: lastFrame((event) => ({ data: JSON.stringify(JSON.stringify(event)) })),
    },
    'stream-error.json-in-array': {
      subtle: 'The data line of the error holds an array with the chunk in it',
      override: lastFrame((event) => ({ data: JSON.stringify([event]) })),
    },
    'stream-error.over-several-lines': {
      subtle: 'The JSON of the error is indented over several lines, of which the first alone is a data line',
      override: lastFrame((event) => ({ data: JSON.stringify(event, null, 2) })),
    },
    'stream-error.split-inside-a-word': {
      subtle: 'The chunk is split over two data lines inside a string, which puts a line feed there',
      override: lastFrame((event) => ({
        data: JSON.stringify(event).replace('Rate limit', 'Rate\ndata: limit'),
      })),
    },
    'stream-error.field-error': {
      subtle: 'The chunk stands on a line that begins with error: in place of data:',
      override: lastLine((event) => `error: ${JSON.stringify(event)}\n\n`),
    },
    'stream-error.no-field': {
      subtle: 'The chunk stands on a line of its own, without data: before it',
      override: lastLine((event) => `${JSON.stringify(event)}\n\n`),
    },
    'stream-error.event-name-alone': {
      subtle: 'The error is the name of an event without data',
      override: lastLine(() => 'event: error\n\n'),
    },
  }),

  // streamed requests that are refused in band, as they may be
  ...makeMutants('6', ['stream-error.model'], {
    'stream-error.refusal-without-model': {
      subtle: 'A streamed request that is refused with 402 gets an in-band event without model',
      override: { refuse: refusedInBand(402, 'model', undefined) },
    },
  }),
  ...makeMutants('6', ['stream-error.choices'], {
    'stream-error.limit-without-choices': {
      subtle: 'A streamed request that is refused with 429 gets an in-band event whose choices are empty',
      override: { refuse: refusedInBand(429, 'choices', []) },
    },
  }),
  ...makeMutants('6', ['stream-error.object'], {
    'stream-error.model-down-other-object': {
      subtle: 'A streamed request to a model that is down gets an in-band event whose object is error',
      override: { refuse: refusedInBand(502, 'object', 'error') },
    },
  }),

  // now and then
  ...makeMutants('6', ['stream-error.provider'], {
    'stream-error.every-second-without-provider': {
      everydayIntermittent: 'Every second in-band error event has no provider',
      override: brokenStreams((answer, call) =>
        counted(call, 'broken streams') % 2 === 0
          ? withLastFrame(answer, (event) => ({ data: changedMember(event, 'provider', undefined) }))
          : answer,
      ),
    },
  }),
];

/** Streams that break for the fault that breaks streams alone are answered otherwise. */
export function brokenStreams(change: (answer: Answer, call: Call) => Answer): Override {
  return answers(
    {
      operation: 'inference',
      when: (call, { body }) => isFrames(body) && midStreamRule(call)?.midStream === 'alone',
    },
    change,
  );
}

/** The frame of the error event is another. */
function lastFrame(frame: (event: JsonObject) => Frame): Override {
  return brokenStreams((answer) => withLastFrame(answer, frame));
}

function withLastFrame(answer: Answer, frame: (event: JsonObject) => Frame): Answer {
  if (!isFrames(answer.body)) return answer;
  return { ...answer, body: [...answer.body.slice(0, -1), frame(errorEventOf(answer.body))] };
}

/** The lines of the error event are written otherwise, past what a frame can say. */
export function lastLine(write: (event: JsonObject) => string): Override {
  return brokenStreams((answer) => {
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

function announced(answer: Answer, type: string): Answer {
  return { ...answer, headers: { ...answer.headers, 'Content-Type': type } };
}

/** Streamed requests that are refused with this status get the in-band event, one member of it changed. */
function refusedInBand(status: number, field: string, value: unknown): Behaviour['refuse'] {
  return (call, refusal) => {
    if (refusal.status !== status || call.inference?.stream !== true) return conforming.refuse(call, refusal);
    const event = conforming.streamErrorEvent(
      completionHead(call.inference.model, call.server.now()),
      refusal,
    );
    return stream([{ data: changedMember(event, field, value) }]);
  };
}
