import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderRequirements } from '../../cli/explain.js';
import { readWaivers } from '../../judge/waivers.js';
import { FAULTS } from '../../reference/vocabulary.js';
import { ROLES } from '../../reference/world.js';
import { reportFiles } from '../../reports/formats.js';
import { journalFile } from '../../reports/report-folder.js';
import { ledger } from '../../spec/ledger.js';
import { readProfile } from '../../targets/profile/read-profile.js';
import { plumbline } from '../cli/plumbline-process.js';
import { readAction } from '../examples/example-files.js';
import { fileOf, root } from '../folders.js';
import { findBlocks, findLocalLinks, pages, readPage } from './pages.js';

describe.each(pages)('%s', (page) => {
  it('links to what is there', () => {
    const links = findLocalLinks(readPage(page));
    expect(links.filter((to) => !existsSync(join(root, dirname(page), to)))).toEqual([]);
  });
});

describe('the README', () => {
  const readme = readPage('README.md');

  it('opens with the two commands', () => {
    expect(readme).toMatch(/^# plumbline\n\n```sh\nnpm ci && npm start .*\nnpm ci && npm test .*\n```\n/);
  });

  it('counts the requirements as the ledger does', () => {
    expect(readme).toContain(`a ledger of ${ledger.length} requirements`);
    expect(readPage('CHANGELOG.md')).toContain(`ledger of ${ledger.length} requirements`);
  });

  it('names every command that there is, and no other', async () => {
    const { stdout } = await plumbline(['--help']);
    const there = [...stdout.matchAll(/^ {2}(\w+) .*(?:\n {10}.*)*/gm)].map(([, name]) => name);
    const named = [...readme.matchAll(/^\| `plumbline (\w+)/gm)].map(([, name]) => name);
    expect(named.toSorted()).toEqual(there.filter((name) => name !== 'help').toSorted());
  });
});

it('the pages say what every role and every fault of the control protocol is', () => {
  const explained = [...readPage('docs/control-protocol.md').matchAll(/^\| `(\w+)` +\| \w/gm)].map(
    ([, word]) => word,
  );
  expect(explained).toEqual(expect.arrayContaining([...ROLES, ...FAULTS]));
});

it('the pages name every file that a run writes', () => {
  const named = [...readPage('docs/reports.md').matchAll(/^\| `([\w.]+)`/gm)].map(([, name]) => name);
  expect(named.toSorted()).toEqual([...Object.values(reportFiles), journalFile].toSorted());
});

it('the pages name every input and output of the action', () => {
  const named = [...readPage('docs/ci/github.md').matchAll(/^\| ((?:`[\w-]+`(?:, )?)+) *\|/gm)].flatMap(
    ([, cell = '']) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name),
  );
  const { inputs, outputs } = readAction();
  expect(named.toSorted()).toEqual([...Object.keys(inputs), ...Object.keys(outputs)].toSorted());
});

it('the pages show a profile that is accepted', async () => {
  const [profile] = findBlocks('docs/profile.md').filter(({ language }) => language === 'yaml');
  const path = fileOf(profile?.text ?? '', 'plumbline.yaml');
  const names = profile?.text.match(/(?<=\$\{)\w+/g) ?? [];
  const keys = Object.fromEntries(names.map((name) => [name, `a-key-for-${name}`]));
  expect((await readProfile(path, keys)).target.base_url).toBe('https://staging.example.com/v1');
});

it('the pages show a policy that is that of a profile', () => {
  const [, policy] = findBlocks('docs/waivers-and-policy.md').filter(({ language }) => language === 'yaml');
  const [profile] = findBlocks('docs/profile.md').filter(({ language }) => language === 'yaml');
  expect(parse(policy?.text ?? '').policy).toMatchObject(parse(profile?.text ?? '').policy);
});

it('the pages show waivers that are accepted', async () => {
  const [waivers] = findBlocks('docs/waivers-and-policy.md').filter(({ language }) => language === 'yaml');
  const path = fileOf(waivers?.text ?? '', 'waivers.yaml');
  const read = await readWaivers(path, { selects: () => true, today: '2029-01-01' });
  expect(read).toHaveLength(1);
});

it('CONTRIBUTING gives a reason for every runtime dependency, and for nothing else', () => {
  const [, table = ''] = readPage('CONTRIBUTING.md').split('## Runtime dependencies');
  const named = [...table.matchAll(/^\| ([a-z@][\w@/, -]*?) +\|/gm)].flatMap(([, cell = '']) =>
    cell.split(', '),
  );
  const { dependencies } = JSON.parse(readPage('package.json')) as { dependencies: Record<string, string> };
  expect(named.toSorted()).toEqual(Object.keys(dependencies).toSorted());
});

it('the page of requirements is what "npm run requirements" writes', () => {
  expect(readPage('docs/requirements.md') === renderRequirements(), 'run "npm run requirements"').toBe(true);
});
