import { type Answer, type Frame, isFrames } from '../answer.js';
import { type Behaviour, conforming } from '../behaviour.js';
import type { Call } from '../call.js';
import { completionFrames, completionHead } from '../completion.js';
import { stream } from '../effects.js';
import { midStreamRule } from '../fault-gate.js';
import type { JsonObject } from '../json.js';
import type { Mutant, Override } from '../mutant.js';
import { answers, changedMember, counted } from '../override.js';

/** Mutants of the area stream-error: the status, the media type, or the event as a whole is wrong. */
export const streamErrorEventMutants: readonly Mutant[] = [
  // the status
  {
    id: 'stream-error.status-429',
    section: '6',
    turnsRed: ['stream-error.status'],
    description: 'A stream that is hit by an error later on is answered 429 as a whole',
    hardness: 'plain',
    override: brokenStreams((_answer, call) =>
      call.behaviour.refuse(call, { status: 429, message: 'Rate limit exceeded' }),
    ),
  },
  {
    id: 'stream-error.status-500-free-models',
    section: '6',
    turnsRed: ['stream-error.status'],
    description: 'A stream of a free model that is hit by an error later on is answered 500 as a whole',
    hardness: 'plain',
    override: brokenStreams((answer, call) =>
      call.inference !== undefined && call.behaviour.isFreeModel(call.inference.model)
        ? call.behaviour.refuse(call, { status: 500, message: 'Internal error' })
        : answer,
    ),
  },

  // the media type
  {
    id: 'stream-error.media-type-json',
    section: '6',
    turnsRed: ['stream-error.media-type'],
    description: 'A stream that breaks is announced as application/json',
    hardness: 'plain',
    override: brokenStreams((answer) => announced(answer, 'application/json')),
  },
  {
    id: 'stream-error.media-type-plain',
    section: '6',
    turnsRed: ['stream-error.media-type'],
    description: 'Event streams are announced as text/plain',
    hardness: 'plain',
    override: answers({ operation: 'inference', when: (_call, { body }) => isFrames(body) }, (answer) =>
      announced(answer, 'text/plain; charset=utf-8'),
    ),
  },
  {
    id: 'stream-error.media-type-missing',
    section: '6',
    turnsRed: ['stream-error.media-type'],
    description: 'A stream that breaks has no Content-Type',
    hardness: 'plain',
    override: brokenStreams((answer) => ({ ...answer, headers: { 'Cache-Control': 'no-cache' } })),
  },

  // the event
  {
    id: 'stream-error.event-missing',
    section: '6',
    turnsRed: ['stream-error.event'],
    description: 'A stream that breaks ends without a word',
    hardness: 'plain',
    override: lastFrame(() => ({ comment: 'closed' })),
  },
  {
    id: 'stream-error.done-alone',
    section: '6',
    turnsRed: ['stream-error.event'],
    description: 'A stream that breaks ends with [DONE] and no error',
    hardness: 'plain',
    override: lastFrame(() => ({ data: '[DONE]' })),
  },
  {
    id: 'stream-error.as-if-finished',
    section: '6',
    turnsRed: ['stream-error.event'],
    description: 'A stream that breaks ends like one that is whole',
    hardness: 'plain',
    override: brokenStreams((_answer, { inference, server }) =>
      stream(completionFrames(completionHead(inference?.model ?? '', server.now()))),
    ),
  },
  {
    id: 'stream-error.as-comment',
    section: '6',
    turnsRed: ['stream-error.event'],
    description: 'The error comes as a comment of the stream, not as a data line',
    hardness: 'plain',
    override: lastFrame((event) => ({ comment: JSON.stringify(event) })),
  },
  {
    id: 'stream-error.in-words',
    section: '6',
    turnsRed: ['stream-error.event'],
    description: 'The data line of the error holds words, no JSON',
    hardness: 'plain',
    override: lastFrame(() => ({ data: 'error: rate limit exceeded' })),
  },
  {
    id: 'stream-error.json-cut',
    section: '6',
    turnsRed: ['stream-error.event'],
    description: 'The JSON of the error event is cut before its last brace',
    hardness: 'plain',
    override: lastFrame((event) => ({ data: JSON.stringify(event).slice(0, -1) })),
  },
  {
    id: 'stream-error.json-in-string',
    section: '6',
    turnsRed: ['stream-error.event'],
    description: 'The data line of the error holds a JSON string with the chunk in it',
    hardness: 'subtle',
    override: lastFrame((event) => ({ data: JSON.stringify(JSON.stringify(event)) })),
  },
  {
    id: 'stream-error.json-in-array',
    section: '6',
    turnsRed: ['stream-error.event'],
    description: 'The data line of the error holds an array with the chunk in it',
    hardness: 'subtle',
    override: lastFrame((event) => ({ data: JSON.stringify([event]) })),
  },
  {
    id: 'stream-error.over-several-lines',
    section: '6',
    turnsRed: ['stream-error.event'],
    description:
      'The JSON of the error is indented over several lines, of which the first alone is a data line',
    hardness: 'subtle',
    override: lastFrame((event) => ({ data: JSON.stringify(event, null, 2) })),
  },
  {
    id: 'stream-error.split-inside-a-word',
    section: '6',
    turnsRed: ['stream-error.event'],
    description: 'The chunk is split over two data lines inside a string, which puts a line feed there',
    hardness: 'subtle',
    override: lastFrame((event) => ({
      data: JSON.stringify(event).replace('Rate limit', 'Rate\ndata: limit'),
    })),
  },
  {
    id: 'stream-error.field-error',
    section: '6',
    turnsRed: ['stream-error.event'],
    description: 'The chunk stands on a line that begins with error: in place of data:',
    hardness: 'subtle',
    override: lastLine((event) => `error: ${JSON.stringify(event)}\n\n`),
  },
  {
    id: 'stream-error.no-field',
    section: '6',
    turnsRed: ['stream-error.event'],
    description: 'The chunk stands on a line of its own, without data: before it',
    hardness: 'subtle',
    override: lastLine((event) => `${JSON.stringify(event)}\n\n`),
  },
  {
    id: 'stream-error.event-name-alone',
    section: '6',
    turnsRed: ['stream-error.event'],
    description: 'The error is the name of an event without data',
    hardness: 'subtle',
    override: lastLine(() => 'event: error\n\n'),
  },

  // streamed requests that are refused in band, as they may be
  {
    id: 'stream-error.refusal-without-model',
    section: '6',
    turnsRed: ['stream-error.model'],
    description: 'A streamed request that is refused with 402 gets an in-band event without model',
    hardness: 'subtle',
    override: { refuse: refusedInBand(402, 'model', undefined) },
  },
  {
    id: 'stream-error.limit-without-choices',
    section: '6',
    turnsRed: ['stream-error.choices'],
    description: 'A streamed request that is refused with 429 gets an in-band event whose choices are empty',
    hardness: 'subtle',
    override: { refuse: refusedInBand(429, 'choices', []) },
  },
  {
    id: 'stream-error.model-down-other-object',
    section: '6',
    turnsRed: ['stream-error.object'],
    description: 'A streamed request to a model that is down gets an in-band event whose object is error',
    hardness: 'subtle',
    override: { refuse: refusedInBand(502, 'object', 'error') },
  },

  // now and then
  {
    id: 'stream-error.every-second-without-provider',
    section: '6',
    turnsRed: ['stream-error.provider'],
    description: 'Every second in-band error event has no provider',
    hardness: 'intermittent',
    override: brokenStreams((answer, call) =>
      counted(call, 'broken streams') % 2 === 0
        ? withLastFrame(answer, (event) => ({ data: changedMember(event, 'provider', undefined) }))
        : answer,
    ),
  },
];

/** Streams that break are answered otherwise. */
function brokenStreams(change: (answer: Answer, call: Call) => Answer): Override {
  return answers(
    { operation: 'inference', when: (call, { body }) => isFrames(body) && midStreamRule(call) !== undefined },
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
function lastLine(write: (event: JsonObject) => string): Override {
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
