import { createParser } from 'eventsource-parser';
import { type Answer, isObject } from '../targets/exchange.js';

/** The data of every whole server-sent event of a stream, comments left out. */
function eventData(text: string): readonly string[] {
  const data: string[] = [];
  const parser = createParser({ onEvent: (event) => data.push(event.data) });
  parser.feed(text);
  return data;
}

/** The chunk of a stream that an event is, where its data is JSON. */
function chunkOf(data: string): readonly unknown[] {
  try {
    return [JSON.parse(data) as unknown];
  } catch {
    return [];
  }
}

/** The chunk that tells of an error (§6): the one with an error, or that finished for one. */
export function errorChunk(text: string): unknown {
  // Most streams tell of none, and taking one apart is dear; a letter of the word may be escaped.
  if (!text.includes('data:') || !/error|\\u/.test(text)) return undefined;
  // A last event that no blank line ends is read too, so that what else is wrong with it is told.
  return chunkOfError(`${text}\n\n`);
}

/** Whether a client is told of an error: its parser hands an event on only once a blank line has ended it. */
export function dispatchesError(text: string): boolean {
  return chunkOfError(text) !== undefined;
}

/** The code that a stream tells of in its error (§6); undefined where it tells of none. */
export function errorCode(text: string): unknown {
  return codeOf(errorChunk(text));
}

/** The code of an error chunk; undefined where it has none. */
export function codeOf(chunk: unknown): unknown {
  const error = isObject(chunk) ? chunk.error : undefined;
  return isObject(error) ? error.code : undefined;
}

const known = new WeakMap<Answer, { readonly chunk: unknown }>();

/** The chunk of an answer that tells of an error; every rule of §6 asks for it. */
export function errorChunkOf(answer: Answer): unknown {
  const found = known.get(answer) ?? { chunk: errorChunk(answer.text) };
  known.set(answer, found);
  return found.chunk;
}

/** Looks at a stream piece by piece: says when it has told of an error, so that nothing more needs to be read of it. */
export function errorWatch(): (piece: string) => boolean {
  let hasTold = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      hasTold ||= chunkOf(data).some(tellsOfError);
    },
  });
  return (piece) => {
    parser.feed(piece);
    return hasTold;
  };
}

function chunkOfError(text: string): unknown {
  return eventData(text).flatMap(chunkOf).find(tellsOfError);
}

function tellsOfError(chunk: unknown): boolean {
  return isObject(chunk) && (hasError(chunk) || finishedInError(chunk));
}

function hasError(chunk: Readonly<Record<string, unknown>>): boolean {
  return chunk.error !== undefined && chunk.error !== null;
}

function finishedInError(chunk: Readonly<Record<string, unknown>>): boolean {
  const choices: unknown = chunk.choices;
  return (
    Array.isArray(choices) && choices.some((choice) => isObject(choice) && choice.finish_reason === 'error')
  );
}
