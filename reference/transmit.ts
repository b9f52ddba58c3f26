import { type ServerResponse, STATUS_CODES } from 'node:http';
import { type Answer, type Frame, isFrames } from './answer.js';
import type { Call } from './call.js';

/** Puts an answer on the wire as HTTP wants it: no body and no length on a 204, frames one by one. */
export function transmit(response: ServerResponse, answer: Answer, call: Call): void {
  const headers: Record<string, string> = { ...answer.headers };
  // What is left of a stalled body must not be taken for the next request.
  if (call.body.state === 'stalled') headers.Connection = 'close';
  if (isFrames(answer.body)) {
    writeHead(response, answer, headers);
    for (const frame of answer.body) response.write(frameText(frame));
    response.addTrailers(answer.trailers ?? {});
    response.end();
    return;
  }
  const text = bodyText(answer.body);
  if (answer.trailers !== undefined) headers['Transfer-Encoding'] = 'chunked';
  else if (answer.status !== 204) headers['Content-Length'] = String(Buffer.byteLength(text));
  writeHead(response, answer, headers);
  response.write(text);
  response.addTrailers(answer.trailers ?? {});
  response.end();
}

function writeHead(response: ServerResponse, answer: Answer, headers: Record<string, string>): void {
  const { status, reasonPhrase } = answer;
  if (reasonPhrase === undefined) response.writeHead(status, headers);
  else response.writeHead(status, reasonPhrase, headers);
}

/**
 * Writes an answer past Node's HTTP, which would mend it (a body on a 204, say), and ends the
 * connection. A `Content-Length` is added unless the answer has one or a `Transfer-Encoding`.
 */
export function transmitRaw(response: ServerResponse, answer: Answer): void {
  response.socket?.end(rawAnswer(answer));
}

/** An answer as the bytes of one HTTP/1.1 message that closes its connection. */
export function rawAnswer(answer: Answer): string {
  const text = isFrames(answer.body) ? answer.body.map(frameText).join('') : bodyText(answer.body);
  const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`);
  if (!lines.some((line) => /^(?:content-length|transfer-encoding):/i.test(line))) {
    lines.push(`Content-Length: ${Buffer.byteLength(text)}`);
  }
  const start = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? 'Unknown'}`;
  return [start, ...lines, 'Connection: close', '', text].join('\r\n');
}

function bodyText(body: Exclude<Answer['body'], readonly Frame[]>): string {
  if (body === undefined) return '';
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function frameText(frame: Frame): string {
  if ('comment' in frame) return `: ${frame.comment}\n\n`;
  return `data: ${typeof frame.data === 'string' ? frame.data : JSON.stringify(frame.data)}\n\n`;
}
