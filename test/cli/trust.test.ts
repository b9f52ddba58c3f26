import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Reference } from '../../reference/server.js';
import { endWithTest } from '../ended-with-test.js';
import { folder } from '../folders.js';
import { startAlteredControl } from './altered-control.js';
import { type Certificates, canMakeCertificates, makeCertificates } from './certificates.js';
import { idsWith, plumbline, readReport, type Surroundings, start } from './plumbline-process.js';
import { serveReference } from './servers.js';

let made: Certificates;
beforeAll(() => {
  if (canMakeCertificates) made = makeCertificates();
});
beforeEach(({ skip }) => skip(!canMakeCertificates, 'no openssl'));

/** Starts TLS in front of a reference server; returns the origin. */
async function startTls(
  { baseUrl }: Reference,
  certificate: string,
  options: https.ServerOptions = {},
): Promise<string> {
  const behind = new URL(baseUrl);
  const server = https.createServer({ key: made.key, cert: certificate, ...options }, (request, response) => {
    const { method = 'GET', url = '', headers } = request;
    const passed = http.request(
      { hostname: behind.hostname, port: behind.port, method, path: url, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endWithTest(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const regional = ['vault-delete.403.regional-host', 'vault-delete.403.regional-host-spelling'];
const judgedRows = [...regional, 'vault-delete.204.deleted'].flatMap((id) => ['--only', id]);

async function run(flags: readonly string[], { env = {}, everyFormat = false }: Surroundings = {}) {
  const directory = join(folder(), 'report');
  const depth = flags.includes('--depth') ? [] : ['--depth', 'quick'];
  const args = ['run', '--seed', '3', ...depth, '--report', directory, ...flags];
  const { code, stdout, stderr } = await plumbline(args, { env, everyFormat });
  return { code, text: `${stdout}${stderr}`.replace(/\s+/g, ' '), directory };
}

describe('untrusted certificates', () => {
  it.each([
    ['of the target', true],
    ['of the control', false],
  ])(
    'an untrusted certificate %s ends the run with 3, and the error says what to do',
    async (_whose, isTarget) => {
      const server = await serveReference();
      const origin = await startTls(server, made.good);
      const target = isTarget
        ? ['--target', `${origin}/v1`, '--control', server.controlUrl]
        : ['--control', `${origin}/control`];
      const { code, text } = await run(target);
      expect(code).toBe(3);
      expect(text).toContain('its certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)');
      for (const way of ['tls.ca', '--cacert', 'NODE_EXTRA_CA_CERTS', '--insecure'])
        expect(text).toContain(way);
    },
  );

  it.each([
    ['expired', () => made.expired, 'its certificate has expired'],
    ['for another name', () => made.otherName, 'its certificate is for another name'],
  ])(
    'a certificate that is %s ends the run with 3, and the error says so',
    async (name, certificate, why) => {
      const server = await serveReference();
      const origin = await startTls(server, certificate());
      const trusted = join(made.folder, name === 'expired' ? 'expired.pem' : 'other.pem');
      const { code, text } = await run([
        ...['--target', `${origin}/v1`, '--control', server.controlUrl, '--cacert', trusted],
      ]);
      expect([code, text]).toEqual([3, expect.stringContaining(why)]);
    },
  );

  it('run trusts a certificate that --cacert, tls.ca of a profile or NODE_EXTRA_CA_CERTS names', async () => {
    const server = await serveReference();
    const origin = await startTls(server, made.good);
    const target = [
      '--target',
      `${origin}/v1`,
      '--control',
      server.controlUrl,
      '--only',
      'key-info.200.read',
    ];
    const trusted = join(made.folder, 'good.pem');
    expect((await run([...target, '--cacert', trusted])).code).toBe(0);
    const profile = join(folder(), 'plumbline.yaml');
    writeFileSync(profile, `target: { base_url: "${origin}/v1" }\ntls: { ca: "${trusted}" }\n`);
    expect((await run([...target, '--profile', profile])).code).toBe(0);
    const { code } = await start(['run', ...target, '--report', folder()], {
      env: { NODE_EXTRA_CA_CERTS: trusted },
    }).ended;
    expect(code).toBe(0);
  });

  it('run accepts an untrusted certificate with --insecure, and every report says so', async () => {
    const server = await serveReference();
    const origin = await startTls(server, made.good);
    const { code, text, directory } = await run(
      ['--target', `${origin}/v1`, '--control', server.controlUrl, '--insecure', ...judgedRows],
      { everyFormat: true },
    );
    expect(code).toBe(0);
    const report = readReport(directory);
    expect(idsWith(report, 'pass')).toEqual(expect.arrayContaining(regional));
    expect(report.target.insecure).toBe(true);
    const note = 'TLS certificates were not verified';
    expect(text).toContain(note);
    for (const file of ['report.html', 'summary.md'])
      expect(readFileSync(join(directory, file), 'utf8')).toContain(note);
  });
});

it('a server that asks for a client certificate ends the run with 3, and the error says where to give one', async () => {
  const server = await serveReference();
  const asking = { requestCert: true, rejectUnauthorized: true };
  const origin = await startTls(server, made.good, asking);
  const { code, text } = await run([
    ...['--target', `${origin}/v1`, '--control', server.controlUrl],
    ...['--cacert', join(made.folder, 'good.pem')],
  ]);
  expect([code, text]).toEqual([3, expect.stringContaining('tls.cert and tls.key')]);
});

describe('a regional hostname', () => {
  it('a regional hostname with an untrusted certificate is not exercised and fails nothing', async () => {
    const server = await serveReference();
    const origin = await startTls(server, made.good);
    const { code, directory } = await run([
      ...['--target', `${origin}/v1`, '--control', server.controlUrl],
      ...['--cacert', join(made.folder, 'good.pem'), '--only', 'vault-delete.*'],
    ]);
    const report = readReport(directory);
    expect(report.run.notes).toEqual([]);
    expect([idsWith(report, 'fail'), idsWith(report, 'inconclusive'), code]).toEqual([[], [], 4]);
    for (const id of regional) {
      const row = report.requirements.find((one) => one.id === id);
      expect([id, row?.status, row?.reason]).toEqual([
        id,
        'not-exercised',
        expect.stringMatching(
          /^would take a regional hostname .*its certificate is for another name.*--insecure/,
        ),
      ]);
    }
    expect(idsWith(report, 'pass')).toEqual(
      expect.arrayContaining(['vault-delete.403.no-scope', 'vault-delete.403.keeps']),
    );
    expect(report.target.insecure).toBeUndefined();
  }, 60_000);

  it('a regional hostname of a profile with an untrusted certificate is not exercised', async () => {
    const server = await serveReference();
    const origin = await startTls(server, made.good);
    const world = server.openWorld('trust');
    const profile = join(folder(), 'plumbline.yaml');
    writeFileSync(
      profile,
      [
        `target: { base_url: "${origin}/v1", regional_host: eu.vault.test }`,
        `keys: { member: "\${TRUST_MEMBER}" }`,
        `interns: { own: ${world.interns.own} }`,
        `store: { http: { method: PUT, url: "${server.controlUrl}/worlds/${world.id}/secrets/{scope}/{name}", body: { value: "{value}" }, accept: [204] } }`,
        `tls: { ca: "${join(made.folder, 'good.pem')}" }`,
      ].join('\n'),
    );
    const flags = ['--profile', profile, ...judgedRows];
    const { directory } = await run(flags, { env: { TRUST_MEMBER: world.keys.member ?? '' } });
    const report = readReport(directory);
    expect([idsWith(report, 'fail'), idsWith(report, 'inconclusive')]).toEqual([[], []]);
    expect(idsWith(report, 'pass')).toEqual(['vault-delete.204.deleted']);
    expect(idsWith(report, 'not-exercised')).toEqual(expect.arrayContaining(regional));
  });

  it('a regional hostname that cannot be reached is not exercised', async () => {
    const { url } = await startAlteredControl(await serveReference(), {
      rewrite: ({ path }, body) => {
        if (path !== '') return body;
        const { regional_host: _, ...offered } = body as Readonly<Record<string, unknown>>;
        return { ...offered, regional_base_url: 'http://127.0.0.1:1/v1' };
      },
    });
    const { code, directory } = await run(['--control', url, ...judgedRows]);
    const report = readReport(directory);
    expect([idsWith(report, 'fail'), idsWith(report, 'inconclusive'), code]).toEqual([[], [], 4]);
    const row = report.requirements.find(({ id }) => id === regional[0]);
    expect([row?.status, row?.reason]).toEqual(['not-exercised', expect.stringContaining('ECONNREFUSED')]);
  });
});

describe('flags about trust', () => {
  it.each([
    ['--cacert and --insecure together', () => ['--cacert', join(made.folder, 'good.pem'), '--insecure']],
    ['a --cacert file that does not exist', () => ['--cacert', join(made.folder, 'missing.pem')]],
    ['a --cacert file without a certificate', () => ['--cacert', join(made.folder, 'key.pem')]],
  ])('run refuses %s as a usage error', async (_what, flags) => {
    const { code, text } = await run(['--target', 'http://127.0.0.1:1/v1', ...flags()]);
    expect([code, text]).toEqual([2, expect.stringMatching(/^plumbline: --cacert/)]);
  });
});
