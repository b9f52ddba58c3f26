import http from 'node:http';
import type { ServerOptions } from 'node:https';
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

/** Requests `/x` from an address with new agents. */
async function sendTo(
  base: string,
  tls: TlsOptions = {},
): Promise<Received & { readonly isProxied: boolean }> {
  const agents = await Agents.for([base], tls);
  const client = new Client({ concurrency: 2, timeoutMs: 2_000, agents });
  try {
    const received = await client.send({ method: 'GET', base, path: '/x', headers: {} });
    return { ...received, isProxied: agents.isProxied(base) };
  } finally {
    client.close();
  }
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
  const { answer, isProxied } = await sendTo(elsewhere);
  expect([answer?.text, isProxied]).toEqual([isUsed ? 'through the proxy' : undefined, isUsed]);
  expect(asked).toEqual(isUsed ? ['GET http://staging.example.test/v1/x'] : []);
});

it('a proxy is never used between a run and its own machine', async () => {
  const { url, asked } = await proxy();
  for (const variable of ['http_proxy', 'https_proxy', 'all_proxy']) vi.stubEnv(variable, url);
  const here = await startServer((_request, response) => response.end('directly'));
  for (const host of ['127.0.0.1', 'localhost']) {
    const { answer, isProxied } = await sendTo(here.replace('127.0.0.1', host));
    expect([answer?.text, isProxied]).toEqual(['directly', false]);
  }
  expect(asked).toEqual([]);
});

it('a proxy may serve some addresses of a run and not others', async () => {
  const { url, asked } = await proxy();
  vi.stubEnv('http_proxy', url);
  const here = await startServer((_request, response) => response.end('directly'));
  const agents = await Agents.for([here, elsewhere]);
  const client = new Client({ concurrency: 2, timeoutMs: 2_000, agents });
  const send = (base: string) => client.send({ method: 'GET', base, path: '/x', headers: {} });
  const texts = [await send(here), await send(elsewhere), await send(here)].map(({ answer }) => answer?.text);
  client.close();
  expect(texts).toEqual(['directly', 'through the proxy', 'directly']);
  expect(asked).toHaveLength(1);
});

describe('a target with an untrusted certificate', () => {
  let certificates: Certificates;
  beforeAll(() => {
    if (canMakeCertificates) certificates = makeCertificates();
  });
  beforeEach(({ skip }) => skip(!canMakeCertificates, 'no openssl'));
  const startTls = (options: ServerOptions = {}): Promise<string> =>
    startTlsServer({ key: certificates.key, cert: certificates.good, ...options }, (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      response.end(`securely, ${subject?.CN ?? 'to nobody known'}`);
    });

  it('a target receives the certificate of the client', async () => {
    const origin = await startTls({ requestCert: true, rejectUnauthorized: false });
    const { key, good } = certificates;
    const base = origin.replace('127.0.0.1', 'localhost');
    const { answer } = await sendTo(base, { ca: good, cert: good, key });
    expect(answer?.text).toBe('securely, test');
  });

  describe('a target behind a proxy', () => {
    // The certificate is for this name, so that only its authority decides.
    const base = 'https://other.test/v1';

    async function askThroughTunnel(tls: TlsOptions, options: ServerOptions = {}) {
      const { url, asked } = await proxy(await startTls({ cert: certificates.otherName, ...options }));
      vi.stubEnv('https_proxy', url);
      return { ...(await sendTo(base, tls)), asked };
    }

    it('a target with an untrusted certificate behind a proxy receives no request', async () => {
      const { answer, lost, asked } = await askThroughTunnel({});
      expect([answer, asked]).toEqual([undefined, ['CONNECT other.test:443']]);
      expect(lost).toMatch(/SELF_SIGNED|SIGNATURE|CERT/);
    });

    it('a target behind a proxy receives requests through a tunnel if its authority is trusted', async () => {
      const { answer, lost, isProxied } = await askThroughTunnel({ ca: certificates.otherName });
      expect([lost, answer?.text, isProxied]).toEqual([undefined, 'securely, to nobody known', true]);
    });

    it('a target behind a proxy receives the certificate of the client', async () => {
      const { key, good, otherName } = certificates;
      const { answer } = await askThroughTunnel(
        { ca: otherName, cert: good, key },
        { requestCert: true, rejectUnauthorized: false },
      );
      expect(answer?.text).toBe('securely, test');
    });
  });
});
