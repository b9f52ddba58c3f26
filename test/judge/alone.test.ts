import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { check } from '../../judge/check.js';
import { Run } from '../../judge/run.js';
import { Selection } from '../../judge/selection.js';
import { overridden } from '../../reference/mutant.js';
import { mutants } from '../../reference/mutants.js';
import { type Reference, startReference } from '../../reference/server.js';
import { openTarget } from '../../targets/open-target.js';
import type { Target } from '../../targets/target.js';
import { ids, judged } from './judged.js';

let reference: Reference;
let target: Target;
afterEach(async () => {
  await target?.close();
  await reference?.close();
});

it('a check that is to be alone is judged before the others, and none beside it', async () => {
  reference = await startReference();
  target = await openTarget({ control: { url: reference.controlUrl }, concurrency: 16, timeoutMs: 5_000 });
  const course: string[] = [];
  const told = (id: 'key-info.200.read' | `key-info.200.read/${string}`, alone: boolean) =>
    check(id, { control: 'key-info', ...(alone ? { alone } : {}) }, async ({ api }) => {
      course.push(`${id} begins`);
      await api.readKey().answers(200);
      await sleep(20);
      course.push(`${id} ends`);
    });
  const [one, two] = ['key-info.200.read/one', 'key-info.200.read/two'] as const;
  const checks = [told('key-info.200.read', false), told(one, true), told(two, true)];
  const { signal } = new AbortController();
  const selection = new Selection({ only: ['key-info.200.read'], skip: [] });
  await new Run(target, { selection, concurrency: 16, signal }).judgeAll(checks);
  expect(course.slice(0, 4)).toEqual([`${one} begins`, `${one} ends`, `${two} begins`, `${two} ends`]);
  expect(course.slice(4)).toEqual(['key-info.200.read begins', 'key-info.200.read ends']);
});

it('a server that keeps the last of something is seen through whatever is drawn', async () => {
  const row = mutants.find(({ id }) => id === 'vault-delete.found-once-more');
  const { report } = await judged({
    only: ['vault-delete.204.takes-effect'],
    behaviour: overridden(row?.override ?? {}),
  });
  expect(ids(report, 'fail')).toEqual(['vault-delete.204.takes-effect']);
});
