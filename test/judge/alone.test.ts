import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { check } from '../../judge/check.js';
import { overridden } from '../../reference/mutant.js';
import { mutants } from '../../reference/mutants.js';
import { ids, judged } from './judged.js';

it('a check that is to be alone is judged before the others, and none beside it', async () => {
  const course: string[] = [];
  const told = (id: 'key-info.200.read' | `key-info.200.read/${string}`, alone: boolean) =>
    check(id, { control: 'key-info', ...(alone ? { alone } : {}) }, async ({ api }) => {
      course.push(`${id} begins`);
      await api.readKey().expectStatus(200);
      await sleep(20);
      course.push(`${id} ends`);
    });
  const [one, two] = ['key-info.200.read/one', 'key-info.200.read/two'] as const;
  const checks = [
    told('key-info.200.read', false),
    told('key-info.200.read/three', false),
    told(one, true),
    told(two, true),
  ];
  await judged({ checks, only: ['key-info.200.read'], concurrency: 16 });
  // The first check of a requirement is in the opening.
  expect(course.slice(0, 2)).toEqual(['key-info.200.read begins', 'key-info.200.read ends']);
  expect(course.slice(2, 6)).toEqual([`${one} begins`, `${one} ends`, `${two} begins`, `${two} ends`]);
  expect(course.slice(6)).toEqual(['key-info.200.read/three begins', 'key-info.200.read/three ends']);
});

it('a server that keeps the last of something is seen through whatever is drawn', async () => {
  const row = mutants.find(({ id }) => id === 'vault-delete.found-once-more');
  const { report } = await judged({
    only: ['vault-delete.204.takes-effect'],
    behaviour: overridden(row?.override ?? {}),
  });
  expect(ids(report, 'fail')).toEqual(['vault-delete.204.takes-effect']);
});
