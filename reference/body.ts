import type { IncomingMessage } from 'node:http';

/**
 * The body of a request: none, all of it, one that did not arrive in time, one that is longer than
 * the server keeps, or one whose client went away.
 */
export type Body =
  | { readonly state: 'none' }
  | { readonly state: 'complete'; readonly text: string }
  | { readonly state: 'stalled' }
  | { readonly state: 'too-long' }
  | { readonly state: 'gone' };

/** The body of a request that has none. */
export const NO_BODY: Body = { state: 'none' };

/** Whether the headers announce a body. */
function announcesBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
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
