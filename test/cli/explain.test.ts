import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { explain } from '../../cli/explain.js';
import { mutants } from '../../reference/mutants.js';
import { findQuotes, findRepair } from '../../spec/explanation.js';
import { ledger } from '../../spec/ledger.js';
import { allChecks, findFile } from '../../suites/all-checks.js';
import { root } from '../folders.js';
import { command, plumbline } from './plumbline-process.js';
import { withPrinted } from './printed.js';

it('explain quotes the document and says what a requirement needs and how it is checked, violated and repaired', async () => {
  const id = 'vault-delete.404.workspace-secret';
  const { code, stdout, stderr } = await plumbline(['explain', id]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('“There is no default workspace and no fallback to another scope.”');
  expect(stdout).toContain('must: the document says it');
  expect(stdout).toContain('a way to store a secret for the scope "workspace"');
  expect(stdout).toContain(`plumbline run --only ${id}`);
  const failing = mutants.filter(({ violates }) => violates.includes(id));
  expect(stdout).toContain(`${failing.length} faulty servers of the catalogue fail it`);
  const shown = failing.filter((mutant) => stdout.includes(`${mutant.id}: `));
  expect(shown).toHaveLength(Math.min(3, failing.length));
  expect(stdout).toMatch(/How to fix it\n {2}\S/);
});

it('the first example of an explanation is the violation that is easiest to see', async () => {
  const { printed } = await withPrinted(async () => explain('vault-delete.204.takes-effect'));
  expect(printed).toContain('plumbline serve --mutant vault-delete.keeps\n');
});

it.each([...new Set(allChecks.map(findFile))])(
  'the checks that are said to be in %s are',
  async (file = '') => {
    const exported = Object.values((await import(join(root, file))) as object).flat();
    expect(exported).toEqual(expect.arrayContaining(allChecks.filter((check) => findFile(check) === file)));
  },
);

it('explain prints every requirement in lines that fit a terminal', async () => {
  for (const { id, statement } of ledger.filter((_, at) => at % 12 === 0)) {
    const { result: code, printed } = await withPrinted(async () => explain(id));
    expect(code).toBe(0);
    expect(printed.replace(/\s+/g, ' ')).toContain(statement);
    expect(printed.split('\n').filter((line) => line.length > 100)).toEqual([]);
  }
});

it.each<readonly [string, (row: (typeof ledger)[number]) => boolean]>([
  ['quotes the document if its row cites it', (row) => !row.covers?.length || findQuotes(row).length > 0],
  [
    'says how to fix a server if a run can find a violation',
    (row) => row.level === 'silent' || row.unseen !== undefined || findRepair(row) !== undefined,
  ],
])('an explanation %s', (_what, isExplained) => {
  expect(ledger.filter((row) => !isExplained(row)).map(({ id }) => id)).toEqual([]);
});

it('requirements prints the id, section, level, statement and needed capabilities of each', async () => {
  const { code, stdout, stderr } = await plumbline(['requirements']);
  expect([code, stderr]).toEqual([0, '']);
  const paragraphs = stdout.trimEnd().split('\n\n');
  expect(paragraphs).toHaveLength(ledger.length);
  ledger.forEach(({ id, section, level, statement, unseen, since = '0.1.0' }, at) => {
    const [head, says, takes = ''] = (paragraphs[at] ?? '').split('\n');
    expect(head).toBe(`${id}  §${section}  ${level}  since ${since}`);
    expect(says).toBe(`  ${statement}`);
    expect(takes).toMatch(/^ {2}\S/);
    if (unseen !== undefined) expect(takes).toBe(`  not observable: ${unseen}`);
  });
});

it('requirements --json prints the requirements that --only and --skip select as data', async () => {
  const flags = '--only auth.* --only key-info.* --skip auth.{oauth-session,issuing-keys}';
  const { code, stdout, stderr } = await plumbline(`requirements --json ${flags}`);
  expect([code, stderr]).toEqual([0, '']);
  const selected = ledger.filter(
    ({ id }) => /^(?:auth|key-info)\./.test(id) && !/^auth\.(?:oauth-session|issuing-keys)$/.test(id),
  );
  expect(JSON.parse(stdout)).toEqual(
    selected.map(({ id, section, level, statement, needs, unseen, optional = false, since = '0.1.0' }) => ({
      ...{ id, section, level, statement, since },
      needs: needs ?? [],
      not_observable: unseen ?? null,
      optional,
    })),
  );
});

it('a reader that stops reading causes no error', async () => {
  // dash has no pipefail: the exit code goes to standard error.
  const script = `{ "${process.execPath}" "${command}" requirements --json; echo "code $?" >&2; } | head -1`;
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', script]);
  expect([stdout, stderr]).toEqual(['[\n', 'code 0\n']);
});
