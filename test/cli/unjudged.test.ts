import { afterAll, describe, expect, it } from 'vitest';
import { ledger } from '../../spec/ledger.js';
import type { Ended } from './command-runner.js';
import { folder, plumbline, readReport, removeFolders } from './plumbline-process.js';
import { htmlForEverything, reference, server } from './servers.js';

afterAll(removeFolders);

// Nothing listens on port 1 of this machine.
const nowhere = 'http://127.0.0.1:1';

/** Runs against an unjudged target; returns the output and the only note of the report. */
async function runUnjudged(...flags: readonly string[]): Promise<Ended & { readonly note: string }> {
  const report = folder();
  const ended = await plumbline(['run', '--depth', 'quick', ...flags, '--report', report]);
  expect(ended.code, ended.stdout + ended.stderr).toBe(3);
  expect(ended.stdout).toMatch(/^unjudged: /);
  const { verdict, gate, run, totals, requirements } = readReport(report);
  expect([verdict, gate.exit_code, run.complete]).toEqual(['unjudged', 3, true]);
  expect(totals).toMatchObject({ pass: 0, fail: 0, inconclusive: 0 });
  expect(requirements).toHaveLength(ledger.length);
  const [note = '', ...others] = run.notes;
  expect(others).toEqual([]);
  for (const { status, reason } of requirements) {
    if (status === 'not-exercised') expect(reason).toBe(note);
    else expect(status).toBe('not-observable');
  }
  expect(ended.stdout.replaceAll('\n', ' ')).toContain(`unjudged: ${note}`);
  return { ...ended, note };
}

describe('unjudged targets', () => {
  it('a target URL where nothing listens ends with 3 and says why', async () => {
    const { note } = await runUnjudged('--target', `${nowhere}/v1`);
    expect(note).toContain(`${nowhere}/v1 cannot be reached`);
  });

  it('a control URL where nothing listens ends with 3 and says why', async () => {
    const { note } = await runUnjudged('--control', `${nowhere}/control`);
    expect(note).toContain(`${nowhere}/control`);
    expect(note).toContain('ECONNREFUSED');
  });

  it('a control URL with an unknown host name ends with 3 and says why', async () => {
    const { note } = await runUnjudged('--control', 'http://plumbline.invalid/control');
    expect(note).toContain('http://plumbline.invalid/control got no answer');
  });

  it('a target where nothing listens behind a working control ends with 3 and says why', async () => {
    const { controlUrl, worldCount } = await reference();
    const { note } = await runUnjudged('--target', `${nowhere}/v1`, '--control', controlUrl);
    expect(note).toContain('no positive control passed');
    expect(worldCount()).toBe(0);
  });

  it('a control that answers everything with HTML ends with 3 and says why', async () => {
    const origin = await server(htmlForEverything);
    const { note } = await runUnjudged('--control', `${origin}/control`);
    expect(note).toBe(
      `the control call GET ${origin}/control was answered with a body that is not valid JSON`,
    );
  });

  it('a target that answers everything with HTML behind a working control ends with 3 and says why', async () => {
    const { controlUrl, worldCount } = await reference();
    const { note } = await runUnjudged('--target', await server(htmlForEverything), '--control', controlUrl);
    expect(note).toContain('no positive control passed');
    expect(worldCount()).toBe(0);
  });

  it('a control that answers with unrelated JSON ends with 3 and says why', async () => {
    const origin = await server((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"hello":"world"}');
    });
    const { note } = await runUnjudged('--control', origin);
    expect(note).toMatch(/is not a control protocol: /);
  });

  it('a control that opens no worlds ends with 3 and says why', async () => {
    const { controlUrl } = await reference();
    const capabilities = await (await fetch(controlUrl)).text();
    const origin = await server((request, response) => {
      request.resume();
      response.writeHead(request.method === 'GET' ? 200 : 500, { 'Content-Type': 'application/json' });
      response.end(request.method === 'GET' ? capabilities : '{"error":"no"}');
    });
    const { note } = await runUnjudged('--control', origin);
    expect(note).toContain('/worlds was answered 500 instead of 201');
  });

  it('a control that never answers ends with 3 within the timeout of a request', async () => {
    const origin = await server(() => undefined);
    const { note, ms } = await runUnjudged('--control', origin, '--timeout', '0.3');
    expect(note).toContain('no answer within 0.3 s');
    expect(ms).toBeLessThan(4000);
  });
});
