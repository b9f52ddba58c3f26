import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandRunner } from '../cli/command-runner.js';
import { command } from '../cli/plumbline-process.js';
import { judgeHostile, type Outcome } from './judge-hostile.js';
import { hostilePage, type JudgedRow, nameCell, type Section } from './page.js';
import type { ConnectionRow, ControlRow, Ending, HostileRow } from './row.js';
import { bodyRows } from './rows/bodies.js';
import { connectionRows } from './rows/connections.js';
import { controlRows } from './rows/control.js';
import { framingRows } from './rows/framing.js';
import { silenceRows } from './rows/silence.js';
import { streamRows } from './rows/streams.js';
import { controlToken, Stage } from './stage.js';

const page = process.env.PLUMBLINE_HOSTILE_PAGE;
const pageFile = 'docs/hostile.md';

const operationRows: readonly HostileRow[] = [...silenceRows, ...bodyRows, ...framingRows, ...streamRows];

// Processes that judge one after another; much data goes to one, so that its memory is not added to the others'.
const runners = Array.from({ length: 4 }, () => new CommandRunner(command));
let turn = 0;
let stage: Stage;
const judged: JudgedRow[] = [];
beforeAll(async () => {
  stage = await Stage.open((flags, big) => {
    const runner = runners[big ? 0 : 1 + (turn++ % (runners.length - 1))];
    if (runner === undefined) throw new Error('There is no process.');
    return judgeHostile(flags, runner.run);
  });
});
afterAll(async () => {
  for (const runner of runners) runner.close();
  await stage.close();
  if (page !== undefined) writeFileSync(page, hostilePage(judged));
});

function expectEnding(
  section: Section,
  row: HostileRow | ControlRow | ConnectionRow,
  outcome: Outcome,
  { exit, says }: Ending = row,
): void {
  judged.push({ section, row, outcome });
  expect([exit].flat(), outcome.summary).toContain(outcome.exit);
  expect(outcome.summary, outcome.summary).toMatch(says);
}

describe.concurrent('a hostile server', () => {
  it.each(operationRows)('on one operation: $name', async (row) => {
    expectEnding('One operation', row, await stage.against(row, 'one operation'));
  });

  it.each(operationRows.filter(({ everywhere }) => everywhere))('on every operation: $name', async (row) => {
    expectEnding('Every operation', row, await stage.against(row, 'every operation'), row.everywhere);
  });

  it.each(connectionRows)('on the connection: $name', async (row) => {
    expectEnding('The connection', row, await stage.at(row));
  });

  it.each(controlRows)('on the control protocol: $name', async (row) => {
    expectEnding('The control protocol', row, await stage.through(row));
  });
});

it('nobody else was talked to, but where the control protocol says that the target is; and never with its token', () => {
  const lines = stage.heard.match(/^[A-Z]+ \S+ HTTP.*$/gm) ?? [];
  expect(lines.filter((line) => !/^[A-Z]+ \/elsewhere\//.test(line))).toEqual([]);
  expect(stage.heard).not.toContain(controlToken);
});

// The run that renews it reads the one before.
it.skipIf(page !== undefined)(`${pageFile} has these rows; npm run hostile renews it`, () => {
  const cells = [...readFileSync(pageFile, 'utf8').matchAll(/^\| (.+?) \| \d/gm)].map(([, cell]) => cell);
  const rows = [...operationRows, ...operationRows.filter(({ everywhere }) => everywhere)];
  expect(cells.sort()).toEqual([...rows, ...connectionRows, ...controlRows].map(nameCell).sort());
});
