import { describe, expect, it } from 'vitest';
import type { Answer } from '../../targets/exchange.js';
import { ProxyDetector } from '../../targets/proxy-detection.js';

function answer(status: number, headers: Readonly<Record<string, string>>): Answer {
  return { status, headers: Object.entries(headers), text: '', truncated: false };
}

const page = { 'Content-Type': 'text/html; charset=utf-8' };
const json = { 'Content-Type': 'application/json' };

describe('an answer in place of the service', () => {
  it.each([520, 522, 525, 530])('has a status that only gateways make: %i', (status) => {
    expect(new ProxyDetector().explainForeign(answer(status, json))).toContain(String(status));
  });

  it.each([
    ['Server', 'cloudflare'],
    ['Server', 'nginx/1.25'],
    ['CF-Ray', '8f2'],
    ['Via', '1.1 edge'],
  ])('is a page with a header that the service does not send: %s: %s', (name, value) => {
    const edge = new ProxyDetector();
    edge.explainForeign(answer(200, { ...json, Server: 'vault' }));
    expect(edge.explainForeign(answer(403, { ...page, [name]: value }))).toContain(name.toLowerCase());
  });

  it('is none where the service sends the same header with its own answers', () => {
    const edge = new ProxyDetector();
    edge.explainForeign(answer(404, { ...json, Server: 'nginx/1.25', Via: '1.1 edge' }));
    expect(
      edge.explainForeign(answer(404, { ...page, Server: 'nginx/1.25', Via: '1.1 edge' })),
    ).toBeUndefined();
  });

  it('is none where nothing but the page speaks for it, nor where it is JSON', () => {
    const edge = new ProxyDetector();
    expect(edge.explainForeign(answer(404, page))).toBeUndefined();
    expect(edge.explainForeign(answer(502, { ...json, Server: 'cloudflare' }))).toBeUndefined();
    expect(edge.explainForeign(answer(500, json))).toBeUndefined();
  });
});
