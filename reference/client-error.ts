import type { Duplex } from 'node:stream';
import { JSON_MEDIA_TYPE } from './answer.js';
import { rawAnswer } from './transmit.js';

const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers what is no HTTP request with the envelope (§2.4), for Node itself would send no body. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = STATUSES[error.code ?? ''] ?? 400;
  const body = { error: { code, message: 'The request is malformed' } };
  socket.end(rawAnswer({ status: code, headers: { 'Content-Type': JSON_MEDIA_TYPE }, body }));
}
