import type { Report } from '../spec/report.js';

/** Names the server of the command itself wherever a report says what was judged. */
export const embeddedServer = 'the embedded reference server';

/** The server that was judged, in words: its base URL, or that it is the embedded one; undefined where never known. */
export function judgedServer({ base_url: url, embedded }: Report['target']): string | undefined {
  return embedded === true ? embeddedServer : (url ?? undefined);
}

/** What a verdict adds where the server of the command itself was judged: no release may go by it. */
export function onEmbedded({ embedded }: Report['target']): string {
  return embedded === true ? ` on ${embeddedServer}` : '';
}

/** What a report says where any certificate was accepted; undefined elsewhere. */
export function insecureNote({ insecure }: Report['target']): string | undefined {
  return insecure === true ? 'TLS certificates were not verified' : undefined;
}
