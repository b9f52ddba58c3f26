import { toUSVString } from 'node:util';
import type { Entry, Har, Header, Request, Response } from 'har-format';
import type { KeptExchange, Traffic } from '../spec/journal.js';
import type { Report, ReportedExchange } from '../spec/report.js';
import { decodePart } from '../spec/vocabulary.js';
import { renderJson } from './sanitize.js';
import { formatCount, formatNumber } from './wording.js';

/** Renders what a run sent as HAR 1.2; `_error` and `_url` hold what HAR has no member for. */
export function renderHar({ tool, verdict, run }: Report, { sent, exchanges }: Traffic): string {
  const amounts = `${formatCount(sent, 'request')} sent, ${formatNumber(exchanges.length)} kept here`;
  const har: Har = {
    log: {
      version: '1.2',
      creator: { name: tool.name, version: tool.version },
      entries: exchanges.map(buildEntry),
      comment: `${verdict}, seed ${run.seed}: ${amounts}. Secrets are replaced by their names.`,
    },
  };
  return `${renderJson(har)}\n`;
}

function buildEntry({ at, duration_ms, check, label, lost, request, response }: KeptExchange): Entry {
  const why = lost ?? 'no reason was given';
  const comment = `${check ?? 'setup or positive control'}: ${label}`;
  return {
    startedDateTime: at,
    time: duration_ms,
    request: buildRequest(request),
    response: response === null ? buildLostResponse(why) : buildResponse(response),
    cache: {},
    // Only the whole is measured; these must add up to it.
    timings: { send: 0, wait: duration_ms, receive: 0 },
    comment: response === null ? `${comment}; lost: ${why}` : comment,
  };
}

const unknown = -1;
const httpVersion = 'HTTP/1.1';
// What HAR writes where the media type is unknown.
const unknownType = 'x-unknown';

type Headers = ReportedExchange['request']['headers'];
type SentRequest = Request & { readonly _url?: string };

function buildRequest({ method, url: sent, headers, body }: ReportedExchange['request']): SentRequest {
  const url = toUri(sent);
  return {
    method,
    url,
    ...(url === sent ? {} : { _url: sent }),
    httpVersion,
    cookies: [],
    headers: headers.map(toHeader),
    queryString: parseQuery(sent),
    ...(body === null ? {} : { postData: { mimeType: findType(headers), text: body } }),
    headersSize: unknown,
    // A body may be cut, and its secrets are replaced.
    bodySize: body === null ? 0 : unknown,
  };
}

function buildResponse(received: NonNullable<ReportedExchange['response']>): Response {
  const { status, reason_phrase: statusText = '', headers, trailers = [], body, truncated } = received;
  return {
    status,
    statusText,
    httpVersion,
    cookies: [],
    // HAR has no member for trailers.
    headers: [...headers, ...trailers].map(toHeader),
    content: {
      size: truncated ? unknown : Buffer.byteLength(body),
      mimeType: findType(headers),
      text: body,
      ...(truncated ? { comment: 'only the beginning is kept' } : {}),
    },
    redirectURL: findHeader(headers, 'location') ?? '',
    headersSize: unknown,
    bodySize: unknown,
  };
}

/** Builds what browsers write for a request without a response. */
function buildLostResponse(why: string): Response & { readonly _error: string } {
  return {
    status: 0,
    statusText: '',
    httpVersion: '',
    cookies: [],
    headers: [],
    content: { size: 0, mimeType: unknownType },
    redirectURL: '',
    headersSize: unknown,
    bodySize: unknown,
    _error: why,
  };
}

function toHeader([name, value]: Headers[number]): Header {
  return { name, value };
}

function findType(headers: Headers): string {
  return findHeader(headers, 'content-type') ?? unknownType;
}

function findHeader(headers: Headers, name: string): string | undefined {
  return headers.find(([given]) => given.toLowerCase() === name)?.[1];
}

const address = /^(https?:\/\/(?:[\w.~!$&'()*+,;=:-]*@)?(?:\[[\da-f:.]+\]|[\w.-]*)(?::\d*)?)([/?].*)?$/is;
// RFC 3986: what neither a path nor a query may hold; a percent sign only before two hex digits.
const illegal = /%(?![\da-f]{2})|[^\w.~!$&'()*+,;=:@/?%-]/giu;

/** Returns a valid URI for an address: some requests are about malformed ones. */
function toUri(sent: string): string {
  const [, origin, path = ''] = address.exec(sent) ?? [];
  if (origin === undefined) return 'about:invalid';
  // A lone surrogate becomes the replacement character, as on the wire.
  return `${origin}${path.replace(illegal, (character) => encodeURIComponent(toUSVString(character)))}`;
}

function parseQuery(sent: string): Request['queryString'] {
  const at = sent.indexOf('?');
  const pairs = at < 0 ? [] : sent.slice(at + 1).split('&');
  return pairs
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...rest] = pair.split('=');
      const value = rest.join('=');
      // A malformed percent-encoding stays as it was sent.
      return { name: decodePart(name) ?? name, value: decodePart(value) ?? value };
    });
}
