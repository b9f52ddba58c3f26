import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { eventfulReport, sampleReport } from '../reports/sample-report.js';
import { folder, plumbline, readReport, removeFolders } from './plumbline-process.js';

afterAll(removeFolders);

describe.concurrent('compare', () => {
  const cwd = folder();
  for (const [name, report] of [
    ['old', sampleReport()],
    ['new', { ...eventfulReport(), run: { ...eventfulReport().run, id: 'later' } }],
  ] as const) {
    mkdirSync(join(cwd, name));
    writeFileSync(join(cwd, name, 'report.json'), JSON.stringify(report));
  }

  it('ends with 1 on a new violation and says which', async () => {
    const { code, stdout, stderr } = await plumbline(['compare', 'old', 'new/report.json'], { cwd });
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^conformant → non-conformant: 4 newly failed/);
  });

  it('ends with 0 the other way round, and with 1 where lost coverage is to stop', async () => {
    const back = ['compare', 'new', 'old', '--format', 'json'];
    const { code, stdout } = await plumbline(back, { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'plumbline-comparison/1',
      totals: { 'newly-held': 4 },
    });
    const flags = ['--fail-on', 'lost-coverage', '--format', 'markdown', '--output', 'out/c.md'];
    const told = await plumbline(['compare', 'old', 'new', ...flags], { cwd });
    expect([told.code, told.stdout]).toEqual([1, '']);
    expect(readFileSync(join(cwd, 'out/c.md'), 'utf8')).toContain(
      'Stopped by new violation and lost coverage',
    );
  });
});

describe.concurrent('run --history and trend', () => {
  it('a run is a line, and the lines are drawn', async () => {
    const cwd = folder();
    const args = 'run --reference --only key-info.200.read --quiet --report r --history h.ndjson'.split(' ');
    expect((await plumbline([...args, '--seed', '7'], { cwd })).code).toBe(0);
    const line: unknown = JSON.parse(readFileSync(join(cwd, 'h.ndjson'), 'utf8'));
    expect(line).toMatchObject({ id: readReport(join(cwd, 'r')).run.id, seed: 7, ended: 'complete' });

    writeFileSync(join(cwd, 'h.ndjson'), '{"format":', { flag: 'a' });
    const { code, stdout, stderr } = await plumbline(['trend', 'h.ndjson'], { cwd });
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^plumbline: skipped line 2 of h\.ndjson: .*\n$/),
    ]);
    expect(stdout).toMatch(/^conformant: \d+ passed, 0 failed\n1 run, /);
    await plumbline(['trend', 'h.ndjson', '--format', 'html', '--output', 't.html'], { cwd });
    expect(readFileSync(join(cwd, 't.html'), 'utf8')).toMatch(/^<!doctype html>\n/);
  });

  it('a history that could not be written is refused before anything is sent', async () => {
    const cwd = folder();
    const { code, stderr } = await plumbline(['run', '--reference', '--history', 'nowhere/h.ndjson'], {
      cwd,
    });
    expect([code, stderr]).toEqual([
      2,
      'plumbline: nowhere/h.ndjson cannot be appended to: its folder does not exist; make it first.\n',
    ]);
    expect(existsSync(join(cwd, 'plumbline-report'))).toBe(false);
  });
});
