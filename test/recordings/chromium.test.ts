import { expect, it } from 'vitest';
import { skipReason, startBrowser } from '../browser/browser.mjs';
import { idsWith } from '../report-rows.js';
import { serveReference } from '../servers.js';
import { startJudgingProxy } from './judging-proxy.js';
import { judgeRecording, writeRecording } from './recorded.js';

it('a recording by Chromium and its traffic through a proxy are judged alike', async ({ skip }) => {
  skip(skipReason !== undefined, skipReason);
  const reference = await serveReference();
  const proxy = await startJudgingProxy(reference.baseUrl);
  const browser = await startBrowser();
  const file = writeRecording('chromium.har', '');
  try {
    const context = await browser.newContext({ recordHar: { path: file, content: 'embed' } });
    const page = await context.newPage();
    const world = reference.openWorld('chromium');
    await page.goto(`${proxy.url}/key`);
    const statuses = await page.evaluate(askAll, {
      ...{ base: proxy.url, key: world.keys.member ?? '', management: world.keys.management ?? '' },
      ...{ intern: world.interns.own, guardrail: world.guardrail_id },
    });
    expect(statuses).toEqual([200, 404, 400, 200, 404, 200, 200]);
    await context.close();
    const { report, judge, failures } = await judgeRecording([file], { baseUrl: undefined });
    expect(failures).toEqual([]);
    expect(report.run.recording?.base_url).toBe(proxy.url);
    // The page itself, then what it asked for; the icon that browsers ask for is of no operation.
    expect(judge.counts).toMatchObject({ judged: 8, without_body: 0, undecided: 0, without_response: 0 });
    expect(proxy.judge.counts).toEqual({ ...judge.counts, elsewhere: 0 });
    expect([...proxy.failed]).toEqual([]);
    const passed = [
      'key-info.200.read',
      'guardrail-read.200.read',
      'envelope.json-object',
      'inference.routed',
    ];
    expect(idsWith(report, 'pass')).toEqual(expect.arrayContaining(passed));
    expect(JSON.stringify(report)).not.toContain(world.keys.member);
  } finally {
    await browser.close();
    await proxy.close();
  }
}, 20_000);

interface Asked {
  readonly base: string;
  readonly key: string;
  readonly management: string;
  readonly intern: string;
  readonly guardrail: string;
}

/** Runs inside the page: it may use nothing from outside. */
async function askAll({ base, key, management, intern, guardrail }: Asked): Promise<readonly number[]> {
  const send = async (path: string, by: string, more: RequestInit = {}): Promise<number> => {
    const headers = { Authorization: `Bearer ${by}`, 'Content-Type': 'application/json' };
    const response = await fetch(`${base}${path}`, { headers, ...more });
    await response.text();
    return response.status;
  };
  const infer = (stream: boolean) => ({
    method: 'POST',
    body: JSON.stringify({ model: 'acme/tiny:free', stream }),
  });
  const secret = (name: string) =>
    send(`/vault/interns/${intern}/secrets/${name}`, key, { method: 'DELETE' });
  return [
    await send('/key', key),
    await secret('never_stored'),
    await secret('No-Name'),
    await send(`/guardrails/${guardrail}`, management),
    await send(`/guardrails/${intern}`, management),
    await send('/chat/completions', key, infer(false)),
    await send('/chat/completions', key, infer(true)),
  ];
}
