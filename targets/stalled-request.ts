import http from 'node:http';
import https from 'node:https';
import { BodyBytes } from './body-bytes.js';
import type { Outgoing, Received } from './client.js';
import { describeLostConnection } from './exchange.js';
import { answerOf } from './incoming.js';

/** A request whose body is announced and never arrives. */
export interface StalledRequest extends Outgoing {
  /** Milliseconds to wait for an answer. */
  readonly waitMs: number;
}

const announced = 64;

/** Sends the head of a request and one byte of its body, then nothing more. */
export function sendStalled(
  stalled: StalledRequest,
  signal: AbortSignal,
  tls: https.RequestOptions = {},
): Promise<Received> {
  const url = new URL(stalled.base);
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve) => {
    const outgoing = request({
      ...tls,
      // The path is not put through URL, which would tidy it up.
      ...{ protocol: url.protocol, hostname: url.hostname.replace(/^\[|\]$/g, ''), port: url.port },
      method: stalled.method,
      path: `${url.pathname.replace(/\/+$/, '')}${stalled.path}`,
      headers: { ...stalled.headers, 'Content-Type': 'application/json', 'Content-Length': announced },
      agent: false,
    });
    const end = (received: Received) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      outgoing.destroy();
      resolve(received);
    };
    const stop = () => end({ lost: 'the run was stopped' });
    const timer = setTimeout(
      () => end({ lost: `no answer within ${stalled.waitMs / 1000} s` }),
      stalled.waitMs,
    );
    signal.addEventListener('abort', stop, { once: true });
    outgoing.on('error', (error: NodeJS.ErrnoException) => end(describeLostConnection(error.code)));
    outgoing.on('response', (incoming) => {
      const body = new BodyBytes();
      incoming.on('data', (chunk: Buffer) => {
        body.add(chunk);
        if (body.isBeyond) incoming.destroy();
      });
      // The server may close the connection as soon as it has answered; what came by then is the answer.
      incoming.on('close', () => end({ answer: answerOf(incoming, body.bytes) }));
    });
    outgoing.write('{');
  });
}
