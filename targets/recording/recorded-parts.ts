import type { RawHeaders } from '../exchange.js';

/** Header fields without those that HTTP/2 makes of the request line and the status. */
export function withoutPseudo(headers: RawHeaders): RawHeaders {
  return headers.filter(([name]) => !name.startsWith(':'));
}

/** An instant in milliseconds since the epoch; undefined where a value is none. */
export function instantIn(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const instant = Date.parse(value);
  // Beyond these years no ISO 8601 text of four digits can tell it again.
  return instant >= 0 && instant < 253_402_300_800_000 ? instant : undefined;
}

/** A duration in milliseconds; undefined where a value is none. */
export function durationIn(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}

/** Whether HTTP gives an answer no body. */
export function hasNoBody(method: string, status: number | undefined): boolean {
  return method.toUpperCase() === 'HEAD' || status === 204 || status === 205 || status === 304;
}
