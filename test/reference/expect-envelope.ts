import { expect } from 'vitest';
import type { Reply } from './send.js';

/** Fails unless the reply is an error of this status in the envelope (§2.4); gives back `error`. */
export function expectEnvelope(reply: Reply, status: number): Record<string, unknown> {
  expect(reply.status, reply.text).toBe(status);
  expect(reply.headers['content-type']).toMatch(/^application\/(problem\+)?json/);
  const body = JSON.parse(reply.text) as { error: Record<string, unknown> };
  expect(body.error).toMatchObject({ code: status, message: expect.stringMatching(/./) });
  return body.error;
}
