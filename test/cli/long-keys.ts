import { createHash } from 'node:crypto';
import { request as send } from 'node:http';
import { serveReference, startServer } from './servers.js';

/** A conforming server with a control and keys of a chosen length, whose answers can be rewritten. */
export interface LongKeys {
  readonly controlUrl: string;
  /** Every key that it handed out, in order. */
  readonly keys: readonly string[];
}

/** Rewrites an answer, given the keys used so far; returns `undefined` to keep it. */
export type Rewrite = (
  answer: { readonly status: number; readonly path: string; readonly count: number },
  keys: readonly string[],
) => { readonly headers?: Readonly<Record<string, string>>; readonly body: string } | undefined;

const shortLength = 51;

/** Starts a reference behind a server that lengthens its keys and rewrites its answers. */
export async function withLongKeys(length: number, rewrite: Rewrite): Promise<LongKeys> {
  const { controlUrl, baseUrl } = await serveReference();
  const keys: string[] = [];
  const used = new Set<string>();
  let count = 0;
  const lengthen = (key: string): string => {
    const made = `${key}${createHash('shake256', { outputLength: length }).update(key).digest('hex')}`.slice(
      0,
      length,
    );
    keys.push(made);
    return made;
  };
  const shorten = (text: string): string =>
    keys.reduce((left, key) => left.replaceAll(key, key.slice(0, shortLength)), text);
  const origin = await startServer((request, response) => {
    const { authorization, ...headers } = request.headers;
    for (const key of keys) if (authorization === `Bearer ${key}`) used.add(key);
    const forwarded = send(
      new URL(baseUrl).origin + (request.url ?? '/'),
      {
        method: request.method,
        headers: {
          ...headers,
          ...(authorization === undefined ? {} : { authorization: shorten(authorization) }),
        },
      },
      (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('end', () => {
          const { statusCode: status = 0 } = answer;
          const path = request.url ?? '/';
          const text = Buffer.concat(pieces).toString();
          const isControl = path.startsWith('/control');
          count += 1;
          const other = isControl ? undefined : rewrite({ status, path, count }, [...used]);
          const own = isControl
            ? text.replace(/sk-\w{48}/g, lengthen).replaceAll(baseUrl, `${origin}/v1`)
            : text;
          const { 'content-length': _, 'transfer-encoding': __, ...kept } = answer.headers;
          response.writeHead(status, { ...kept, ...other?.headers });
          response.end(other?.body ?? own);
        });
      },
    );
    request.pipe(forwarded);
  });
  return { controlUrl: controlUrl.replace(new URL(controlUrl).origin, origin), keys };
}
