import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { check } from '../../judge/check.js';
import { judgeReference } from './judge-reference.js';

it('serial checks run before all others, one at a time', async () => {
  const events: string[] = [];
  const makeCheck = (id: 'key-info.200.read' | `key-info.200.read/${string}`, serial: boolean) =>
    check(id, { control: 'key-info', ...(serial ? { serial } : {}) }, async ({ api }) => {
      events.push(`${id} begins`);
      await api.readKey().expectStatus(200);
      await sleep(20);
      events.push(`${id} ends`);
    });
  const [one, two] = ['key-info.200.read/one', 'key-info.200.read/two'] as const;
  const checks = [
    makeCheck('key-info.200.read', false),
    makeCheck('key-info.200.read/three', false),
    makeCheck(one, true),
    makeCheck(two, true),
  ];
  await judgeReference({ checks, only: ['key-info.200.read'], concurrency: 16 });
  // The first check of a requirement belongs to the opening.
  expect(events.slice(0, 2)).toEqual(['key-info.200.read begins', 'key-info.200.read ends']);
  expect(events.slice(2, 6)).toEqual([`${one} begins`, `${one} ends`, `${two} begins`, `${two} ends`]);
  expect(events.slice(6)).toEqual(['key-info.200.read/three begins', 'key-info.200.read/three ends']);
});
