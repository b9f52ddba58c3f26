import http from 'node:http';
import net from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Agents, type TlsOptions } from '../../targets/agents.js';
import { Client, type Received } from '../../targets/client.js';
import { type Certificates, canMakeCertificates, makeCertificates } from '../cli/certificates.js';
import { listenInTest, startServer, startTlsServer } from '../servers.js';

afterEach(() => vi.unstubAllEnvs());
beforeEach(() => {
  for (const name of ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy']) {
    vi.stubEnv(name, '');
    vi.stubEnv(name.toUpperCase(), '');
  }
});

/** A proxy that says what it was asked for; every tunnel leads to one server of this machine. */
async function proxy(tunnelTo = 'http://127.0.0.1:0') {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(200).end('through the proxy');
  });
  server.on('connect', (request, socket: net.Socket) => {
    asked.push(`CONNECT ${request.url}`);
    const tunnel = net.connect(Number(new URL(tunnelTo).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      tunnel.pipe(socket).pipe(tunnel);
    });
    for (const end of [tunnel, socket]) end.on('error', () => end.destroy());
  });
  return { url: await listenInTest(server), asked };
}

type Sent = Received & { readonly isProxied: boolean };

async function sendToAll(bases: readonly string[], tls: TlsOptions = {}): Promise<readonly Sent[]> {
  const agents = await Agents.for(bases, tls);
  const client = new Client({ concurrency: 2, timeoutMs: 2_000, agents });
  const sent: Sent[] = [];
  for (const base of bases) {
    const received = await client.send({ method: 'GET', base, path: '/x', headers: {} });
    sent.push({ ...received, isProxied: agents.isProxied(base) });
  }
  client.close();
  return sent;
}

const elsewhere = 'http://staging.example.test/v1';

it.each([
  ['http_proxy', '', true],
  ['HTTP_PROXY', '', true],
  ['all_proxy', '', true],
  ['https_proxy', '', false],
  ['http_proxy', '.example.test', false],
])('a proxy that %s names is used for http, unless no_proxy is "%s": %s', async (variable, none, isUsed) => {
  const { url, asked } = await proxy();
  vi.stubEnv(variable, url);
  vi.stubEnv('no_proxy', none);
  const [sent] = await sendToAll([elsewhere]);
  expect([sent?.answer?.text, sent?.isProxied]).toEqual([isUsed ? 'through the proxy' : undefined, isUsed]);
  expect(asked).toEqual(isUsed ? ['GET http://staging.example.test/v1/x'] : []);
});

it('a proxy is used for other addresses of a run, never between the run and its own machine', async () => {
  const { url, asked } = await proxy();
  for (const variable of ['http_proxy', 'https_proxy', 'all_proxy']) vi.stubEnv(variable, url);
  const here = await startServer((_request, response) => response.end('directly'));
  const sent = await sendToAll([here, elsewhere, here.replace('127.0.0.1', 'localhost')]);
  expect(sent.map(({ answer, isProxied }) => [answer?.text, isProxied])).toEqual([
    ['directly', false],
    ['through the proxy', true],
    ['directly', false],
  ]);
  expect(asked).toHaveLength(1);
});

describe('a target with a certificate', () => {
  let certificates: Certificates;
  beforeAll(() => {
    if (canMakeCertificates) certificates = makeCertificates();
  });
  beforeEach(({ skip }) => skip(!canMakeCertificates, 'no openssl'));
  const startTls = (cert: string): Promise<string> =>
    startTlsServer(
      { key: certificates.key, cert, requestCert: true, rejectUnauthorized: false },
      (request, response) => {
        const { subject } = (request.socket as TLSSocket).getPeerCertificate();
        response.end(`securely, ${subject?.CN ?? 'to nobody known'}`);
      },
    );

  it('a target receives the certificate of the client', async () => {
    const { key, good } = certificates;
    const base = (await startTls(good)).replace('127.0.0.1', 'localhost');
    const [sent] = await sendToAll([base], { ca: good, cert: good, key });
    expect(sent?.answer?.text).toBe('securely, test');
  });

  it('a target behind a proxy is asked through a tunnel, with the certificate of the client, only if its authority is trusted', async () => {
    const { key, good, otherName } = certificates;
    const { url, asked } = await proxy(await startTls(otherName));
    vi.stubEnv('https_proxy', url);
    // The certificate is for this name, so that only its authority decides.
    const bases = ['https://other.test/v1'];
    const [untrusted] = await sendToAll(bases);
    expect([untrusted?.answer, asked]).toEqual([undefined, ['CONNECT other.test:443']]);
    expect(untrusted?.lost).toMatch(/SELF_SIGNED|SIGNATURE|CERT/);
    const [trusted] = await sendToAll(bases, { ca: otherName });
    expect(trusted).toMatchObject({ answer: { text: 'securely, to nobody known' }, isProxied: true });
    const [known] = await sendToAll(bases, { ca: otherName, cert: good, key });
    expect(known?.answer?.text).toBe('securely, test');
  });
});
