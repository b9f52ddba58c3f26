import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, type Behaviour, type Call, type Frame, isFrames } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { rawAnswer } from '../wire.js';

// Ways of putting an answer on the wire, for the variants that differ in nothing else.

type Transmit = Behaviour['transmit'];

/** An answer as the text of one message that closes its connection; a 204 tells no length. */
export function wholeMessage(answer: Answer): string {
  const message = rawAnswer(answer);
  return answer.status === 204 ? message.replace(/Content-Length: \d+\r\n/, '') : message;
}

/** The body of an answer as text; the frames of a stream one after the other. */
export function bodyText(answer: Answer): string {
  const message = rawAnswer(answer);
  return message.slice(message.indexOf('\r\n\r\n') + 4);
}

/** The text of one frame of a stream, the blank line after it included. */
export function frameText(frame: Frame): string {
  return bodyText({ status: 200, headers: {}, body: [frame] });
}

/** The headers of an answer; what is left of a stalled body must not be taken for the next request. */
export function wireHeaders({ headers }: Answer, { body }: Call): Record<string, string> {
  return body.state === 'stalled' ? { ...headers, Connection: 'close' } : { ...headers };
}

/** Answers with a body are sent otherwise; those without, and streams, as the reference sends them. */
export function withBody(
  send: (response: ServerResponse, text: string, answer: Answer, call: Call) => void | Promise<void>,
): Transmit {
  return (response, answer, call) => {
    const text = bodyText(answer);
    const isPlain = text === '' || isFrames(answer.body);
    return isPlain ? conforming.transmit(response, answer, call) : send(response, text, answer, call);
  };
}

/** Streams are sent otherwise; all other answers as the reference sends them. */
export function withFrames(
  send: (
    response: ServerResponse,
    frames: readonly Frame[],
    answer: Answer,
    call: Call,
  ) => void | Promise<void>,
): Transmit {
  return (response, answer, call) =>
    isFrames(answer.body)
      ? send(response, answer.body, answer, call)
      : conforming.transmit(response, answer, call);
}

/** Something is done before an answer is sent as the reference sends it. */
export function after(prepare: (response: ServerResponse, call: Call) => void | Promise<void>): Transmit {
  return async (response, answer, call) => {
    await prepare(response, call);
    await conforming.transmit(response, answer, call);
  };
}

/** Writes text piece by piece, each as a packet of its own. `pauseMs` passes between them. */
export async function inPieces(
  write: (piece: string) => void,
  text: string,
  length: number,
  pauseMs = 0,
): Promise<void> {
  for (let at = 0; at < text.length; at += length) {
    write(text.slice(at, at + length));
    await (pauseMs === 0 ? new Promise(setImmediate) : wait(pauseMs));
  }
}
