import type { Call } from '../behaviour.js';
import { gate, type Override } from '../mutation.js';

/** A refusal that no statement asks for: some calls that every gate lets pass get a status all the same. */
export function refusedReads(
  operation: 'guardrail-read' | 'key-read',
  status: number,
  when: (call: Call) => boolean,
): Override {
  return gate(operation, LAST_GATE[operation], (call, original) => {
    const refusal = original(call);
    if (refusal !== undefined) return refusal;
    return when(call) ? { status, message: 'This request is refused' } : undefined;
  });
}

const LAST_GATE = { 'guardrail-read': 'fault', 'key-read': 'key-enabled' } as const;

/** Whether a call has no `Authorization` header at all. */
export function isAnonymous({ headers }: Call): boolean {
  return headers.authorization === undefined;
}

/** Whether the path of a call has a query string, an empty one included. */
export function hasQuery({ path }: Call): boolean {
  return path.includes('?');
}

/** Whether the headers of a call announce a body; reads do not take it in. */
export function announcesBody({ headers }: Call): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
