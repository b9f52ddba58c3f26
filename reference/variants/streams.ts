import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type Behaviour, type Frame, isFrames } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { editErrorEvent, editFaults, type Mutation, refuseInBand, setHeaders } from '../mutation.js';
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
  'stream-left-open': everyday('6')(
    'The stream stays open for 100 ms after the in-band error',
    endBroken((response) => response.end(), 100),
  ),
  'stream-never-closed': permitted('6')(
    'The stream stays open after the in-band error until the client goes away',
    endBroken(() => undefined),
  ),
  'stream-cut-after-error': permitted('6')(
    'The connection is lost 20 ms after the in-band error',
    endBroken((response) => response.destroy(), 20),
  ),
  'events-with-cr': permitted('6')(
    'The lines of a stream end in CR LF, those of its in-band error in CR',
    writeFrames((frame) => formatFrame(frame).replaceAll('\n', isError(frame) ? '\r' : '\r\n')),
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
  'events-byte-by-byte': permitted('6')(
    'The last 150 bytes of a stream come one by one',
    writeFrames(formatFrame, async (response, text) => {
      response.write(text.slice(0, -150));
      await inPieces(response, Buffer.from(text.slice(-150)), 1);
    }),
  ),
  'stream-media-type-with-charset': permitted('6')(
    'The media type of a stream is in odd case and has a charset',
    setHeaders(
      { when: (_call, { body }) => isFrames(body) },
      { 'Content-Type': 'Text/Event-Stream ; charset=UTF-8' },
    ),
  ),
  'error-event-with-more': permitted('6')(
    'The in-band error has more members, its choice a role and words, and created is in milliseconds',
    editErrorEvent(({ error, created, ...event }) => ({
      ...event,
      created: Number(created) * 1000,
      usage: null,
      error: { ...(error as JsonObject), metadata: { error_type: 'rate_limit_exceeded' }, type: 'x' },
      choices: [
        { index: 1, delta: { role: 'assistant', content: 'po' }, logprobs: null, finish_reason: 'error' },
      ],
    })),
  ),
  'mid-stream-error-of-the-provider': permitted('6')(
    'What breaks the stream is a failure of the provider (502), not a limit',
    editFaults({ mid_stream_error: { status: 502, message: 'The provider went away' } }),
  ),
  'stream-refusals-in-band': everyday('6')(
    'A streamed request that is refused for credit, a limit or upstream gets 200 and the in-band event',
    refuseInBand((refusal) => ([402, 429, 502, 503].includes(refusal.status) ? refusal : undefined)),
  ),
};

type EndStream = (response: ServerResponse, text: string, hasError: boolean) => void | Promise<void>;

/** Replaces what ends a stream that breaks, some milliseconds after its in-band error. */
function endBroken(end: (response: ServerResponse) => void, afterMs = 0): Mutation {
  return writeFrames(formatFrame, async (response, text, hasError) => {
    response.write(text);
    if (hasError) await wait(afterMs).then(() => end(response));
    else response.end();
  });
}

/** Replaces every frame by others. */
function editFrames(change: (frame: Frame) => readonly Frame[]): Mutation {
  return {
    answer: (answer) => (isFrames(answer.body) ? { ...answer, body: answer.body.flatMap(change) } : answer),
  };
}

/** Replaces how the frames of a stream are written; `end` sends the text that they make. */
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

/** Writes a chunk on as many data lines as it has when it is indented. */
function dataLines(frame: Frame): string | undefined {
  if (!('data' in frame) || !isJsonObject(frame.data)) return undefined;
  const lines = JSON.stringify(frame.data, null, 1).split('\n');
  return `${lines.map((line) => `data: ${line}\n`).join('')}\n`;
}
