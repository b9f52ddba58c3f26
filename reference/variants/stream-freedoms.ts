import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type Behaviour, type Frame, isFrames } from '../behaviour.js';
import { errorEvent, fault, type Override } from '../mutation.js';
import { makeVariants, type Variant } from '../variant.js';
import { isJsonObject, type JsonObject } from '../vocabulary.js';
import { frameText, inPieces, withFrames } from './wire.js';

/** Variants of the stream that breaks: how its events are written, and what surrounds the in-band error (§6). */
export const streamVariants: readonly Variant[] = [
  ...makeVariants('6', {
    'done-after-error': {
      description: '[DONE] follows the in-band error',
      override: frames((frame) => (isError(frame) ? [frame, { data: '[DONE]' }] : [frame])),
    },
    'words-after-error': {
      description: 'A comment and a chunk of usage follow the in-band error',
      override: frames((frame) =>
        isError(frame)
          ? [frame, { comment: 'end' }, { data: { object: 'chat.completion.chunk', choices: [], usage: {} } }]
          : [frame],
      ),
    },
    'error-is-the-first-event': {
      description: 'The in-band error comes before any word',
      override: {
        answer: (answer) => {
          const { body } = answer;
          return isFrames(body) && body.some(isError) ? { ...answer, body: body.filter(isError) } : answer;
        },
      },
    },
    'stream-left-open': {
      everyday: 'The stream stays open for 100 ms after the in-band error',
      override: written(frameText, async (response, text, hasError) => {
        response.write(text);
        if (hasError) await wait(100);
        response.end();
      }),
    },
    'stream-never-closed': {
      description: 'The stream stays open after the in-band error until the client goes away',
      override: written(frameText, (response, text, hasError) => {
        response.write(text);
        if (!hasError) response.end();
      }),
    },
    'stream-cut-after-error': {
      description: 'The connection is lost 20 ms after the in-band error',
      override: written(frameText, async (response, text, hasError) => {
        response.write(text);
        if (!hasError) response.end();
        else await wait(20).then(() => response.destroy());
      }),
    },
    'events-with-crlf': {
      description: 'The lines of a stream end in CR LF',
      override: written((frame) => frameText(frame).replaceAll('\n', '\r\n')),
    },
    'events-with-cr': {
      description: 'The lines of a stream end in CR',
      override: written((frame) => frameText(frame).replaceAll('\n', '\r')),
    },
    'events-with-comments': {
      description: 'Comments stand before, between and after the events of a stream',
      override: frames((frame) => [{ comment: '' }, { comment: 'data: {"error":{}}' }, frame]),
    },
    'events-with-names': {
      description: 'Events have id, event and retry lines, the in-band error the name error',
      override: written((frame) =>
        'comment' in frame
          ? frameText(frame)
          : `retry: 10\nid: 7\nevent: ${isError(frame) ? 'error' : 'message'}\n${frameText(frame)}`,
      ),
    },
    'events-over-many-lines': {
      everyday: 'The chunk of an event stands on several data lines',
      override: written((frame) => dataLines(frame) ?? frameText(frame)),
    },
    'events-without-blank': {
      description: 'There is no blank after data:, and a byte order mark before the stream',
      override: written((frame) => frameText(frame).replace(/^data: /, 'data:'), endWithMark),
    },
    'events-in-packets': {
      description: 'A stream comes in packets of 61 bytes, so that every event is broken up',
      override: written(frameText, async (response, text) => {
        await inPieces((piece) => response.write(piece), text, 61);
        response.end();
      }),
    },
    'events-byte-by-byte': {
      description: 'The last 150 bytes of a stream come one by one',
      override: written(frameText, async (response, text) => {
        response.write(text.slice(0, -150));
        await inPieces((piece) => response.write(piece), text.slice(-150), 1);
        response.end();
      }),
    },
    'stream-without-last-blank-line': {
      description: 'The stream ends with the line of [DONE], without the blank line after it',
      override: written(frameText, (response, text) => {
        response.end(text.replace(/\[DONE\]\n\n$/, '[DONE]\n'));
      }),
    },
    'stream-media-type-with-charset': {
      description: 'The media type of a stream is in odd case and has a charset',
      override: {
        answer: (answer) =>
          isFrames(answer.body)
            ? {
                ...answer,
                headers: { ...answer.headers, 'Content-Type': 'Text/Event-Stream ; charset=UTF-8' },
              }
            : answer,
      },
    },
    'error-event-with-more': {
      description: 'The in-band error has metadata, usage and more members, and its choice a role and words',
      override: errorEvent((event) => ({
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
    },
    'error-event-created-in-ms': {
      description: 'created is in milliseconds, and the choice has the index 1',
      override: errorEvent((event) => ({
        ...event,
        created: Number(event.created) * 1000,
        choices: [{ index: 1, delta: { content: '' }, finish_reason: 'error' }],
      })),
    },
    'mid-stream-error-of-the-provider': {
      description: 'What breaks the stream is a failure of the provider (502), not a limit',
      override: fault('mid_stream_error', { status: 502, message: 'The provider went away' }),
    },
  }),
];

type EndStream = (response: ServerResponse, text: string, hasError: boolean) => void | Promise<void>;

/** Every frame becomes others. */
function frames(change: (frame: Frame) => readonly Frame[]): Override {
  return {
    answer: (answer) => (isFrames(answer.body) ? { ...answer, body: answer.body.flatMap(change) } : answer),
  };
}

/** The frames of a stream are written otherwise; `end` writes the text that they make. */
function written(
  write: (frame: Frame) => string,
  end: EndStream = (response, text) => {
    response.end(text);
  },
): Pick<Behaviour, 'transmit'> {
  return {
    transmit: withFrames((response, all, answer) => {
      response.writeHead(answer.status, { ...answer.headers });
      return end(response, all.map(write).join(''), all.some(isError));
    }),
  };
}

function endWithMark(response: ServerResponse, text: string): void {
  response.end(`\ufeff${text}`);
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
