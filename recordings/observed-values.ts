import { tryParseJson } from '../spec/json.js';
import { isUuid } from '../spec/vocabulary.js';
import { type Answer, isSuccessStatus, type SentRequest } from '../targets/exchange.js';
import { KnownValues, type Leak, storedValue } from '../targets/leak-detection.js';
import { Redactor } from '../targets/redaction.js';
import type { RecordedExchange } from './recorded-exchange.js';
import { findKey, isMasked } from './recorded-secrets.js';

// Bounds the memory for long recordings.
const storedKept = 1_000;

/**
 * The values that no answer may contain: those that the user names, those that recorded requests stored and, in recordings of
 * this suite, their placeholder.
 */
export class ObservedValues extends KnownValues {
  readonly #stored = new Set<string>();
  readonly #finder = new Redactor();
  /** What the request of the exchange says, if it stores nothing: a model may repeat it. */
  #said = '';
  #ownFile: string | undefined;
  #isOwn = false;

  constructor(
    named: readonly string[],
    private readonly redactor: Redactor,
  ) {
    super(named);
    this.registerIn(redactor);
  }

  /** Records what an exchange stored, and whether it is of this suite's own recording: only there do keys have such names. */
  note({ place, request, answer }: RecordedExchange): void {
    if (findKey(request.headers)?.startsWith('$PLUMBLINE_KEY_') === true) this.#ownFile = place.file;
    this.#isOwn = this.#ownFile === place.file;
    const isStore = storesSecret(request);
    this.#said = isStore ? '' : [request.url, request.body, ...request.headers.flat()].join('\n');
    if (isStore && isSuccessStatus(answer?.status))
      for (const value of findStoredValues(request)) this.#add(value);
  }

  override get stored(): boolean {
    return this.#isOwn || this.#stored.size > 0 || super.stored;
  }

  override leak(answer: Answer): Leak | undefined {
    const leak = super.leak(answer);
    if (leak !== undefined || !this.#isOwn) return leak;
    if (answer.headers.some(([, value]) => value.includes(storedValue))) return 'header';
    return answer.text.includes(storedValue) ? 'body' : undefined;
  }

  protected override isIn(text: string): boolean {
    if (super.isIn(text)) return true;
    if (this.#stored.size === 0) return false;
    return this.#finder.secretsIn(text).some((value) => !this.#said.includes(value));
  }

  #add(value: string): void {
    this.#stored.add(value);
    for (const redactor of [this.#finder, this.redactor]) redactor.register(value, storedValue);
    const [oldest] = this.#stored.size > storedKept ? this.#stored : [];
    if (oldest === undefined) return;
    this.#stored.delete(oldest);
    this.#finder.forget(oldest);
  }
}

function storesSecret({ method, url }: SentRequest): boolean {
  const [path = ''] = url.split(/[?#]/);
  return /^(?:put|post|patch)$/i.test(method) && /\/vault\/(?:.*\/)?secrets?(?:\/|$)/i.test(path);
}

// The fields of a secret are not shown (§2.3), so only a member called value counts.
const inJson = /"(?:secret_?)?value"\s*:\s*"((?:[^"\\]|\\.){1,4000})"/gi;
const inForm = /(?<=^|&)(?:secret_?)?value=([^&]{1,4000})/gi;
// Addresses, times and numbers, which answers may contain for other reasons.
const isNoSecret = /^(?:https?:|\d{4}-\d\d-)|@|^[^a-z]*$|^[\w.-]+\.[a-z]{2,10}(?::\d+)?$/i;

/** Finds the values in a request that stores secrets: only such as no answer contains by chance. */
function findStoredValues({ url, body = '' }: SentRequest): readonly string[] {
  const values = [
    ...[...body.matchAll(inJson)].map(([, text]) => tryParseJson(`"${text}"`)),
    ...[...body.matchAll(inForm)].map(([, text]) => new URLSearchParams(`=${text}`).get('')),
  ];
  const others = [url, body.replace(inJson, '').replace(inForm, '')].join('\n');
  return values.filter(
    (value): value is string =>
      typeof value === 'string' &&
      !isMasked(value) &&
      !isUuid(value) &&
      !isNoSecret.test(value) &&
      !others.includes(value),
  );
}
