import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CTRFReport, validateStrict } from 'ctrf';
import { expect, it } from 'vitest';
import { allTests } from '../../suites/all-checks.js';
import { findElements } from '../reports/xml-element.js';
import { serveReference } from '../servers.js';
import { runInto } from './plumbline-process.js';

function readReports(directory: string) {
  const cases = findElements(readFileSync(join(directory, 'junit.xml'), 'utf8'), '//testcase');
  const ctrf = JSON.parse(readFileSync(join(directory, 'ctrf.json'), 'utf8')) as CTRFReport;
  validateStrict(ctrf);
  return { cases, tests: ctrf.results.tests };
}

const few = '--only key-info.200.* --depth quick --seed 7';
const formats = '--format json,junit,ctrf';

it('test case names do not depend on depth, selection or verdict, and a case that did not run is skipped with a reason', async () => {
  const control = `--control ${(await serveReference()).controlUrl}`;
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
  expect(down.get('verdict')).toMatch(/^unjudged: /);
  expect(down.get(id)).toMatch(/^not sent: .*127\.0\.0\.1:9/);
});
