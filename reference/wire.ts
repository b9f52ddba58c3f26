import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type Answer,
  type Body,
  type Call,
  type Frame,
  isFrames,
  JSON_MEDIA_TYPE,
  NO_BODY,
  type PlatformLimit,
  type Refusal,
} from './behaviour.js';
import { isJsonObject, type JsonObject } from './vocabulary.js';

/** Whether the headers announce a body. */
export function announcesBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Reads the whole body, for at most `deadlineMs` milliseconds; keeps at most `limit` bytes. Never rejects. */
export function readBody(request: IncomingMessage, deadlineMs: number, limit: number): Promise<Body> {
  if (!announcesBody(request)) return Promise.resolve(NO_BODY);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (body: Body): void => {
      clearTimeout(timer);
      resolve(body);
    };
    // One turn more: after a busy stretch the timer fires before what has already arrived is read.
    const timer = setTimeout(() => setImmediate(settle, { state: 'stalled' }), deadlineMs);
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
    });
    request.on('end', () => {
      settle(
        length > limit
          ? { state: 'too-long' }
          : { state: 'complete', text: Buffer.concat(chunks).toString('utf8') },
      );
    });
    request.on('error', () => settle({ state: 'gone' }));
    request.on('close', () => settle({ state: 'gone' }));
  });
}

/** The value that a JSON text stands for, or undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The JSON object that a body holds; undefined where it holds none, or did not arrive. */
export function parseBody(body: Body): JsonObject | undefined {
  const value = body.state === 'complete' ? parseJson(body.text) : undefined;
  return isJsonObject(value) ? value : undefined;
}

/** Puts an answer on the wire as HTTP wants it: no body and no length on a 204, frames one by one. */
export function transmit(response: ServerResponse, answer: Answer, call: Call): void {
  const headers = wireHeaders(answer, call);
  const { status, reasonPhrase, body, trailers } = answer;
  const parts = isFrames(body) ? body.map(formatFrame) : [formatBody(body)];
  if (trailers !== undefined) headers['Transfer-Encoding'] = 'chunked';
  else if (!isFrames(body) && status !== 204)
    headers['Content-Length'] = String(Buffer.byteLength(parts.join('')));
  if (reasonPhrase === undefined) response.writeHead(status, headers);
  else response.writeHead(status, reasonPhrase, headers);
  for (const part of parts) response.write(part);
  response.addTrailers(trailers ?? {});
  response.end();
}

/** The headers of an answer; what is left of a stalled body must not be taken for the next request. */
export function wireHeaders({ headers }: Answer, { body }: Call): Record<string, string> {
  return body.state === 'stalled' ? { ...headers, Connection: 'close' } : { ...headers };
}

/**
 * An answer as the bytes of one HTTP/1.1 message that closes its connection, as Node would not send it (a body on a 204,
 * say). A `Content-Length` is added unless the answer has one or a `Transfer-Encoding`.
 */
export function formatAnswer(answer: Answer): string {
  const text = formatBody(answer.body);
  const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`);
  if (!lines.some((line) => /^(?:content-length|transfer-encoding):/i.test(line)))
    lines.push(`Content-Length: ${Buffer.byteLength(text)}`);
  const start = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? 'Unknown'}`;
  return [start, ...lines, 'Connection: close', '', text].join('\r\n');
}

/** The text of a body; the frames of a stream one after the other. */
export function formatBody(body: Answer['body']): string {
  if (body === undefined) return '';
  if (isFrames(body)) return body.map(formatFrame).join('');
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** The text of one frame of a stream, the blank line after it included. */
export function formatFrame(frame: Frame): string {
  if ('comment' in frame) return `: ${frame.comment}\n\n`;
  return `data: ${typeof frame.data === 'string' ? frame.data : JSON.stringify(frame.data)}\n\n`;
}

const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers a malformed HTTP request with the envelope (§2.4); Node itself would send no body. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = STATUSES[error.code ?? ''] ?? 400;
  const body = { error: { code, message: 'The request is malformed' } };
  socket.end(formatAnswer({ status: code, headers: { 'Content-Type': JSON_MEDIA_TYPE }, body }));
}

/** The answer to a refused call: status, envelope, and the headers of a platform limit. */
export function refuse(call: Call, refusal: Refusal): Answer {
  const { behaviour, server } = call;
  const platform = refusal.platform && behaviour.platformHeaders(refusal.platform, server.now());
  return {
    status: refusal.status,
    headers: { 'Content-Type': behaviour.errorMediaType, ...refusal.headers, ...platform },
    body: behaviour.envelope(call, refusal),
  };
}

export function answerJson(body: JsonObject): Answer {
  return { status: 200, headers: { 'Content-Type': JSON_MEDIA_TYPE }, body };
}

/** An event stream of these frames. */
export function answerStream(body: NonNullable<Answer['body']>): Answer {
  return { status: 200, headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' }, body };
}

/** The envelope of a refusal (§2.4); optional members are present only if set. */
export function envelope(call: Call, refusal: Refusal): JsonObject {
  const error: JsonObject = { code: refusal.status, message: refusal.message };
  if (refusal.metadata !== undefined) error.metadata = refusal.metadata;
  if (refusal.status >= 500) return { error, service_metadata: null, user_id: null };
  return call.key === undefined ? { error } : { error, user_id: `user_${call.key.world.workspaceId}` };
}

/** The headers of a platform limit's 429 (§7.4). `now` and the reset are in milliseconds since 1970. */
export function platformHeaders({ limit, freesInMs }: PlatformLimit, now: number): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(now + freesInMs),
  };
}
