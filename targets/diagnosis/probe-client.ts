import { isObject } from '../../spec/json.js';
import { codeOf } from '../../spec/thrown.js';
import { makePath, type Role, roles } from '../../spec/vocabulary.js';
import { makeInferenceBody } from '../capabilities.js';
import type { Received } from '../client.js';
import { describeLostConnection } from '../connection-errors.js';
import { type Answer, isJsonMediaType, isKeyInformation, json } from '../exchange.js';
import type { Profile } from '../profile/profile.js';
import type { Target } from '../target.js';

/** A finding about a profile. */
export interface ProfileFinding {
  /** A member of the profile, or a part of the target. */
  readonly what: string;
  /** `missing`: worth adding; `note`: worth knowing, such as what could not be tried. */
  readonly state: 'ok' | 'wrong' | 'missing' | 'note';
  /** What was found; it may contain raw texts of a server. */
  readonly text: string;
  /** What to do about it: a sentence without its full stop. */
  readonly todo?: string;
}

export function reportOk(what: string, text: string): ProfileFinding {
  return { what, state: 'ok', text };
}

export function reportWrong(what: string, text: string, todo: string): ProfileFinding {
  return { what, state: 'wrong', text, todo };
}

export function reportNote(what: string, text: string, todo?: string): ProfileFinding {
  return { what, state: 'note', text, ...(todo === undefined ? {} : { todo }) };
}

/** Writes a finding as a sentence: its subject, what was found, and what to do. */
export function describeFinding({ what, text, todo }: ProfileFinding): string {
  return `${what}: ${todo === undefined ? text : `${text}. ${todo}`}.`;
}

/** How a probe differs from a plain request without a key. */
interface ProbeOptions {
  readonly key?: string | undefined;
  /** The base URL; the target's own where absent. */
  readonly base?: string | undefined;
  /** The hostname to send as `Host`. */
  readonly host?: string | undefined;
}

/** Sends plain requests that find out what a target is. */
export class ProbeClient {
  constructor(
    readonly target: Target,
    private readonly signal: AbortSignal,
  ) {}

  /** Sends GET /key (§4.3). */
  readKey(options: ProbeOptions = {}): Promise<Received> {
    return this.#send('GET', makePath('key-info'), options);
  }

  /** Sends GET /guardrails/{id} (§4.2). */
  readGuardrail(id: string, key: string): Promise<Received> {
    return this.#send('GET', makePath('guardrail-read', id), { key });
  }

  /** Deletes a secret of an intern (§4.1); the target notes it, so that it does not clean up what is gone. */
  async deleteSecret(intern: string, name: string, options: ProbeOptions): Promise<Received> {
    const path = makePath('vault-delete', intern, name);
    const received = await this.#send('DELETE', path, options);
    const request = { method: 'DELETE', url: `${this.target.baseUrl}${path}`, headers: [] };
    const { answer } = received;
    this.target.noteExchange({ operation: 'vault-delete', reaches: 'operation', request, answer });
    return received;
  }

  /** Sends an inference request (§8); undefined where the target has no such model, or none may be sent. */
  async infer(options: ProbeOptions, model?: 'free' | 'paid'): Promise<Received | undefined> {
    const { inference } = this.target;
    const named =
      model === undefined ? (inference?.paid_model ?? inference?.free_model) : inference?.[`${model}_model`];
    if (inference === undefined || named === undefined || this.target.lacks('inference') !== undefined)
      return undefined;
    const body = makeInferenceBody(inference.body, named, false);
    return this.#send(inference.method, inference.path, options, body);
  }

  #send(method: string, path: string, { key, base, host }: ProbeOptions, body?: string): Promise<Received> {
    const { client, baseUrl, headers } = this.target;
    const outgoing = {
      method,
      base: base ?? baseUrl,
      path,
      headers: {
        ...headers,
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        ...(host === undefined ? {} : { Host: host }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    };
    return client.send(outgoing, this.signal).catch((error: unknown) => {
      this.signal.throwIfAborted();
      // A certificate authority that OpenSSL cannot read is refused before anything is sent.
      const code = codeOf(error);
      if (code === undefined) throw error;
      return describeLostConnection(code);
    });
  }
}

/** Sends the requests that examine a profile. */
export class ProfileProbes extends ProbeClient {
  /** The result of GET /key for each key of the profile, once they are read. */
  readings: ReadonlyMap<Role, Received> = new Map();

  constructor(
    target: Target,
    readonly profile: Profile,
    signal: AbortSignal,
  ) {
    super(target, signal);
  }

  async readKeys(): Promise<void> {
    const { keys } = this.profile;
    const given = roles.filter((role) => keys[role] !== undefined);
    const readings = given.map(async (role) => [role, await this.readKey({ key: keys[role] })] as const);
    this.readings = new Map(await Promise.all(readings));
  }
}

/** Whether an answer to GET /key is the service's own: Key information where it succeeded, the envelope of §2.4 elsewhere. */
export function isOfService(answer: Answer): boolean {
  const body = readJsonObject(answer);
  if (body === undefined) return false;
  return answer.status < 300 ? isKeyInformation(body.data) : isObject(body.error);
}

/** Reads a body that is a JSON object by its media type and its content; undefined for any other. */
export function readJsonObject(answer: Answer): Readonly<Record<string, unknown>> | undefined {
  const body = isJsonMediaType(answer) ? json(answer) : undefined;
  return isObject(body) ? body : undefined;
}
