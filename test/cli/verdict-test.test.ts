import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CTRFReport, validateStrict } from 'ctrf';
import { describe, expect, it } from 'vitest';
import { journalFile } from '../../reports/report-folder.js';
import { allTests } from '../../suites/all-checks.js';
import { folder } from '../folders.js';
import { elementsNamed, parseXml } from '../reports/xml-element.js';
import { plumbline, start } from './plumbline-process.js';
import { behaveAsMutant, htmlForEverything, serveReference, startServer } from './servers.js';
import { slowDown } from './slow-answers.js';

// CI servers judge a report by its test cases, so the case `verdict` repeats the exit code of the command.

/** The status of a test case in JUnit and in CTRF. */
const marks = {
  pass: { junit: undefined, ctrf: 'passed', raw: 'pass' },
  fail: { junit: 'failure', ctrf: 'failed', raw: 'fail' },
  error: { junit: 'error', ctrf: 'failed', raw: 'error' },
} as const;

/** Expects a status of the case `verdict` in both reports of a folder; returns its message. */
function expectVerdict(directory: string, mark: keyof typeof marks): string | undefined {
  const xml = parseXml(readFileSync(join(directory, 'junit.xml'), 'utf8'));
  const cases = elementsNamed(xml, 'testcase').filter(({ attributes }) => attributes.name === 'verdict');
  const [run] = xml.children;
  const [found] = cases;
  expect([cases.length, run?.attributes.name, run?.children.includes(cases[0] ?? xml)]).toEqual([
    1,
    'run',
    true,
  ]);
  const [result] = found?.children ?? [];
  expect(result?.name).toBe(marks[mark].junit);

  const ctrf = JSON.parse(readFileSync(join(directory, 'ctrf.json'), 'utf8')) as CTRFReport;
  validateStrict(ctrf);
  const tests = ctrf.results.tests.filter(({ name }) => name === 'verdict');
  expect(tests).toHaveLength(1);
  expect(tests[0]).toMatchObject({ suite: ['run'], status: marks[mark].ctrf, rawStatus: marks[mark].raw });
  if (result !== undefined) expect(result.attributes.message).toBe(tests[0]?.message);
  return tests[0]?.message;
}

const few = ['--only', 'key-info.200.*', '--depth', 'quick', '--seed', '7'];

/** Runs the command with its own report folder. */
async function runWithReports(...args: readonly string[]) {
  const directory = folder();
  const ended = await plumbline([...args, '--format', 'json,junit,ctrf', '--report', directory]);
  return { ...ended, directory };
}

const run = (controlUrl: string, ...args: readonly string[]) =>
  runWithReports('run', '--control', controlUrl, ...args);

const controlOf = async (options?: Parameters<typeof serveReference>[0]) => [
  '--control',
  (await serveReference(options)).controlUrl,
];

describe('the test case of the verdict', () => {
  it.each<
    readonly [mark: keyof typeof marks, when: string, code: number, () => Promise<readonly string[]>, RegExp]
  >([
    ['pass', 'the gate is 0', 0, async () => [...(await controlOf()), ...few], /^conformant: /],
    [
      'fail',
      'there is a violation',
      1,
      async () => [...(await controlOf({ behaviour: behaveAsMutant('key-info.figures-of-member') })), ...few],
      /^non-conformant: /,
    ],
    [
      'error',
      'the server answers everything with HTML and 200',
      3,
      async () => [...(await controlOf()), '--target', await startServer(htmlForEverything), ...few],
      /^unjudged: .*no positive control passed/,
    ],
    ['error', 'nothing listens', 3, async () => ['--control', 'http://127.0.0.1:1/control'], /^unjudged: /],
    [
      'fail',
      'a must is not exercised',
      4,
      async () => [
        ...(await controlOf({ capabilities: { roles: ['management'] } })),
        ...[...few, '--only', 'guardrail-read.200.*'],
      ],
      /^incomplete: /,
    ],
    [
      'fail',
      'the run is out of time',
      4,
      async () => [...(await controlOf({ behaviour: slowDown(30).behaviour })), '--max-time', '0.8'],
      /the run stopped early/,
    ],
  ])('the verdict test is %s if %s', async (mark, _when, code, flags, words) => {
    const ended = await runWithReports('run', ...(await flags()));
    expect(ended.code).toBe(code);
    expect(expectVerdict(ended.directory, mark)).toMatch(words);
  });

  it('the verdict test is an error if a killed run is rendered from its journal', async () => {
    const { controlUrl } = await serveReference({ behaviour: slowDown(30).behaviour });
    const directory = folder();
    const running = start(['run', '--control', controlUrl, '--report', directory]);
    const journal = join(directory, journalFile);
    while (!existsSync(journal) || !readFileSync(journal).includes('\n')) await sleep(5);
    running.child.kill('SIGKILL');
    await running.ended;
    const { code } = await plumbline(['report', '--from', directory, '--format', 'junit,ctrf']);
    expect(code).toBe(0);
    expect(expectVerdict(directory, 'error')).toContain('exit code 130: the run was interrupted');
  });
});

describe('the names of the test cases', () => {
  const namesIn = (directory: string) => {
    const xml = parseXml(readFileSync(join(directory, 'junit.xml'), 'utf8'));
    const { tests } = (JSON.parse(readFileSync(join(directory, 'ctrf.json'), 'utf8')) as CTRFReport).results;
    const names = tests.map(({ name, suite }) => `plumbline.${suite?.[0]} ${name}`).sort();
    const cases = elementsNamed(xml, 'testcase').map(
      ({ attributes }) => `${attributes.classname} ${attributes.name}`,
    );
    expect(cases.sort()).toEqual(names);
    return { names, messages: new Map(tests.map(({ name, message }) => [name, message])) };
  };

  it('test case names do not depend on depth, selection or verdict, and a case that did not run is skipped with a reason', async () => {
    const { controlUrl } = await serveReference();
    const [quick, standard, down] = [
      namesIn((await run(controlUrl, ...few)).directory),
      namesIn((await run(controlUrl, '--only', 'key-info.200.*', '--cases', '1')).directory),
      namesIn((await run('http://127.0.0.1:9/control')).directory),
    ];
    expect(quick.names).toEqual(standard.names);
    expect(down.names).toEqual(standard.names);
    expect(standard.names).toEqual(
      [
        ...['plumbline.run suite', 'plumbline.run verdict'],
        ...allTests.map(({ id }) => `plumbline.${id.split('.')[0]} ${id}`),
      ].sort(),
    );
    const id = 'vault-delete.204.takes-effect';
    expect(quick.messages.get(id)).toBe('not sent: not selected');
    expect([...quick.messages.values()]).toContain(
      'not sent: at depth quick other checks decide its requirements',
    );
    expect(down.messages.get(id)).toMatch(/^not sent: .*127\.0\.0\.1:9/);
  });
});
