import { Agent, type ClientRequest, request } from 'node:http';
import { answerText, PATIENCE_MS } from './answer-text.js';
import type { Sending } from './script.js';

/** The way to one server over plain node:http, one request after another on one kept connection. */
export class Connection {
  readonly #origin: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(origin: string) {
    this.#origin = new URL(origin);
  }

  /** Sends a request and gives the answer as text; what goes wrong is told as text too. */
  send(sending: Sending): Promise<string> {
    return this.#exchange(sending, this.#agent);
  }

  /** Sends a request on a connection of its own. */
  sendAlone(sending: Sending): Promise<string> {
    return this.#exchange(sending, new Agent({ maxSockets: 1 }));
  }

  close(): void {
    this.#agent.destroy();
  }

  #exchange({ method, target, headers, body }: Sending, agent: Agent): Promise<string> {
    return new Promise((resolve) => {
      const informational: number[] = [];
      const sent: ClientRequest = request(
        {
          host: this.#origin.hostname,
          port: this.#origin.port,
          agent,
          method,
          path: target,
          // For a DELETE node:http would send the body without telling its length.
          headers: {
            ...(body === undefined || 'Transfer-Encoding' in headers
              ? {}
              : { 'Content-Length': Buffer.byteLength(body) }),
            ...mutableLines(headers),
          },
          timeout: PATIENCE_MS,
        },
        (response) => {
          answerText(response, sent.reusedSocket).then(
            (text) => resolve([...informational.map((status) => `(first ${status})`), text].join('\n')),
            (error: unknown) => resolve(failureText(error)),
          );
        },
      );
      sent.on('information', ({ statusCode }) => informational.push(statusCode));
      sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
      sent.on('error', (error) => resolve(failureText(error)));
      sent.end(body);
    });
  }
}

function mutableLines(headers: Sending['headers']): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, lines]) => [name, typeof lines === 'string' ? lines : [...lines]]),
  );
}

function failureText(error: unknown): string {
  if (!(error instanceof Error)) return '(failed)';
  const code = 'code' in error ? String(error.code) : error.message;
  return `(failed: ${code})`;
}
