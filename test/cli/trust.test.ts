import { readFileSync } from 'node:fs';
import type { ServerOptions } from 'node:https';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { findRow, idsWith } from '../report-rows.js';
import { passOnTo, serveReference, startTlsServer } from '../servers.js';
import { startAlteredControl } from './altered-control.js';
import { type Certificates, canMakeCertificates, makeCertificates } from './certificates.js';
import { plumbline, runInto } from './plumbline-process.js';
import { profileFile } from './profile-deployment.js';

let made: Certificates;
beforeAll(() => {
  if (canMakeCertificates) made = makeCertificates();
});
beforeEach(({ skip }) => skip(!canMakeCertificates, 'no openssl'));

const pem = (name: string): string => join(made.folder, `${name}.pem`);

/** Starts a reference behind TLS; `target` names it for a run, with its control beside it. */
async function serveTls(cert: string, options: ServerOptions = {}) {
  const server = await serveReference();
  const passOn = passOnTo(new URL(server.baseUrl).origin);
  const origin = await startTlsServer({ key: made.key, cert, ...options }, passOn);
  return { origin, target: `--target ${origin}/v1 --control ${server.controlUrl} --depth quick` };
}

const regional = ['vault-delete.403.regional-host', 'vault-delete.403.regional-host-spelling'] as const;
const judgedRows = [...regional, 'vault-delete.204.deleted'].map((id) => `--only ${id}`).join(' ');

it.each(['target', 'control'])('an untrusted %s ends a run, and doctor, with 3 and advice', async (whose) => {
  const { origin, target } = await serveTls(made.good);
  const { code, words } = await runInto(whose === 'target' ? target : `--control ${origin}/control`);
  expect(code).toBe(3);
  expect(words).toContain('its certificate is self-signed');
  for (const way of ['tls.ca', '--cacert', 'NODE_EXTRA_CA_CERTS', '--insecure']) expect(words).toContain(way);
  const examined = await plumbline(`doctor ${origin}/v1`);
  const advice = 'its certificate is self-signed. Give that certificate (PEM) as tls.ca';
  expect([examined.code, examined.stdout]).toEqual([3, expect.stringContaining(advice)]);
});

const asking = { requestCert: true, rejectUnauthorized: true };
it.each([
  ['has an expired certificate', 'expired', () => made.expired, {}, 'its certificate has expired'],
  ['has one for another name', 'other', () => made.otherName, {}, 'its certificate is for another name'],
  ['asks for a certificate of the client', 'good', () => made.good, asking, 'tls.cert and tls.key'],
] as const)('a server that %s ends the run with 3, which says so', async (_, name, cert, options, why) => {
  const { target } = await serveTls(cert(), options);
  const { code, words } = await runInto(`${target} --cacert ${pem(name)}`);
  expect([code, words]).toEqual([3, expect.stringContaining(why)]);
});

it('run trusts a certificate that --cacert, tls.ca of a profile or NODE_EXTRA_CA_CERTS names', async () => {
  const { target, origin } = await serveTls(made.good);
  const run = `${target} --only key-info.200.read`;
  const profile = profileFile({ target: { base_url: `${origin}/v1` }, tls: { ca: pem('good') } });
  for (const flags of [`--cacert ${pem('good')}`, `--profile ${profile}`])
    expect((await runInto(`${run} ${flags}`)).code).toBe(0);
  expect((await runInto(run, { env: { NODE_EXTRA_CA_CERTS: pem('good') } })).code).toBe(0);
  expect((await plumbline(`doctor --profile ${profile}`)).code).toBe(0);
});

it('run accepts an untrusted certificate with --insecure, and every report says so', async () => {
  const { target } = await serveTls(made.good);
  const flags = `${target} --insecure ${judgedRows}`;
  const { code, words, directory, report } = await runInto(flags, { everyFormat: true });
  expect([code, report().target.insecure]).toEqual([0, true]);
  expect(idsWith(report(), 'pass')).toEqual(expect.arrayContaining([...regional]));
  const note = 'TLS certificates were not verified';
  expect(words).toContain(note);
  for (const file of ['report.html', 'summary.md'])
    expect(readFileSync(join(directory, file), 'utf8')).toContain(note);
});

it('a regional hostname with an untrusted certificate is not exercised and fails nothing', async () => {
  const { target } = await serveTls(made.good);
  const only = `${judgedRows} --only vault-delete.403.*`;
  const { code, report } = await runInto(`${target} --cacert ${pem('good')} ${only}`);
  const read = report();
  expect([idsWith(read, 'fail'), idsWith(read, 'inconclusive'), code]).toEqual([[], [], 4]);
  expect([read.run.notes, read.target.insecure]).toEqual([[], undefined]);
  const reason = /^needs a regional hostname .*its certificate is for another name.*--insecure/;
  const unexercised = { status: 'not-exercised', reason: expect.stringMatching(reason) };
  for (const id of regional) expect(findRow(read, id)).toMatchObject(unexercised);
  const passed = ['vault-delete.403.no-scope', 'vault-delete.403.keeps'];
  expect(idsWith(read, 'pass')).toEqual(expect.arrayContaining(passed));
});

it('a regional hostname that cannot be reached is not exercised', async () => {
  const { url } = await startAlteredControl(await serveReference(), {
    rewrite: ({ path }, body) => {
      if (path !== '') return body;
      const { regional_host: _, ...offered } = body as Readonly<Record<string, unknown>>;
      return { ...offered, regional_base_url: 'http://127.0.0.1:1/v1' };
    },
  });
  const { code, report } = await runInto(`--control ${url} --depth quick ${judgedRows}`);
  expect([idsWith(report(), 'fail'), idsWith(report(), 'inconclusive'), code]).toEqual([[], [], 4]);
  const reason = expect.stringContaining('ECONNREFUSED');
  expect(findRow(report(), regional[0])).toMatchObject({ status: 'not-exercised', reason });
});
