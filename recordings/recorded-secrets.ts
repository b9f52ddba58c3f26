import { isObject, tryParseJson } from '../spec/json.js';
import { type Exchange, header, type RawHeaders, type SentRequest } from '../targets/exchange.js';
import { isShownHeader, type Redactor } from '../targets/redaction.js';
import type { RecordedExchange } from './recorded-exchange.js';

/** Replaces the keys of a recording in reports. */
const observedKey = '$PLUMBLINE_KEY_OBSERVED';
const removed = '<redacted>';

const keyHeader = /^(?:proxy-)?authorization$/i;
const secretHeader =
  /^(?:cookie|set-cookie|(?:x-)?api-?key|x-amz-security-token)$|^(?!x-ratelimit-).*(?:secret|password|token|api-?key|credential|session)/i;
// The document has no query parameters, so that longer values may be secrets.
const parameter = /([?&][^=&#]*=)([^&#]*)/g;
const secretParameter = /(?:key|token|secret|password|signature|session)[^=&#]*=$/i;
const userInfo = /^([a-z]+:\/\/)([^/?#]*)@/i;

// Values of members whose names say that they are secret, and texts that look like keys.
const secretMember =
  /(?:password|passwd|passphrase|secret|token|api[-_]?key|access[-_]?key|credential|signature)[\\"']*\s*[:=]\s*[\\"']*([^\s\\"'&,;<>{}[\]]+)/gi;
// Members of a stored record that say which one it is.
const nameMember =
  /^(?:.*[_-])?(?:id|name|scope|type|kind|intern|workspace|description|label|created|updated|at)$/i;
const keyShape = /\b(?:sk|pk|rk)[-_][\w-]{12,}/g;

// The number of secrets that are remembered, since any later exchange may repeat them.
const keysKept = 50_000;
// Shorter values could appear in texts by chance.
const shortestKey = 8;
const shortestParameter = 6;
const shortestCookie = 12;

/** Returns the key of a request: the second word of its Authorization header. */
export function findKey(headers: RawHeaders): string | undefined {
  const value = header({ headers }, 'authorization');
  const [first, second] = value?.trim().split(/\s+/) ?? [];
  return second ?? first;
}

/** Whether a key has been masked, so that equal masks may stand for different keys. */
export function isMasked(key: string): boolean {
  return key.length < 12 || !/\d/.test(key) || new Set(key).size < 6 || hasMask(key) || /[$%]/.test(key);
}

/** Whether a text holds what recorders write in place of a value, or a router's name of a parameter. */
export function hasMask(text: string): boolean {
  return /redact|remov|hidden|mask|filter|placeholder|sanitiz|[*•…<>[\]{}]|\.\.\.|x{4}|^:|%(?:2a|3[ce]|5[bd]|7[bd])/i.test(
    text,
  );
}

/** Keeps the secrets of a recording out of reports. */
export class RecordedSecrets {
  readonly #kept = new Set<string>();

  constructor(private readonly redactor: Redactor) {}

  /** Registers the secrets of an exchange, so that they are redacted wherever they are repeated. */
  note({ request, answer }: RecordedExchange): void {
    const isPublic = (value: string): boolean =>
      request.url.replace(/[?#].*$/, '').includes(value) ||
      request.headers.some(([name, other]) => isShownHeader(name) && other === value);
    for (const [name, value] of request.headers) {
      if (keyHeader.test(name)) this.#noteAuthorization(value);
      else if (/^cookie$/i.test(name)) this.#noteCookies(value);
      else if (!isShownHeader(name) && value.length >= shortestKey && !isPublic(value)) this.#keep(value);
    }
    for (const [name, value] of answer?.headers ?? []) {
      if (/^set-cookie$/i.test(name)) this.#noteCookies(value);
      else if (secretHeader.test(name) && value.length >= shortestKey) this.#keep(value);
      else if (/^(?:content-)?location$/i.test(name)) this.#noteUrl(value);
    }
    this.#noteUrl(request.url);
    this.#noteStored(request);
    for (const body of [request.body, answer?.text]) if (body !== undefined) this.#noteBody(body);
  }

  #noteUrl(url: string): void {
    const [, , password = ''] = userInfo.exec(url) ?? [];
    if (password.length >= shortestKey) this.#keep(password.slice(password.indexOf(':') + 1));
    for (const [, , value = ''] of url.matchAll(parameter))
      if (value.length >= shortestKey) this.#keep(value);
  }

  /** Registers the values that a request stores as secrets, without the members that say which secret it is. */
  #noteStored({ method, url, body = '' }: SentRequest): void {
    const [path = ''] = url.split(/[?#]/);
    if (!/^(?:put|post|patch)$/i.test(method) || !/\/secrets?(?:\/|$)/i.test(path)) return;
    const sent = tryParseJson(body);
    const members = isObject(sent) ? sent : { '': sent ?? body };
    const values = Object.entries(members).flatMap(([name, value]) => (nameMember.test(name) ? [] : [value]));
    for (const text of values)
      if (typeof text === 'string' && text.length >= shortestParameter && !path.includes(text))
        this.#keep(text);
  }

  /** Registers values that a body names as a password or a token, and texts that begin like a key. */
  #noteBody(body: string): void {
    for (const [found] of body.matchAll(keyShape)) this.#keep(found);
    // Numbers are counts, such as `max_tokens`.
    for (const [, value = ''] of body.matchAll(secretMember))
      if (value.length >= shortestParameter && !/^(?:[\d.]+|true|false|null|\$PLUMBLINE_\w+)$/.test(value))
        this.#keep(value);
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
    this.redactor.register(secret, observedKey);
    const [oldest] = this.#kept.size > keysKept ? this.#kept : [];
    if (oldest === undefined) return;
    this.#kept.delete(oldest);
    this.redactor.forget(oldest);
  }
}

/** Removes what may be secret from the headers and the URL of an exchange. */
export function redactRecorded(exchange: Exchange): Exchange {
  const { request, answer } = exchange;
  return {
    ...exchange,
    request: {
      ...request,
      url: redactUrl(request.url),
      headers: request.headers.map((field) => redactField(field, (name) => !isShownHeader(name))),
    },
    answer: answer && {
      ...answer,
      headers: answer.headers.map(([name, value]) =>
        redactField([name, redactUrl(value)], (one) => secretHeader.test(one)),
      ),
    },
  };
}

function redactUrl(url: string): string {
  return url.replace(userInfo, '$1').replace(parameter, (written, name: string, value: string) => {
    return value.length >= shortestParameter || secretParameter.test(name) ? `${name}${removed}` : written;
  });
}

function redactField(
  [name, value]: readonly [string, string],
  isSecret: (name: string) => boolean,
): readonly [string, string] {
  if (keyHeader.test(name)) {
    if (/\$PLUMBLINE_KEY_[A-Z_]+/.test(value)) return [name, value];
    const [scheme = '', ...rest] = value.trim().split(/\s+/);
    return [
      name,
      rest.length > 0 && /^[a-z]{3,12}$/i.test(scheme) ? `${scheme} ${observedKey}` : observedKey,
    ];
  }
  return isSecret(name) ? [name, removed] : [name, value];
}
