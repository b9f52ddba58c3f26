import { expect, it } from 'vitest';
import type { Answer } from '../../targets/exchange.js';
import { nameByPage, ProxyDetector } from '../../targets/proxy-detection.js';
import { sampleAnswer } from '../judge/samples.js';

const answer = (status: number, headers: Readonly<Record<string, string>>) =>
  sampleAnswer({ status, headers: Object.entries(headers) });

const page = { 'Content-Type': 'text/html; charset=utf-8' };
const json = { 'Content-Type': 'application/json' };

function detectorAfter(own: Readonly<Record<string, string>> = {}): ProxyDetector {
  const proxies = new ProxyDetector();
  proxies.explainForeign(answer(200, { ...json, ...own }));
  return proxies;
}
const explain = (seen: Answer, own = {}) => detectorAfter(own).explainForeign(seen);

it.each([520, 522, 525, 530])('a status that only gateways send comes from a proxy: %i', (status) => {
  expect(explain(answer(status, json))).toContain(String(status));
});

it.each([
  ['Server', 'kong/3.4.2', 'server: kong/3.4.2'],
  ['Ocp-Apim-Trace-Location', 'x', 'ocp-apim-trace-location'],
])(
  'JSON of its own with a header that the service does not send comes from a proxy: %s',
  (name, value, shown) => {
    const own = { ...answer(404, { ...json, [name]: value }), text: '{"message":"no Route matched"}' };
    expect(explain(own)).toBe(`JSON of its own with status 404 and the header ${shown}`);
  },
);

it.each([
  ['Server', 'cloudflare'],
  ['Server', 'nginx/1.25'],
  ['Server', 'openresty/1.25.3.1'],
  ['CF-Ray', '8f2'],
  ['Via', '1.1 edge'],
])('a page with a header that the service does not send comes from a proxy: %s: %s', (name, value) => {
  expect(explain(answer(403, { ...page, [name]: value }), { Server: 'vault' })).toContain(name.toLowerCase());
});

const envelope = (...of: Parameters<typeof answer>) => ({ ...answer(...of), text: '{"error":{}}' });
const nginx = { Server: 'nginx/1.25', Via: '1.1 edge' };
it.each([
  ['a page with headers that the service also sends', answer(404, { ...page, ...nginx }), nginx],
  ['a page without further signs', answer(404, page), {}],
  ['JSON with headers that the service also sends', answer(502, { ...json, ...nginx }), nginx],
  ['an envelope with headers of a proxy', envelope(502, { ...json, Server: 'cloudflare' }), {}],
  ['an envelope whose media type is that of a page', envelope(401, { ...page, Server: 'nginx/1.22' }), {}],
  ['a success in JSON with headers of a proxy', answer(200, { ...json, Server: 'cloudflare' }), {}],
  ['JSON', answer(500, json), {}],
])('%s does not come from a proxy', (_what, seen, own) => {
  expect(explain(seen, own)).toBeUndefined();
});

const named = (headers: Readonly<Record<string, string>>, text: string, status = 502) =>
  new ProxyDetector().nameIntermediary({ ...answer(status, headers), text });

it.each([
  ['nginx', page, '<center>nginx/1.25.3</center>'],
  ['Cloudflare', page, '<title>x | 502: Bad gateway</title><span>Cloudflare</span>'],
  ['Envoy', { 'Content-Type': 'text/plain' }, 'upstream connect error or disconnect/reset before headers'],
  ['nginx', { ...page, Server: 'nginx/1.25' }, '<h1>Bad gateway</h1>'],
  ['AWS load balancer', { Server: 'awselb/2.0' }, ''],
  ['Varnish', { ...page, Via: '1.1 varnish' }, '<h1>Error</h1>'],
  ['HTTP.sys', { ...page, Server: 'Microsoft-HTTPAPI/2.0' }, '<h2>Bad Request - Invalid URL</h2>'],
  ['a proxy', { ...page, Via: '1.1 edge7' }, '<h1>Error</h1>'],
  ['Cloudflare', { ...json, 'CF-Ray': '8f2' }, '{"success":false}'],
  ['Kong', { ...json, Server: 'kong/3.4.2' }, '{"message":"no Route matched with those values"}'],
  ['AWS API Gateway', { ...json, 'x-amzn-ErrorType': 'ForbiddenException' }, '{"message":"Forbidden"}'],
])('the proxy is named as %s', (name, headers, text) => {
  expect(named(headers, text)).toBe(name);
});

it.each([
  ['nginx', '<html>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx</center>'],
  [
    'HAProxy',
    "<html><body><h1>408 Request Time-out</h1>\nYour browser didn't send a complete request in time.\n</body></html>\n",
  ],
  [
    'Apache',
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">\n<html><head>\n<title>404 Not Found</title>\n</head><body>\n<h1>Not Found</h1>\n',
  ],
  [
    'lighttpd',
    '<?xml version="1.0" encoding="iso-8859-1"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"\n  "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">\n<html xmlns="http://www.w3.org/1999/xhtml">\n <head>\n  <title>400 Bad Request</title>\n',
  ],
  [
    'Google front end',
    '<!DOCTYPE html>\n<html lang=en>\n  <meta charset=utf-8>\n  <title>Error 400 (Bad Request)!!1</title>\n',
  ],
  [
    'HTTP.sys',
    '<BODY><h2>Bad Request - Invalid URL</h2>\r\n<hr><p>HTTP Error 400. The request URL is invalid.</p>\r\n</BODY>',
  ],
  [undefined, '<html><body><h1>404 nothing here</h1></body></html>'],
  [
    undefined,
    '<!DOCTYPE html><html><head><title>Error</title></head><body><pre>Cannot DELETE</pre></body></html>',
  ],
  [undefined, '{"error":{"message":"<center>nginx</center>"}}'],
])('its own page names %s', (name, text) => {
  expect(nameByPage({ ...answer(404, page), text })).toBe(name);
});

it.each([
  ['the envelope of an error', { ...json, Server: 'nginx' }, '{"error":{"code":502,"message":"x"}}', 502],
  ['data', { ...json, Via: '1.1 edge7' }, '{"data":{}}', 200],
  ['a success without a body', { Server: 'nginx' }, '', 204],
  ['events', { 'Content-Type': 'text/event-stream', Server: 'nginx' }, 'data: 1', 200],
  ['a page that names nobody', page, '<h1>Bad gateway</h1>', 502],
])('no proxy is named for %s', (_what, headers, text, status) => {
  expect(named(headers, text, status)).toBeUndefined();
});

it('no proxy is named by a header that the service also sends', () => {
  const seen = { ...answer(404, { ...page, ...nginx }), text: 'no' };
  expect(detectorAfter(nginx).nameIntermediary(seen)).toBeUndefined();
});
