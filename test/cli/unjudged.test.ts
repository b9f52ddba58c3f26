import { expect, it } from 'vitest';
import { ledger } from '../../spec/ledger.js';
import { htmlForEverything, serveReference, startServer } from '../servers.js';
import { startAlteredControl } from './altered-control.js';
import { runInto, type Surroundings } from './plumbline-process.js';

// Nothing listens on port 1 of this machine.
const nowhere = 'http://127.0.0.1:1';

/** Runs against an unjudged target; returns the output and the only note of the report. */
async function runUnjudged(flags: string, surroundings?: Surroundings) {
  const run = await runInto(`--depth quick ${flags}`, surroundings);
  expect(run.code, run.words).toBe(3);
  const { verdict, gate, run: facts, totals, requirements } = run.report();
  expect([verdict, gate.exit_code, facts.complete]).toEqual(['unjudged', 3, true]);
  expect(totals).toMatchObject({ pass: 0, fail: 0, inconclusive: 0 });
  expect(requirements).toHaveLength(ledger.length);
  const [note = '', ...others] = facts.notes;
  expect(others).toEqual([]);
  for (const { status, reason } of requirements) {
    if (status === 'not-exercised') expect(reason).toBe(note);
    else expect(status).toBe('not-observable');
  }
  expect(run.words).toMatch(/^unjudged: /);
  expect(run.words).toContain(note);
  return { ...run, note };
}

async function startWithoutWorlds(): Promise<string> {
  const { url } = await startAlteredControl(await serveReference(), {
    answer: ({ method }) => (method === 'POST' ? { status: 500, body: { error: 'no' } } : undefined),
  });
  return url;
}

it.each<readonly [what: string, url: () => Promise<string>, note: string]>([
  [
    'with a port where nothing listens',
    async () => `${nowhere}/control`,
    '/control got no answer: connection lost (ECONNREFUSED): nothing listens there. Check the host and the port of the control URL, and that the service is up',
  ],
  ['with an unknown host name', async () => 'http://plumbline.invalid', 'plumbline.invalid got no answer'],
  [
    'with https:// where no TLS is spoken',
    async () => (await startServer(htmlForEverything)).replace('http:', 'https:'),
    'write http:// in the control URL if it is meant to be plain',
  ],
  ['that opens no worlds', startWithoutWorlds, '/worlds was answered 500 instead of 201'],
])('a control %s ends with 3 and says why', async (_what, url, note) => {
  expect((await runUnjudged(`--control ${await url()}`)).note).toContain(note);
});

it('a control behind a proxy that is down ends with 3 and names the proxy', async () => {
  const env = { HTTP_PROXY: nowhere, http_proxy: nowhere };
  const { note } = await runUnjudged('--control http://vault.example/control', { env });
  expect(note).toContain('on the way through the proxy that HTTP_PROXY');
});

it.each([
  ['where nothing listens', async () => `${nowhere}/v1`],
  ['that answers everything with HTML', () => startServer(htmlForEverything)],
])('a target %s behind a working control ends with 3 and says why', async (_what, target) => {
  const { controlUrl, worldCount } = await serveReference();
  const { note } = await runUnjudged(`--target ${await target()} --control ${controlUrl}`);
  expect(note).toMatch(/no positive control passed: the base URL: http:\S+ (?:cannot be|answers GET)/);
  expect(worldCount()).toBe(0);
});
