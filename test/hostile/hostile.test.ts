import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canMakeCertificates } from '../cli/certificates.js';
import type { Outcome } from './judge-hostile.js';
import { Judges } from './judges.js';
import { operationRows } from './operation-rows.js';
import { hostilePage, type PageRow, type Section } from './page.js';
import type { Ending, HostileRow } from './row.js';
import { connectionRows } from './rows/connections.js';
import { controlRows } from './rows/control.js';
import { against, at, controlToken, openStage, type Stage, through } from './stage.js';

/** The page to write; then every row is judged in a process of its own, and everywhere too. */
const page = process.env.PLUMBLINE_HOSTILE_PAGE;
const pageFile = 'docs/hostile.md';

let stage: Stage;
const judges = new Judges(4);
const judged: PageRow[] = [];
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  judges.close();
  await stage.close();
  if (page !== undefined) writeFileSync(page, hostilePage(judged));
});

const judgeOf = ({ big = false }: { readonly big?: boolean }) =>
  big || page !== undefined ? judges.alone : judges.inTurn;

function expectEnding(outcome: Outcome, { exit, tells }: Ending): void {
  expect([exit].flat(), outcome.told).toContain(outcome.exit);
  expect(outcome.told).toMatch(tells);
}

function noted(section: Section, { name }: { readonly name: string }, outcome: Outcome): Outcome {
  judged.push({ section, name, outcome });
  return outcome;
}

describe.concurrent('on one operation', () => {
  it.each(operationRows)('$name', async (row) => {
    const outcome = noted('One operation', row, await against(stage, row, 'one operation', judgeOf(row)));
    expectEnding(outcome, row);
  });
});

const everywhere = operationRows.filter((_, at) => page !== undefined || at % 6 === 0);
/** Nothing is proven then, unless an answer of another kind came through; the reason names what happened. */
const unjudged = ({ exit, tells }: HostileRow): Ending => ({
  exit: typeof exit === 'number' ? [3, exit] : [3, ...exit],
  tells,
});

describe.concurrent('on every operation', () => {
  it.each(everywhere)('$name', async (row) => {
    const outcome = noted('Every operation', row, await against(stage, row, 'every operation', judgeOf(row)));
    expectEnding(outcome, row.everywhere ?? unjudged(row));
  });
});

describe.concurrent('on the connection', () => {
  // Certificates take openssl.
  const rows = connectionRows.filter(
    ({ name }) => canMakeCertificates || !/certificate|TLS where/.test(name),
  );
  it.each(rows)('$name', async (row) => {
    const judge = /certificate/.test(row.name) || page !== undefined ? judges.alone : judges.inTurn;
    expectEnding(noted('The connection', row, await at(stage, row, judge)), row);
  });
});

describe.concurrent('on the control protocol', () => {
  it.each(controlRows)('$name', async (row) => {
    expectEnding(noted('The control protocol', row, await through(stage, row, judgeOf(row))), row);
  });
});

it('nobody else was talked to, but where the control protocol says that the target is; and never with its token', () => {
  const lines = stage.heard().match(/^[A-Z]+ \S+ HTTP.*$/gm) ?? [];
  expect(lines.filter((line) => !/^[A-Z]+ \/elsewhere\//.test(line))).toEqual([]);
  expect(stage.heard()).not.toContain(controlToken);
});

// The run that renews it reads the one before.
it.skipIf(page !== undefined)(`${pageFile} has these rows; npm run hostile renews it`, () => {
  const names = [...readFileSync(pageFile, 'utf8').matchAll(/^\| ([^|]+?) +\| \d/gm)].map(([, name = '']) =>
    name.replace(/\\(.)/g, '$1'),
  );
  const rows = [...operationRows, ...operationRows, ...connectionRows, ...controlRows];
  expect(names.sort()).toEqual(rows.map(({ name }) => name).sort());
});
