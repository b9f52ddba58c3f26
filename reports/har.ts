import type { Content, Entry, Har, Header, PostData, Request, Response } from 'har-format';
import type { KeptExchange, Traffic } from '../spec/journal.js';
import type { Report, ReportedExchange } from '../spec/report.js';
import { counted, numberText } from './amount-text.js';
import { harAddress } from './har-address.js';
import { inertJson } from './inert-json.js';

/**
 * What a run sent as HAR 1.2, in the order in which it was sent. A lost exchange has the status 0 and says why in
 * `_error`; an address that is no URI stands in `_url` as it was sent. Texts are those of the wire, secrets aside.
 */
export function harLog(report: Report, traffic: Traffic): string {
  const har: Har = {
    log: {
      version: '1.2',
      creator: { name: report.tool.name, version: report.tool.version },
      entries: traffic.exchanges.map(entryOf),
      comment: commentOf(report, traffic),
    },
  };
  return `${inertJson(har)}\n`;
}

function commentOf({ verdict, run }: Report, { sent, exchanges }: Traffic): string {
  const amounts = `${counted(sent, 'request')} sent, ${numberText(exchanges.length)} kept here`;
  return `${verdict}, seed ${run.seed}: ${amounts}. Secrets are replaced by their names.`;
}

function entryOf(exchange: KeptExchange): Entry {
  const { at, duration_ms, check, label, lost } = exchange;
  const comment = `${check ?? 'arranging or positive control'}: ${label}`;
  return {
    startedDateTime: at,
    time: duration_ms,
    request: requestOf(exchange.request),
    response: exchange.response === null ? lostResponse(lost) : responseOf(exchange.response),
    cache: {},
    // Only the whole is measured; these must add up to it.
    timings: { send: 0, wait: duration_ms, receive: 0 },
    comment: exchange.response === null ? `${comment}; lost: ${lost ?? 'no reason was given'}` : comment,
  };
}

const unknown = -1;
const httpVersion = 'HTTP/1.1';
// What HAR writes where no media type is known.
const unknownType = 'x-unknown';

type SentRequest = Request & { readonly _url?: string };

function requestOf({ method, url, headers, body }: ReportedExchange['request']): SentRequest {
  const address = harAddress(url);
  return {
    method,
    url: address.url,
    ...(address.sent === null ? {} : { _url: address.sent }),
    httpVersion,
    cookies: [],
    headers: headers.map(headerOf),
    queryString: [...address.query],
    ...(body === null ? {} : { postData: postDataOf(headers, body) }),
    headersSize: unknown,
    // A body may be cut, and its secrets are replaced.
    bodySize: body === null ? 0 : unknown,
  };
}

type Headers = ReportedExchange['request']['headers'];

function headerOf([name, value]: Headers[number]): Header {
  return { name, value };
}

function postDataOf(headers: Headers, text: string): PostData {
  return { mimeType: headerValue(headers, 'content-type') ?? unknownType, text };
}

function responseOf({
  status,
  reason_phrase: statusText = '',
  headers,
  trailers = [],
  body,
  truncated,
}: NonNullable<ReportedExchange['response']>): Response {
  return {
    status,
    statusText,
    httpVersion,
    cookies: [],
    // HAR has no place of their own for trailers.
    headers: [...headers, ...trailers].map(headerOf),
    content: contentOf(headers, body, truncated),
    redirectURL: headerValue(headers, 'location') ?? '',
    headersSize: unknown,
    bodySize: unknown,
  };
}

function contentOf(headers: Headers, text: string, truncated: boolean): Content {
  return {
    size: truncated ? unknown : Buffer.byteLength(text),
    mimeType: headerValue(headers, 'content-type') ?? unknownType,
    text,
    ...(truncated ? { comment: 'only the beginning is kept' } : {}),
  };
}

type LostResponse = Response & { readonly _error: string };

/** As browsers write what got no response. */
function lostResponse(lost: string | null): LostResponse {
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
    _error: lost ?? 'no reason was given',
  };
}

function headerValue(headers: Headers, name: string): string | undefined {
  return headers.find(([given]) => given.toLowerCase() === name)?.[1];
}
