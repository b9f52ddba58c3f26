import type { ArtifactContent, WebRequest, WebResponse } from 'sarif';
import type { ReportedExchange } from '../spec/report.js';
import { cutText } from './cut-text.js';
import { inertText } from './inert-text.js';

const bodyShown = 4_000;
const valueShown = 2_000;

/** The request of an exchange. */
export function webRequest({ request }: ReportedExchange): WebRequest {
  return {
    protocol: 'http',
    method: shown(request.method),
    target: shown(request.url),
    headers: headersOf(request.headers),
    ...(request.body === null ? {} : { body: bodyOf(request.body) }),
  };
}

/** What answered, or that nothing did and why. */
export function webResponse({ response, lost }: ReportedExchange): WebResponse {
  if (response === null)
    return { noResponseReceived: true, ...(lost === null ? {} : { properties: { lost: shown(lost) } }) };
  return {
    protocol: 'http',
    statusCode: response.status,
    ...(response.reason_phrase === undefined ? {} : { reasonPhrase: shown(response.reason_phrase) }),
    headers: headersOf([...response.headers, ...(response.trailers ?? [])]),
    body: bodyOf(response.body),
    ...(response.truncated ? { properties: { truncated: true } } : {}),
  };
}

/** SARIF gives a header one value; those of a repeated header are joined as HTTP joins them. */
function headersOf(headers: readonly (readonly [string, string])[]): Record<string, string> {
  const byName = new Map<string, string>();
  for (const [rawName, rawValue] of headers) {
    const name = shown(rawName);
    const value = shown(rawValue);
    const before = byName.get(name);
    byName.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(byName);
}

function bodyOf(body: string): ArtifactContent {
  return { text: cutText(body, bodyShown).split('\n').map(inertText).join('\n') };
}

function shown(text: string): string {
  return inertText(cutText(text, valueShown));
}
