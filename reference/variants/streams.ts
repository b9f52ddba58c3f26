import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { answerStream } from '../answers.js';
import { type Behaviour, type Call, type Frame, isFrames, type Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { makeCompletionHead, makeOpeningFrames } from '../inference.js';
import { editErrorEvent, editFault, type Mutation, setHeader } from '../mutation.js';
import { everyday, permitted, type VariantRows } from '../variant.js';
import { isJsonObject, type JsonObject } from '../vocabulary.js';
import { formatFrame } from '../wire.js';
import { inPieces } from './http.js';

/** Variants of the stream that breaks: how its events are written, and what surrounds the in-band error (§6). */
export const streamsVariants: VariantRows = {
  'done-after-error': permitted('6')(
    '[DONE] follows the in-band error',
    editFrames((frame) => (isError(frame) ? [frame, { data: '[DONE]' }] : [frame])),
  ),
  'error-is-the-first-event': permitted('6')('The in-band error comes before any word', {
    answer: (answer) => {
      const { body } = answer;
      return isFrames(body) && body.some(isError) ? { ...answer, body: body.filter(isError) } : answer;
    },
  }),
  'stream-left-open': everyday('6')(
    'The stream stays open for 100 ms after the in-band error',
    writeFrames(formatFrame, async (response, text, hasError) => {
      response.write(text);
      if (hasError) await wait(100);
      response.end();
    }),
  ),
  'stream-never-closed': permitted('6')(
    'The stream stays open after the in-band error until the client goes away',
    writeFrames(formatFrame, (response, text, hasError) => {
      response.write(text);
      if (!hasError) response.end();
    }),
  ),
  'stream-cut-after-error': permitted('6')(
    'The connection is lost 20 ms after the in-band error',
    writeFrames(formatFrame, async (response, text, hasError) => {
      response.write(text);
      if (!hasError) response.end();
      else await wait(20).then(() => response.destroy());
    }),
  ),
  'events-with-cr': permitted('6')(
    'The lines of a stream end in CR LF, those of its in-band error in CR',
    writeFrames((frame) => formatFrame(frame).replaceAll('\n', isError(frame) ? '\r' : '\r\n')),
  ),
  'events-with-comments': permitted('6')(
    'Comments stand before, between and after the events of a stream',
    editFrames((frame) => [{ comment: '' }, { comment: 'data: {"error":{}}' }, frame]),
  ),
  'events-with-names': permitted('6')(
    'Events have id, event and retry lines, the in-band error the name error',
    writeFrames((frame) =>
      'comment' in frame
        ? formatFrame(frame)
        : `retry: 10\nid: 7\nevent: ${isError(frame) ? 'error' : 'message'}\n${formatFrame(frame)}`,
    ),
  ),
  'events-over-many-lines': everyday('6')(
    'The chunk of an event stands on several data lines',
    writeFrames((frame) => dataLines(frame) ?? formatFrame(frame)),
  ),
  'events-without-blank': permitted('6')(
    'There is no blank after data:',
    writeFrames((frame) => formatFrame(frame).replace(/^data: /, 'data:')),
  ),
  'byte-order-mark-before-the-error': permitted('6')(
    'A byte order mark stands before a stream that begins with the error',
    {
      ...refuseInBand((event) => [event]),
      ...writeFrames(formatFrame, (response, text) => {
        response.end(`\ufeff${text}`);
      }),
    },
  ),
  'events-byte-by-byte': permitted('6')(
    'The last 150 bytes of a stream come one by one',
    writeFrames(formatFrame, async (response, text) => {
      response.write(text.slice(0, -150));
      await inPieces((piece) => response.write(piece), Buffer.from(text.slice(-150)), 1);
      response.end();
    }),
  ),
  'stream-without-last-blank-line': permitted('6')(
    'The stream ends with the line of [DONE], without the blank line after it',
    writeFrames(formatFrame, (response, text) => {
      response.end(text.replace(/\[DONE\]\n\n$/, '[DONE]\n'));
    }),
  ),
  'stream-media-type-with-charset': permitted('6')(
    'The media type of a stream is in odd case and has a charset',
    setHeader(
      { when: (_call, { body }) => isFrames(body) },
      'Content-Type',
      'Text/Event-Stream ; charset=UTF-8',
    ),
  ),
  'error-event-with-more': permitted('6')(
    'The in-band error has metadata, usage and more members, and its choice a role and words',
    editErrorEvent((event) => ({
      ...event,
      usage: null,
      error: { ...(event.error as JsonObject), metadata: { error_type: 'rate_limit_exceeded' }, type: 'x' },
      choices: [
        {
          index: 0,
          delta: { role: 'assistant', content: 'po', tool_calls: [] },
          logprobs: null,
          finish_reason: 'error',
          native_finish_reason: 'rate_limit',
        },
      ],
    })),
  ),
  'error-event-created-in-ms': permitted('6')(
    'created is in milliseconds, and the choice has the index 1',
    editErrorEvent((event) => ({
      ...event,
      created: Number(event.created) * 1000,
      choices: [{ index: 1, delta: { content: '' }, finish_reason: 'error' }],
    })),
  ),
  'mid-stream-error-of-the-provider': permitted('6')(
    'What breaks the stream is a failure of the provider (502), not a limit',
    editFault('mid_stream_error', { status: 502, message: 'The provider went away' }),
  ),
  'stream-refusals-in-band': everyday('6')(
    'A streamed request that is refused for credit, a limit or upstream gets 200 and the in-band event',
    refuseInBand((event, opening) => [...opening.slice(0, 1), event]),
  ),
  'stream-refusals-in-band-with-headers': permitted('7.4')(
    'Refusals in band carry the headers of a platform limit and Retry-After',
    refuseInBand(
      (event) => [event],
      (refusal, call) => ({
        'Retry-After': '1',
        ...refusal.headers,
        ...(refusal.platform && call.behaviour.platformHeaders(refusal.platform, call.server.now())),
      }),
    ),
  ),
};

type EndStream = (response: ServerResponse, text: string, hasError: boolean) => void | Promise<void>;

/** Every frame becomes others. */
function editFrames(change: (frame: Frame) => readonly Frame[]): Mutation {
  return {
    answer: (answer) => (isFrames(answer.body) ? { ...answer, body: answer.body.flatMap(change) } : answer),
  };
}

/** The frames of a stream are written otherwise; `end` writes the text that they make. */
function writeFrames(
  write: (frame: Frame) => string,
  end: EndStream = (response, text) => {
    response.end(text);
  },
): Pick<Behaviour, 'transmit'> {
  return {
    transmit: (response, answer, call) => {
      if (!isFrames(answer.body)) return conforming.transmit(response, answer, call);
      response.writeHead(answer.status, { ...answer.headers });
      return end(response, answer.body.map(write).join(''), answer.body.some(isError));
    },
  };
}

function isError(frame: Frame): boolean {
  return 'data' in frame && isJsonObject(frame.data) && 'error' in frame.data;
}

/** A chunk on as many data lines as it has when it is indented. */
function dataLines(frame: Frame): string | undefined {
  if (!('data' in frame) || !isJsonObject(frame.data)) return undefined;
  const lines = JSON.stringify(frame.data, null, 1).split('\n');
  return `${lines.map((line) => `data: ${line}\n`).join('')}\n`;
}

/** Refusals of streamed requests for credit, a limit or upstream come as a stream, made from the event and what may come before it. */
function refuseInBand(
  frames: (event: Frame, opening: readonly Frame[]) => readonly Frame[],
  headers: (refusal: Refusal, call: Call) => Record<string, string> = () => ({}),
): Mutation {
  return {
    refuse: (call, refusal) => {
      const { inference, server } = call;
      if (inference?.stream !== true || ![402, 429, 502, 503].includes(refusal.status))
        return conforming.refuse(call, refusal);
      const head = makeCompletionHead(inference.model, server.now());
      const event = { data: call.behaviour.streamErrorEvent(head, refusal) };
      const answer = answerStream(frames(event, makeOpeningFrames(head)));
      return { ...answer, headers: { ...answer.headers, ...headers(refusal, call) } };
    },
  };
}
