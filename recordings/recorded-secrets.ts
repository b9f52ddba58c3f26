import { isObject, tryParseJson } from '../spec/json.js';
import { copyText, type Exchange, header, type RawHeaders, type SentRequest } from '../targets/exchange.js';
import { isShownHeader, looksLikeCredential, type Redactor } from '../targets/redaction.js';
import { shortestRun } from '../targets/secret-index.js';
import type { RecordedExchange } from './recorded-exchange.js';

/** Replaces the keys of a recording in reports. */
const observedKey = '$PLUMBLINE_KEY_OBSERVED';
const removed = '<redacted>';

const keyHeader = /^(?:proxy-)?authorization$/i;
const secretHeader =
  /^(?:cookie|set-cookie|(?:x-)?api-?key|x-amz-security-token)$|^(?!x-ratelimit-).*(?:secret|password|token|api-?key|credential|session)/i;
// The document has no query parameters, so that longer values may be secrets. A fragment may hold a token too.
const parameter = /([?&#][^=&#]*=)([^&#]*)/g;
const secretParameter = /(?:key|token|secret|password|signature|sig|session|code|jwt|auth)[^=&#]*=$/i;
const bareFragment = /#[^=&#\s"'<>]{6,}$/;
const userInfo = /^([a-z]+:\/\/)([^/?#]*)@/i;

// How a name ends whose value is secret. In the plural it is a count, such as `max_tokens`, or a list of secrets' names.
const secretWord =
  '(?:password|passwd|passphrase|secret|token|jwt|(?:api|access|private)[-_]?key|credential|signature|session(?:[-_]?id)?)';
const headerWord = '(?:authorization|cookie)';
const headerName = new RegExp(`${headerWord}$`, 'i');
const secretName = new RegExp(`(?:${secretWord}|${headerWord})$`, 'i');
const secretInText = new RegExp(
  `${secretWord}[\\\\"']*\\s*[:=]\\s*[\\\\"']*([^\\s\\\\"'&,;<>{}[\\]]+)`,
  'gi',
);
const headerInText = /(?:authorization|(cookie))[\\"']*\s*[:=]\s*[\\"']*([^\\"'<>{}[\]\r\n]+)/gi;
const keyShape = /\b(?:sk|pk|rk)[-_][\w-]{12,}/g;
// Most bodies have none of them, and need no further look.
const suspicious = new RegExp(`(?:${secretWord}|${headerWord})(?:[\\\\"']|\\s*[:=])|[spr]k[-_]`, 'i');
// Members of a stored record that say which one it is.
const nameMember =
  /^(?:.*[_-])?(?:id|name|scope|type|kind|intern|workspace|description|label|hosts?|status|version|created|updated|expires|at)$/i;

// The secrets that are remembered, since any later exchange may repeat them: the newest, up to this many and this long.
const keysKept = 50_000;
const charactersKept = 5_000_000;
// Shorter values could appear in texts by chance.
const shortestKey = 8;
const shortestInBody = 6;
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
  #characters = 0;

  constructor(private readonly redactor: Redactor) {}

  /**
   * Registers the secrets of an exchange, so that they are redacted wherever they are repeated.
   * @param isElsewhere whether it went elsewhere than to the target: then only what is named as a secret counts
   */
  note({ request, answer }: RecordedExchange, isElsewhere: boolean): void {
    const isPublic = (value: string): boolean =>
      request.url.replace(/[?#].*$/, '').includes(value) ||
      request.headers.some(([name, other]) => isShownHeader(name) && other === value);
    for (const [name, value] of request.headers) {
      if (keyHeader.test(name)) this.#noteAuthorization(value);
      else if (/^cookie$/i.test(name)) this.#noteCookies(value);
      else if (isElsewhere ? !secretHeader.test(name) : isShownHeader(name)) continue;
      else if (value.length >= shortestKey && !isPublic(value)) this.#keep(value);
    }
    for (const [name, value] of answer?.headers ?? []) {
      if (/^set-cookie$/i.test(name)) this.#noteCookies(value);
      else if (secretHeader.test(name) && value.length >= shortestKey) this.#keep(value);
      else if (/^(?:content-)?location$/i.test(name)) this.#noteUrl(value, isElsewhere);
    }
    this.#noteUrl(request.url, isElsewhere);
    this.#noteStored(request);
    for (const body of [request.body, answer?.text]) if (body !== undefined) this.#noteBody(body);
  }

  /** Registers what an entry that is no exchange names as a secret. */
  noteUnread(entry: unknown): void {
    if (typeof entry === 'string') this.#noteBody(entry);
    else this.#noteMembers(entry);
    if (!isObject(entry) || !isObject(entry.request)) return;
    const { method, url, body, postData } = entry.request;
    const sent = isObject(postData) ? postData.text : body;
    if (typeof url !== 'string') return;
    this.#noteUrl(url, true);
    if (typeof method === 'string' && typeof sent === 'string')
      this.#noteStored({ method, url, headers: [], body: sent });
  }

  #noteUrl(url: string, isElsewhere: boolean): void {
    const [, , password = ''] = userInfo.exec(url) ?? [];
    if (password.length >= shortestKey) this.#keep(password.slice(password.indexOf(':') + 1));
    for (const [, name = '', value = ''] of url.matchAll(parameter))
      if (value.length >= shortestKey && (!isElsewhere || secretParameter.test(name))) this.#keep(value);
  }

  /** Registers the values that a request stores as secrets, without the members that say which secret it is. */
  #noteStored({ method, url, body = '' }: SentRequest): void {
    const [path = ''] = url.split(/[?#]/);
    if (!/^(?:put|post|patch)$/i.test(method) || !/\/secrets?(?:\/|$)/i.test(path)) return;
    const json = tryParseJson(body);
    // A text may be a form.
    const sent = json ?? [
      body,
      ...[...new URLSearchParams(body)].map(([name, value]) => ({ [name]: value })),
    ];
    for (const { name, text } of listLeaves(sent, false))
      if (text.length >= shortestInBody && !isNameMember(name) && !path.includes(text)) this.#keep(text);
  }

  /** Registers values that a body names as a password or a token, and texts that begin like a key. */
  #noteBody(body: string): void {
    if (!suspicious.test(body)) return;
    const json = tryParseJson(body);
    if (json === undefined) this.#noteText(body);
    else this.#noteMembers(json);
  }

  #noteMembers(value: unknown): void {
    for (const { name, text, secretBy, isNested } of listLeaves(value, true)) {
      // Records within a secret have names and words such as `active`, which reports may have too.
      const isMetadata = isNested && (isNameMember(name) || /^[a-z]{1,15}$/i.test(text));
      if (secretBy === undefined) this.#noteText(text);
      else if (headerName.test(secretBy)) this.#noteHeader(text, /cookie$/i.test(secretBy));
      else if (text.length >= shortestInBody && !isMetadata) this.#keep(text);
    }
  }

  #noteText(text: string): void {
    if (!suspicious.test(text)) return;
    for (const [found] of text.matchAll(keyShape)) this.#keep(found);
    for (const [, value = ''] of text.matchAll(secretInText))
      if (value.length >= shortestInBody && !/^(?:\d*\.\d*|true|false|null)$/.test(value)) this.#keep(value);
    for (const [, cookie, value = ''] of text.matchAll(headerInText)) {
      // What follows the name in a sentence is another word.
      const [credential = ''] = /^(?:[a-z]+ )?\S+/i.exec(value) ?? [];
      if (cookie !== undefined) this.#noteCookies(value);
      else if (looksLikeCredential(credential)) this.#noteAuthorization(credential);
    }
  }

  #noteHeader(value: string, isCookie: boolean): void {
    if (isCookie && value.includes('=')) this.#noteCookies(value);
    else this.#noteAuthorization(value);
  }

  #noteAuthorization(value: string): void {
    for (const word of value.trim().split(/\s+/)) {
      if (word.length < shortestKey || /^[<[*]/.test(word)) continue;
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

  #keep(found: string): void {
    // One that was forgotten is registered again. Moving it to the end of a large set at each use would take 0.1 ms.
    if (this.#kept.has(found)) return;
    // Words of the ledger and names of keys must stay readable.
    const isWord = found.length < shortestRun && this.redactor.isPublic(found);
    if (isWord || found.startsWith('$PLUMBLINE_')) return;
    const copy = copyText(found);
    // A slice would keep its whole body in memory. Half a surrogate pair cannot be copied.
    const secret = copy === found ? copy : found;
    this.#kept.add(secret);
    this.#characters += secret.length;
    this.redactor.register(secret, observedKey);
    for (const oldest of this.#kept) {
      const isFull = this.#kept.size > keysKept || this.#characters > charactersKept;
      if (!isFull || oldest === secret) return;
      this.#kept.delete(oldest);
      this.#characters -= oldest.length;
      this.redactor.forget(oldest);
    }
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

interface Leaf {
  /** The name of the member that holds it, perhaps in a list. */
  readonly name: string;
  readonly text: string;
  /** The name that says that it is secret, its own or that of a member around it. */
  readonly secretBy: string | undefined;
  /** Whether it is a member of an object within that member. */
  readonly isNested: boolean;
}

/** Lists the texts and whole numbers within a value, at any depth, perhaps in texts of JSON too. */
function* listLeaves(value: unknown, isParsing: boolean): Generator<Leaf> {
  const open: (Omit<Leaf, 'text'> & { readonly value: unknown })[] = [
    { name: '', value, secretBy: undefined, isNested: false },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: found, secretBy, ...place } = next;
    const isJson = isParsing && typeof found === 'string' && /^\s*[[{]/.test(found);
    const inner = (isJson ? tryParseJson(found) : undefined) ?? found;
    if (typeof inner === 'string') yield { ...place, secretBy, text: inner };
    else if (Number.isInteger(inner)) yield { ...place, secretBy, text: String(inner) };
    else if (Array.isArray(inner) && !isPair(inner))
      for (const item of inner) open.push({ ...place, secretBy, value: item });
    else
      for (const [name, member] of listMembers(inner))
        open.push({
          ...{ name, value: member, isNested: secretBy !== undefined },
          secretBy: secretName.test(name) ? name : secretBy,
        });
  }
}

/** Lists the members of an object, and what a pair of a secret's name and its value stands for, such as a header field. */
function listMembers(value: unknown): readonly (readonly [string, unknown])[] {
  if (isPair(value)) return [value];
  if (!isObject(value)) return [];
  const pair = [value.name, value.value];
  return isPair(pair) ? [...Object.entries(value), pair] : Object.entries(value);
}

function isPair(value: unknown): value is readonly [string, unknown] {
  const [name] = Array.isArray(value) && value.length === 2 ? value : [];
  return typeof name === 'string' && secretName.test(name);
}

function isNameMember(name: string): boolean {
  return nameMember.test(name.replace(/(?<=[a-z])(?=[A-Z])/g, '_'));
}

function redactUrl(written: string): string {
  const url = written.replace(bareFragment, `#${removed}`);
  return url.replace(userInfo, '$1').replace(parameter, (written, name: string, value: string) => {
    return value.length >= shortestInBody || secretParameter.test(name) ? `${name}${removed}` : written;
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
