import type { RawHeaders } from '../exchange.js';
import type { HarEntry, HarHeader } from './narrowed.js';
import { base64Body, type RecordedBody, textBody } from './recorded-body.js';
import type { Place, RecordedExchange } from './recorded-exchange.js';
import { durationIn, hasNoBody, instantIn, withoutPseudo } from './recorded-parts.js';

/** An element of `log.entries` as an exchange. */
export function fromHar(entry: HarEntry, place: Place): RecordedExchange {
  const { request, response } = entry;
  const startedAt = instantIn(entry.startedDateTime);
  const durationMs = durationIn(entry.time);
  const body = request.postData?.text ?? undefined;
  return {
    place,
    request: {
      method: request.method,
      url: request.url,
      headers: pairs(request.headers),
      ...(body === undefined ? {} : { body }),
    },
    ...answered(entry),
    isLive: isLive(entry),
    missing: {
      body: response !== undefined && response !== null && bodyOf(entry) === undefined,
      headers: (response?.headers ?? []).length === 0,
    },
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}

/** The answer; none where browsers write a response of status 0 (or -1), since none came. */
function answered(entry: HarEntry): Pick<RecordedExchange, 'answer'> {
  const { response } = entry;
  if (response === undefined || response === null || response.status < 100) return {};
  const { text, truncated } = bodyOf(entry) ?? { text: '', truncated: false };
  return { answer: { status: response.status, headers: answerHeaders(response), text, truncated } };
}

/** Some recorders keep the media type only where the content is described. */
function answerHeaders({ headers, content }: NonNullable<HarEntry['response']>): RawHeaders {
  const raw = pairs(headers);
  const type = content?.mimeType ?? '';
  const isTold = raw.some(([name]) => name.toLowerCase() === 'content-type');
  return isTold || raw.length > 0 || !type.includes('/') ? raw : [['Content-Type', type]];
}

/** The body of a response; undefined where there was one that is not in the recording. */
function bodyOf({ request, response }: HarEntry): RecordedBody | undefined {
  const content = response?.content ?? {};
  const { text, encoding, size } = content;
  if (typeof text === 'string' && text !== '') {
    if (encoding === undefined || encoding === null || encoding === '') return textBody(text);
    return encoding.toLowerCase() === 'base64' ? base64Body(text, codingOf(response?.headers)) : undefined;
  }
  const isEmpty = text === '' ? (size ?? 0) <= 0 : size === 0;
  return isEmpty || hasNoBody(request.method, response?.status) ? { text: '', truncated: false } : undefined;
}

function codingOf(headers: readonly HarHeader[] = []): string | undefined {
  return headers.find(({ name }) => name.toLowerCase() === 'content-encoding')?.value;
}

function pairs(headers: readonly HarHeader[] = []): RawHeaders {
  return withoutPseudo(headers.map(({ name, value }) => [name, value]));
}

function isLive(entry: HarEntry): boolean {
  const isCached = [entry._fromCache, entry._fromServiceWorker, entry._fetchedViaServiceWorker].some(Boolean);
  return !isCached && entry._resourceType !== 'websocket' && entry.response?.status !== 101;
}
