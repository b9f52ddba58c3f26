import type { RawHeaders } from '../exchange.js';
import type { ObservedHeaders, ObservedLine } from './narrowed.js';
import { base64Body, type RecordedBody, textBody } from './recorded-body.js';
import type { Place, RecordedExchange } from './recorded-exchange.js';
import { durationIn, hasNoBody, instantIn, withoutPseudo } from './recorded-parts.js';

/** A line of recorded traffic as an exchange. */
export function fromLine(line: ObservedLine, place: Place): RecordedExchange {
  const { request, response } = line;
  const startedAt = instantIn(line.at);
  const durationMs = durationIn(line.duration_ms);
  const isAnswered = response !== undefined && response !== null && response.status >= 100;
  const body = isAnswered ? bodyOf(request.method, response) : undefined;
  return {
    place,
    request: {
      method: request.method,
      url: request.url,
      headers: pairs(request.headers),
      ...(typeof request.body === 'string' ? { body: request.body } : {}),
    },
    ...(isAnswered
      ? {
          answer: {
            status: response.status,
            headers: pairs(response.headers),
            text: body?.text ?? '',
            truncated: body?.truncated === true || response.truncated === true,
          },
        }
      : {}),
    isLive: response?.status !== 101,
    missing: { body: isAnswered && body === undefined, headers: response?.headers === undefined },
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}

/** The body of a response; undefined where there was one that is not in the recording. */
function bodyOf(method: string, response: NonNullable<ObservedLine['response']>): RecordedBody | undefined {
  const { body, body_base64: base64, headers, status } = response;
  if (typeof base64 === 'string') {
    const coding = pairs(headers).find(([name]) => name.toLowerCase() === 'content-encoding')?.[1];
    return base64Body(base64, coding);
  }
  if (typeof body === 'string') return textBody(body);
  return hasNoBody(method, status) ? { text: '', truncated: false } : undefined;
}

function pairs(headers: ObservedHeaders = []): RawHeaders {
  const isList = (given: ObservedHeaders): given is readonly (readonly [string, string])[] =>
    Array.isArray(given);
  if (isList(headers)) return withoutPseudo(headers);
  return withoutPseudo(
    Object.entries(headers).flatMap(([name, values]) =>
      (typeof values === 'string' ? [values] : values).map((value) => [name, value] as const),
    ),
  );
}
