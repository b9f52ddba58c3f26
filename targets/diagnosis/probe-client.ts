import { codeOf } from '../../spec/thrown.js';
import type { Received } from '../client.js';
import { type Answer, describeLostConnection, isJsonMediaType, isObject, json } from '../exchange.js';
import type { Target } from '../target.js';

/** How a request differs from a plain one without a key. */
export interface AskOptions {
  readonly key?: string | undefined;
  /** Another base URL than the target's own. */
  readonly base?: string;
  /** The hostname to send as `Host`. */
  readonly host?: string;
}

/** Sends the doctor's requests, one kind each. */
export class Asker {
  readonly #target: Target;
  readonly #signal: AbortSignal;

  constructor(target: Target, signal: AbortSignal) {
    this.#target = target;
    this.#signal = signal;
  }

  /** GET /key (§4.3), with a key or without. */
  readKey(options: AskOptions = {}): Promise<Received> {
    return this.#ask('GET', '/key', options);
  }

  /** GET /guardrails/{id} (§4.2). */
  readGuardrail(id: string, key: string): Promise<Received> {
    return this.#ask('GET', `/guardrails/${id}`, { key });
  }

  /** DELETE of an intern's secret (§4.1); what is gone then needs no cleaning up. */
  async deleteSecret(intern: string, name: string, options: AskOptions): Promise<Received> {
    const path = `/vault/interns/${intern}/secrets/${name}`;
    const startedAt = Date.now();
    const start = performance.now();
    const received = await this.#ask('DELETE', path, options);
    this.#target.seen({
      operation: 'vault-delete',
      reaches: 'operation',
      label: 'DELETE by doctor',
      request: { method: 'DELETE', url: `${this.#target.baseUrl}${path}`, headers: [] },
      ...received,
      startedAt,
      durationMs: performance.now() - start,
    });
    return received;
  }

  async #ask(method: string, path: string, { key, base, host }: AskOptions): Promise<Received> {
    const { client, baseUrl, headers } = this.#target;
    const outgoing = {
      method,
      base: base ?? baseUrl,
      path,
      headers: {
        ...headers,
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        ...(host === undefined ? {} : { Host: host }),
      },
    };
    return client.send(outgoing, this.#signal).catch((error: unknown) => {
      this.#signal.throwIfAborted();
      // A file of `tls` that is no PEM is refused before anything is sent.
      const code = codeOf(error);
      if (code === undefined) throw error;
      return describeLostConnection(code);
    });
  }
}

/** What came of a request, in a word or two: `404`, `no answer within 10 s`. */
export function outcome({ answer, lost }: Received): string {
  return answer === undefined ? (lost ?? 'no answer') : String(answer.status);
}

/** Whether an answer is one of the service's own: a `data` member where it succeeded, the envelope of §2.4 elsewhere. */
export function isTheService(answer: Answer): boolean {
  const body = isJsonMediaType(answer) ? json(answer) : undefined;
  if (!isObject(body)) return false;
  return answer.status < 300 ? isObject(body.data) : isObject(body.error);
}

/** The members of an answer's `data`. */
export function dataIn(answer: Answer | undefined): Readonly<Record<string, unknown>> {
  const body = answer === undefined ? undefined : json(answer);
  return isObject(body) && isObject(body.data) ? body.data : {};
}

/**
 * How a finding stands: as it should be; wrong; not given, and worth giving; or something to know, such as what could
 * not be tried.
 */
export type State = 'ok' | 'wrong' | 'missing' | 'note';

/** One thing that the doctor found out about a profile. */
export interface Finding {
  /** What it is about: a member of the profile, or a part of the target. */
  readonly what: string;
  readonly state: State;
  /** What was found, in plain words; texts of a server may stand in it as they came. */
  readonly text: string;
  /** What to do about it: a sentence. */
  readonly todo?: string;
}

/** Puts a finding into words: what it is about, what was found, and what to do. */
export function describeFinding({ what, text, todo }: Finding): string {
  return `${what}: ${todo === undefined ? text : `${text}. ${todo}`}.`;
}
