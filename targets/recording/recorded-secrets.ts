import type { Exchange, RawHeaders } from '../exchange.js';
import type { Redactor } from '../redaction.js';
import type { RecordedExchange } from './recorded-exchange.js';

/** What stands in reports in place of a key that a recording holds. */
const observedKey = '$PLUMBLINE_KEY_OBSERVED';
const removed = '<redacted>';

const keyHeader = /^(?:proxy-)?authorization$/i;
const secretHeader =
  /^(?:cookie|set-cookie|(?:x-)?api-?key|x-amz-security-token)$|^(?!x-ratelimit-).*(?:secret|password|token|api-?key|credential|session)/i;
const secretParameter = /([?&][^=&#]*(?:key|token|secret|password|signature|session)[^=&#]*=)[^&#]*/gi;

// A key may be repeated anywhere in a recording, before its first use too; more keys than these are those of a flood.
const keysKept = 50_000;
// Shorter ones are words that stand in texts by chance.
const shortestKey = 8;
const shortestCookie = 12;

/** The key of a request: the second word of its Authorization header. */
export function keyIn(headers: RawHeaders): string | undefined {
  const value = headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  const [first, second] = value?.trim().split(/\s+/) ?? [];
  return second ?? first;
}

/** Whether somebody has put something else in place of a key, so that two of them may be of different keys. */
export function isMasked(key: string): boolean {
  if (key.length < 12 || !/\d/.test(key) || new Set(key).size < 6) return true;
  return /redact|remov|hidden|mask|filter|placeholder|sanitiz|[*•…<>[\]{}$%]|\.\.\.|x{4}/i.test(key);
}

/** Keeps what a recording holds of secrets from being told. */
export class RecordedSecrets {
  readonly #redactor: Redactor;
  readonly #kept = new Set<string>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Takes note of the secrets that an exchange carries, so that they are found wherever they are repeated. */
  note({ request, answer }: RecordedExchange): void {
    for (const [name, value] of [...request.headers, ...(answer?.headers ?? [])]) {
      if (keyHeader.test(name)) this.#noteAuthorization(value);
      else if (/^(?:set-)?cookie$/i.test(name)) this.#noteCookies(value);
      else if (secretHeader.test(name) && value.length >= shortestKey) this.#keep(value);
    }
  }

  #noteAuthorization(value: string): void {
    for (const word of value.trim().split(/\s+/)) {
      if (word.length < shortestKey || word.startsWith('$PLUMBLINE_') || /^[<[*]/.test(word)) continue;
      this.#keep(word);
    }
    const password = /^basic\s+(\S+)$/i.exec(value.trim())?.[1];
    const [, ...rest] = password === undefined ? [] : Buffer.from(password, 'base64').toString().split(':');
    if (rest.join(':').length >= shortestKey) this.#keep(rest.join(':'));
  }

  #noteCookies(value: string): void {
    for (const part of value.split(';')) {
      const text = part.slice(part.indexOf('=') + 1).trim();
      if (part.includes('=') && text.length >= shortestCookie && !/^[A-Z][a-z]{2}, /.test(text))
        this.#keep(text);
    }
  }

  #keep(secret: string): void {
    if (this.#kept.delete(secret)) {
      this.#kept.add(secret);
      return;
    }
    this.#kept.add(secret);
    this.#redactor.register(secret, observedKey);
    const [oldest] = this.#kept.size > keysKept ? this.#kept : [];
    if (oldest === undefined) return;
    this.#kept.delete(oldest);
    this.#redactor.forget(oldest);
  }
}

/** An exchange whose headers and URL hold no secret any more, whatever their values look like. */
export function withoutSecrets(exchange: Exchange): Exchange {
  const { request, answer } = exchange;
  return {
    ...exchange,
    request: { ...request, url: withoutUrlSecrets(request.url), headers: request.headers.map(withoutSecret) },
    ...(answer === undefined ? {} : { answer: { ...answer, headers: answer.headers.map(withoutSecret) } }),
  };
}

function withoutUrlSecrets(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1').replace(secretParameter, `$1${removed}`);
}

function withoutSecret([name, value]: readonly [string, string]): readonly [string, string] {
  if (keyHeader.test(name)) {
    if (/\$PLUMBLINE_KEY_[A-Z_]+/.test(value)) return [name, value];
    const [scheme = '', ...rest] = value.trim().split(/\s+/);
    return [
      name,
      rest.length > 0 && /^[a-z]{3,12}$/i.test(scheme) ? `${scheme} ${observedKey}` : observedKey,
    ];
  }
  return secretHeader.test(name) ? [name, removed] : [name, value];
}
