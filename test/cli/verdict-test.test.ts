import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CTRFReport, validateStrict } from 'ctrf';
import { describe, expect, it } from 'vitest';
import { journalFile } from '../../reports/report-folder.js';
import { allTests } from '../../suites/all-checks.js';
import { folder } from '../folders.js';
import { elementsNamed, parseXml } from '../reports/xml-element.js';
import { plumbline, runInto, start } from './plumbline-process.js';
import { behaveAsMutant, htmlForEverything, serveReference, startServer } from './servers.js';
import { slowDown } from './slow-answers.js';

// CI servers judge a report by its test cases, so the case `verdict` repeats the exit code of the command.

/** The status of a test case in JUnit and in CTRF. */
const marks = {
  pass: { junit: undefined, ctrf: 'passed', raw: 'pass' },
  fail: { junit: 'failure', ctrf: 'failed', raw: 'fail' },
  error: { junit: 'error', ctrf: 'failed', raw: 'error' },
} as const;

function readReports(directory: string) {
  const xml = parseXml(readFileSync(join(directory, 'junit.xml'), 'utf8'));
  const ctrf = JSON.parse(readFileSync(join(directory, 'ctrf.json'), 'utf8')) as CTRFReport;
  validateStrict(ctrf);
  return { xml, cases: elementsNamed(xml, 'testcase'), tests: ctrf.results.tests };
}

/** Expects a status of the case `verdict` in both reports of a folder; returns its message. */
function expectVerdict(directory: string, mark: keyof typeof marks): string | undefined {
  const { xml, cases, tests } = readReports(directory);
  const found = cases.filter(({ attributes }) => attributes.name === 'verdict');
  const [run] = xml.children;
  expect([found.length, run?.attributes.name, run?.children.includes(found[0] ?? xml)]).toEqual([
    1,
    'run',
    true,
  ]);
  const [result] = found[0]?.children ?? [];
  expect(result?.name).toBe(marks[mark].junit);

  const verdicts = tests.filter(({ name }) => name === 'verdict');
  const { ctrf: status, raw: rawStatus } = marks[mark];
  expect(verdicts).toEqual([expect.objectContaining({ suite: ['run'], status, rawStatus })]);
  if (result !== undefined) expect(result.attributes.message).toBe(verdicts[0]?.message);
  return verdicts[0]?.message;
}

const few = '--only key-info.200.* --depth quick --seed 7';
const formats = '--format json,junit,ctrf';

const controlOf = async (options?: Parameters<typeof serveReference>[0]) =>
  `--control ${(await serveReference(options)).controlUrl}`;

describe('the test case of the verdict', () => {
  it.each<readonly [mark: keyof typeof marks, when: string, code: number, () => Promise<string>, RegExp]>([
    ['pass', 'the gate is 0', 0, async () => `${await controlOf()} ${few}`, /^conformant: /],
    [
      'fail',
      'there is a violation',
      1,
      async () => `${await controlOf({ behaviour: behaveAsMutant('key-info.figures-of-member') })} ${few}`,
      /^non-conformant: /,
    ],
    [
      'error',
      'the server answers everything with HTML and 200',
      3,
      async () => `${await controlOf()} --target ${await startServer(htmlForEverything)} ${few}`,
      /^unjudged: .*no positive control passed/,
    ],
    ['error', 'nothing listens', 3, async () => '--control http://127.0.0.1:1/control', /^unjudged: /],
    [
      'fail',
      'a must is not exercised',
      4,
      async () => {
        const control = await controlOf({ capabilities: { roles: ['management'] } });
        return `${control} ${few} --only guardrail-read.200.*`;
      },
      /^incomplete: /,
    ],
    [
      'fail',
      'the run is out of time',
      4,
      async () => `${await controlOf({ behaviour: slowDown(30).behaviour })} --max-time 0.8`,
      /the run stopped early/,
    ],
  ])('the verdict test is %s if %s', async (mark, _when, code, flags, words) => {
    const ended = await runInto(`${await flags()} ${formats}`);
    expect(ended.code).toBe(code);
    expect(expectVerdict(ended.directory, mark)).toMatch(words);
  });

  it('the verdict test is an error if a killed run is rendered from its journal', async () => {
    const directory = folder();
    const control = await controlOf({ behaviour: slowDown(30).behaviour });
    const running = start(`run ${control} --report ${directory}`);
    const journal = join(directory, journalFile);
    while (!existsSync(journal) || !readFileSync(journal).includes('\n')) await sleep(5);
    running.child.kill('SIGKILL');
    await running.ended;
    expect((await plumbline(`report --from ${directory} --format junit,ctrf`)).code).toBe(0);
    expect(expectVerdict(directory, 'error')).toContain('exit code 130: the run was interrupted');
  });
});

it('test case names do not depend on depth, selection or verdict, and a case that did not run is skipped with a reason', async () => {
  const control = await controlOf();
  const messagesOf = async (flags: string) => {
    const { cases, tests } = readReports((await runInto(`${flags} ${formats}`)).directory);
    const named = cases.map(({ attributes }) => `${attributes.classname} ${attributes.name}`);
    const names = tests.map(({ name, suite }) => `plumbline.${suite?.[0]} ${name}`);
    expect(named.sort()).toEqual(names.toSorted());
    const all = allTests.map(({ id }) => `plumbline.${id.split('.')[0]} ${id}`);
    expect(names.sort()).toEqual(['plumbline.run suite', 'plumbline.run verdict', ...all].sort());
    return new Map(tests.map(({ name, message }) => [name, message]));
  };
  const quick = await messagesOf(`${control} ${few}`);
  await messagesOf(`${control} --only key-info.200.* --cases 1`);
  const down = await messagesOf('--control http://127.0.0.1:9/control');
  const id = 'vault-delete.204.takes-effect';
  expect(quick.get(id)).toBe('not sent: not selected');
  expect([...quick.values()]).toContain('not sent: at depth quick other checks decide its requirements');
  expect(down.get(id)).toMatch(/^not sent: .*127\.0\.0\.1:9/);
});
