import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeFolders } from '../cli/plumbline-process.js';
import { CommandRunner } from './commands.js';
import { judged } from './judged.js';
import { operationRows } from './operation-rows.js';
import { against, openStage, type Reach, type Stage } from './stage.js';

let stage: Stage;
const runner = new CommandRunner();
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  await stage.close();
  runner.close();
  removeFolders();
});
const reach: Reach = process.env.EVERY ? 'every operation' : 'one operation';
it.each(operationRows)('$name', async (row) => {
  const outcome = await against(stage, row, reach, (way) => judged(way, runner.run)).catch(e => { appendFileSync('/tmp/p/rows.txt', `!!! ${row.name} | ${e.message.slice(0,1500)}\n`); throw e});
  const ok = outcome.exit === row.exit && row.tells.test(outcome.told);
  appendFileSync('/tmp/p/rows.txt', `${ok ? 'ok ' : 'BAD'} ${row.name} | ${outcome.exit} ${outcome.seconds.toFixed(1)} ${outcome.megabytes.toFixed(0)} | ${outcome.told.slice(0, 260)}\n`);
  expect(outcome.exit, outcome.told).toBe(row.exit);
  expect(outcome.told).toMatch(row.tells);
  expect(stage.talked()).toBe(0);
});
