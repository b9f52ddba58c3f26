import { expect, it } from 'vitest';
import { keptWhole, TrafficLog } from '../../judge/traffic-log.js';
import type { Exchange } from '../../targets/exchange.js';
import { key, knowing, sampleAnswer, sampleExchange } from './samples.js';

function exchange(body = '{}', headers: readonly (readonly [string, string])[] = []): Exchange {
  const asked = sampleExchange({ headers: [['Authorization', `Bearer ${key}`]] });
  return { ...asked, answer: sampleAnswer({ headers, text: body }) };
}

function openLog() {
  const lines: string[] = [];
  return { log: new TrafficLog(knowing(), (line) => lines.push(line)), lines };
}

it('the log keeps every exchange while there is room, redacted and with its check', () => {
  const { log, lines } = openLog();
  log.add(exchange(JSON.stringify({ told: key }), [['X-Echo', key]]), 'key-info.200.read');
  const [line = ''] = lines;
  expect(line).not.toContain(key);
  const name = '$PLUMBLINE_KEY_MEMBER';
  expect(JSON.parse(line)).toMatchObject({
    check: 'key-info.200.read',
    request: { headers: [['Authorization', `Bearer ${name}`]] },
    response: { headers: [['X-Echo', name]], body: `{"told":"${name}"}` },
  });
});

it('the log keeps a thinning sample once it is full', () => {
  const { log, lines } = openLog();
  const sent = 100_000;
  for (let count = 0; count < sent; count++) log.add(exchange(), 'key-info.200.read');
  expect(lines.length).toBeGreaterThan(keptWhole.exchanges + 200);
  expect(lines.length).toBeLessThan(keptWhole.exchanges + 1_500);
});

it('a few large bodies fill the log too', () => {
  const { log, lines } = openLog();
  const large = exchange('z'.repeat(100_000));
  for (let count = 0; count < 3_000; count++) log.add(large, 'key-info.200.read');
  expect(lines.length).toBeLessThan(1_300);
});

it('the log keeps the last exchanges of a failed attempt even when it is full, and none twice', () => {
  const { log, lines } = openLog();
  const all = Array.from({ length: keptWhole.exchanges + 2 }, () => exchange());
  for (const one of all) log.add(one, 'key-info.200.read');
  expect(lines).toHaveLength(keptWhole.exchanges);
  log.addFailed(all.slice(-3), 'key-info.200.read');
  expect(lines).toHaveLength(keptWhole.exchanges + 2);
  log.addFailed(all.slice(-3), 'key-info.200.read');
  expect(lines).toHaveLength(keptWhole.exchanges + 2);
});
