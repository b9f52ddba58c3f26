import { createServer, request as httpRequest, type Server } from 'node:http';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { folder, plumbline, readReport, removeFolders } from './plumbline-process.js';
import { mutant, reference } from './servers.js';

afterAll(removeFolders);

const proxies: Server[] = [];
afterEach(() => {
  for (const proxy of proxies.splice(0)) {
    proxy.closeAllConnections();
    proxy.close();
  }
});

/** Starts a server in front of the control that counts its calls independently of the suite. */
async function countCalls(
  controlUrl: string,
): Promise<{ readonly url: string; readonly calls: () => number }> {
  let calls = 0;
  const proxy = createServer((incoming, outgoing) => {
    calls += 1;
    const target = new URL(`.${incoming.url ?? '/'}`, controlUrl);
    target.pathname = `/control${incoming.url === '/' ? '' : incoming.url}`;
    const { host: _host, ...headers } = incoming.headers;
    const sent = httpRequest(target, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(sent);
  });
  proxies.push(proxy);
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  if (typeof address !== 'object' || address === null) throw new Error('The proxy has no port.');
  return { url: `http://127.0.0.1:${address.port}`, calls: () => calls };
}

/** Runs against a reference that counts its requests, without those to its control. */
async function runCounted(flags: readonly string[]) {
  let asked = 0;
  const server = await reference({
    behaviour: {
      ...mutant('vault-delete.sibling-secret-through-own'),
      rewriteTarget: (target) => {
        asked += 1;
        return target;
      },
    },
  });
  const control = await countCalls(server.controlUrl);
  const directory = folder();
  const ended = await plumbline(['run', '--control', control.url, ...flags, '--report', directory]);
  return {
    ...ended,
    report: readReport(directory),
    sent: asked + control.calls(),
    worlds: server.worldCount(),
  };
}

describe('--max-requests', () => {
  it.each([1, 40, 300])('a run never exceeds --max-requests %i and gives back every world', async (most) => {
    const { sent, report, worlds, code } = await runCounted(['--max-requests', String(most)]);
    expect(sent).toBeLessThanOrEqual(most);
    // An aborted request is counted but may not have arrived.
    expect(report.run.requests).toBeGreaterThanOrEqual(sent);
    expect(report.run.requests).toBeLessThanOrEqual(most);
    expect(worlds).toBe(0);
    expect(report.run.complete).toBe(false);
    expect([1, 3, 4]).toContain(code);
    expect(report.gate.exit_code).toBe(code);
  });

  it('a run that reaches --max-requests reports the rest as inconclusive and says why', async () => {
    const { report, stdout } = await runCounted(
      '--max-requests 120 --only guardrail-read.* --only envelope.*'.split(' '),
    );
    const open = report.requirements.filter(({ status }) => status === 'inconclusive');
    expect(open.length).toBeGreaterThan(0);
    expect(open.every(({ reason }) => reason?.includes('the ceiling of 120 requests is reached'))).toBe(true);
    expect(stdout).toContain('the ceiling of 120 requests is reached');
  });
});

describe('--depth quick', () => {
  it('a run at depth quick sends at most 500 requests and finds a server that needs confirmation', async () => {
    const { sent, code, worlds } = await runCounted(['--depth', 'quick']);
    expect(sent).toBeLessThanOrEqual(500);
    expect(code).toBe(1);
    expect(worlds).toBe(0);
  });

  it('a run at depth quick sends more requests if more are asked for', async () => {
    const { sent } = await runCounted(['--depth', 'quick', '--cases', '30', '--max-requests', '700']);
    expect(sent).toBeGreaterThan(500);
  });
});
