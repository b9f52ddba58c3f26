import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ledger } from '../../spec/ledger.js';
import { command, plumbline } from './plumbline-process.js';

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

it.each([
  ['head -1', '[\n'],
  ['true', ''],
])('a reader that stops reading causes no error (requirements --json | %s)', async (reader, line) => {
  // dash has no pipefail: the exit code goes to standard error.
  const script = `{ "${process.execPath}" "${command}" requirements --json; echo "code $?" >&2; } | ${reader}`;
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', script]);
  expect([stdout, stderr]).toEqual([line, 'code 0\n']);
});
