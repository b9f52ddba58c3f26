import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import type { Sending, Worlds } from './script.js';

/** How long an answer may take before it counts as none, in milliseconds. */
const PATIENCE_MS = 1_500;

/** An answer as text: status line, header lines in order but `Date`, body, trailers. */
async function answerText(response: IncomingMessage, reused: boolean): Promise<string> {
  const parts: string[] = [];
  response.setEncoding('latin1');
  for await (const part of response) parts.push(String(part));
  return [
    `HTTP/${response.httpVersion} ${response.statusCode} ${response.statusMessage}`,
    ...headerLines(response.rawHeaders),
    '',
    parts.join(''),
    ...headerLines(response.rawTrailers),
    ...(response.complete ? [] : ['(cut short)']),
    reused ? '(on the kept connection)' : '(on a new connection)',
  ].join('\n');
}

function headerLines(raw: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]?.toLowerCase() !== 'date') lines.push(`${raw[at]}: ${raw[at + 1]}`);
  }
  return lines;
}

/** The way to one server over plain node:http, one request after another on one kept connection. */
export class Connection {
  readonly #origin: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(origin: string) {
    this.#origin = new URL(origin);
  }

  /** Sends a request and gives the answer as text; what goes wrong is told as text too. */
  send({ method, target, headers, body }: Sending): Promise<string> {
    return new Promise((resolve) => {
      const informational: number[] = [];
      const sent: ClientRequest = request(
        {
          host: this.#origin.hostname,
          port: this.#origin.port,
          agent: this.#agent,
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

  close(): void {
    this.#agent.destroy();
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

/** How long nothing must come before an answer counts as complete, in milliseconds. */
const QUIET_MS = 40;

/**
 * Writes bytes on a connection of its own and gives all that comes, with `(closed)` where the server ends it
 * and `(in pieces)` where it comes in more than one; listens until nothing has come for a while.
 */
export function rawText(origin: string, bytes: string, quietMs: number = QUIET_MS): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    const pieces: string[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    let silent = PATIENCE_MS;
    // After a pause of the whole process the timer fires before what has already arrived is read.
    const afterSilence = (seen: number): void => {
      if (seen === pieces.length) settle(seen === 0 ? '(no answer in time)' : '(open)');
      else socket.setTimeout(silent);
    };
    const settle = (ending: string): void => {
      socket.destroy();
      const text = pieces.join('').replace(/^Date: .*\r\n/gim, '');
      resolve(`${text}\n${pieces.length > 1 ? '(in pieces)' : ''}${ending}`);
    };
    socket.setEncoding('latin1');
    socket.setTimeout(silent, () => setImmediate(afterSilence, pieces.length));
    socket.on('data', (piece: string) => {
      pieces.push(piece);
      silent = quietMs;
      socket.setTimeout(silent);
    });
    socket.on('error', () => settle('(reset)'));
    socket.on('end', () => settle('(closed)'));
  });
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/**
 * Gives what differs from server to server (keys, ids, the port) the same names everywhere: what the
 * worlds tell is named by its place there, any other UUID by the order of its appearance.
 */
export class Renaming {
  readonly #names = new Map<string, string>();
  readonly #pattern: RegExp;
  #unknown = 0;

  constructor(origin: string, worlds: Worlds) {
    const { host } = new URL(origin);
    this.#names.set(host, '<host>');
    for (const [which, view] of Object.entries(worlds)) this.#learn(which, view);
    this.#pattern = new RegExp(`${host}|sk-[a-z0-9]+|(?:w-)?${UUID}`, 'gi');
  }

  /** The text with every such thing named. */
  rename(text: string): string {
    return text.replace(this.#pattern, (found) => this.#names.get(found) ?? this.#nameUnknown(found));
  }

  #learn(path: string, value: unknown): void {
    if (typeof value === 'string') {
      this.#names.set(value.toUpperCase(), `<${path} in upper case>`);
      this.#names.set(value.toLowerCase(), `<${path} in lower case>`);
      this.#names.set(value, `<${path}>`);
    } else if (typeof value === 'object' && value !== null) {
      for (const [member, inner] of Object.entries(value)) this.#learn(`${path}.${member}`, inner);
    }
  }

  #nameUnknown(found: string): string {
    // A key that is none of these worlds' is as random as no reference answers: it stays as it is.
    if (/^sk-/i.test(found)) return found;
    this.#unknown += 1;
    const name = `<uuid ${this.#unknown}>`;
    this.#names.set(found, name);
    return name;
  }
}
