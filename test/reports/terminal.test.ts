import { describe, expect, test } from 'vitest';
import { renderTerminal, type TerminalOptions } from '../../reports/terminal.js';
import { countColumns } from '../../reports/terminal-layout.js';
import { areas, ledger, requirement } from '../../spec/ledger.js';
import type { Report } from '../../spec/report.js';
import { everyHostileText, hostileReport } from './hostile-report.js';
import { eventfulReport, mustIds, type SampleChanges, sampleFailure, sampleReport } from './sample-report.js';

const esc = String.fromCharCode(27);

function summary(report: Report, options: Partial<TerminalOptions> = {}): string {
  return renderTerminal(report, { color: false, width: 100, reportDir: 'out/reports', ...options });
}

/** The summary with its line breaks undone, for texts that may have been wrapped. */
function unwrapped(report: Report, options: Partial<TerminalOptions> = {}): string {
  return summary(report, options).replace(/\s+/g, ' ');
}

const [first = 'auth.bearer', second = 'auth.missing-key', third = 'auth.unknown-key'] = mustIds;

describe('the verdict comes first and says why', () => {
  const passed = `conformant: ${sampleReport().totals.pass} requirements passed`;
  const rows = {
    [first]: ['inconclusive', 'intermittent'],
    [second]: ['not-exercised', 'needs a key'],
    [third]: ['not-exercised', 'not selected'],
    'key-info.usage.nested': ['inconclusive', 'intermittent'],
  } as const;
  const failures = [first, second, 'key-info.usage.nested' as const].map((id) => sampleFailure(id));
  const onEmbedded = ' on the embedded reference server';

  test.each<readonly [line: string, changes: SampleChanges]>([
    [`${passed} on http://127.0.0.1:4010/v1`, {}],
    [passed, { baseUrl: null }],
    [`${passed}${onEmbedded}`, {}],
    [`non-conformant: 1 must requirement failed${onEmbedded}`, { failures: failures.slice(0, 1) }],
    ['non-conformant: 2 must and 1 derived requirements failed', { failures }],
    ['incomplete: 2 must requirements inconclusive or not exercised', { verdict: 'incomplete', rows }],
    ['unjudged: connection refused', { verdict: 'unjudged', notes: ['connection refused'] }],
    ['unjudged: nothing was judged', { verdict: 'unjudged' }],
  ])('%s', (line, changes) => {
    const { target, ...report } = sampleReport(changes);
    const embedded = line.endsWith(onEmbedded);
    expect(summary({ ...report, target: { ...target, embedded } }).split('\n')[0]).toBe(line);
  });

  test('a run that stopped early says so, with its notes, and so does a suite that failed', () => {
    const changes = { verdict: 'incomplete', complete: false, exitCode: 5, notes: ['interrupted'] } as const;
    const text = unwrapped(sampleReport(changes));
    for (const words of ['The run stopped early', 'Note: interrupted', 'do not rely on this verdict'])
      expect(text).toContain(words);
    expect(unwrapped(sampleReport())).not.toContain('stopped early');
  });

  test('a run that stopped early says why, where no more than a check was cut short', () => {
    const { checks, ...report } = sampleReport({ complete: false });
    const [first, ...others] = checks;
    if (first === undefined) throw new Error('a sample without checks');
    const cutShort = { ...first, reason: 'out of time', reason_code: 'stopped' } as const;
    expect(unwrapped({ ...report, checks: [...others, cutShort] })).toContain('stopped early: out of time.');
  });

  test('what the gate passed over is shown with its reasons, and marked where it failed', () => {
    const report = sampleReport({
      failures: [sampleFailure('vault-delete.404.other-intern'), sampleFailure('envelope.error.message')],
      waived: ['vault-delete.404.other-intern'],
      newer: ['envelope.error.message'],
      gateNotes: ['vault-delete.404.other-intern: waived until 2030-01-31 (vault team): next release'],
    });
    const text = unwrapped(report);
    expect(text).toContain('Gate: 1 waived, 1 newer than the ledger, exit code 0.');
    expect(text).toContain('waived until 2030-01-31 (vault team): next release');
    expect(text).toContain('must vault-delete.404.other-intern §7.1 (waived)');
    expect(text).toContain('must envelope.error.message §2.4 (newer, warns only)');
    expect(summary(sampleReport())).not.toContain('waived');
  });
});

test('the areas have a line each, without zeros, and add up to the totals, so that all is said in 30 lines', () => {
  const report = eventfulReport();
  const text = summary(report);
  const rows = text.split('\n').filter((line) => areas.some((area) => line.startsWith(`${area} `)));
  expect(rows.map((row) => row.split(' ')[0])).toEqual(areas);
  const { pass, fail, inconclusive } = report.totals;
  expect(text).toMatch(
    new RegExp(`^all +${pass} passed, ${fail} failed, ${inconclusive} inconclusive,`, 'm'),
  );
  expect(summary(sampleReport())).toMatch(/^envelope +9 passed$/m);
  expect(summary(sampleReport(), { width: 60 }).split('\n').length).toBeLessThan(30);
});

test('the parts stand in their order', () => {
  const report = eventfulReport();
  const text = summary(report);
  const starts = [
    ...['non-conformant:', 'vault-delete ', 'Failed (3)', 'Advisory findings (1)', 'Inconclusive (3)'],
    ...['Not exercised (22)', `${report.requirements.length} requirements:`],
  ];
  const places = starts.map((start) => text.split('\n').findIndex((line) => line.startsWith(start)));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});

describe('failed requirements', () => {
  test('are shown with all their parts, each once', () => {
    const id = 'vault-delete.404.other-intern';
    const failure = sampleFailure(id, { expected: 'this status', actual: 'that status', confirmed: '7/9' });
    const { curl, command } = failure.reproduce;
    const reproduce = { curl, command, origin: { check: id } };
    const text = summary(sampleReport({ failures: [{ ...failure, reproduce }] }));
    expect(text.replace(/\s+/g, ' ')).toContain(requirement(id).statement);
    expect(text).toContain(failure.message);
    const parts = [
      `must  ${id}  §7.1`,
      ...['  expected   this status', '  got        that status', '  confirmed  in 7 of 9 attempts'],
      `  situation  ${failure.situation}`,
      ...[`  ${curl}`, `  ${command}`, '  plumbline replay out/reports 1'],
    ];
    expect(text.split('\n').filter((line) => parts.includes(line))).toEqual(parts);
  });

  test('of one requirement stand under one head: the first in full, three more in a line, the rest as a number', () => {
    const failures = [1, 2, 3, 4, 5, 6].map((nth) =>
      sampleFailure('auth.bearer', { message: `message ${nth}`, actual: `actual ${nth}` }),
    );
    const text = summary(sampleReport({ failures }));
    expect(text.split('must  auth.bearer')).toHaveLength(2);
    for (const nth of [1, 2, 3, 4]) expect(text).toContain(`message ${nth}`);
    expect(text).toContain('actual 1');
    expect(text).not.toMatch(/message [56]|actual [2-6]/);
    expect(text).toContain('and 2 more, in the reports');
  });

  const fortyMusts = mustIds.slice(0, 40);

  test('of one cause stand together: the simplest with the command that replays it, the others by their ids', () => {
    const request = 'DELETE own/a name';
    const situation_parts = { operation: 'vault-delete', outcome: 204, request } as const;
    const mismatch = { wrong: 'status', due: [404] } as const;
    const failures = fortyMusts.map((id) => sampleFailure(id, { situation_parts, mismatch }));
    const { exchanges, reproduce: byHand } = sampleFailure(first);
    const reproduce = { ...byHand, origin: { check: first } };
    const changes = { situation_parts, mismatch, reproduce, exchanges: exchanges.slice(1) };
    const simplest = sampleFailure(first, changes);
    const text = summary(sampleReport({ failures: [...failures.slice(1), simplest] }));
    expect(text).toContain(
      `40 requirements: vault-delete answers 204 instead of 404, for ${request}.\n\nmust  ${first}  §`,
    );
    expect(text).toContain(`  ${reproduce.command}\n  plumbline replay out/reports 1\n`);
    for (const id of fortyMusts) expect(text).toContain(`must  ${id}  §`);
    expect(text.split('curl -i')).toHaveLength(2);
    expect(text).toContain('The reports have all of them in full.');
    expect(text.split('\n').length).toBeLessThan(100);
  });

  test('of more than ten causes are shown in brief from the eleventh on', () => {
    const situation_parts = { operation: 'vault-delete', outcome: 204 } as const;
    const failures = fortyMusts.map((id) =>
      sampleFailure(id, { situation_parts, expected: 'that', actual: `this of ${id}` }),
    );
    const text = summary(sampleReport({ failures }));
    for (const id of fortyMusts) expect(text).toContain(`must  ${id}  §`);
    expect(text.split('curl -i')).toHaveLength(11);
    expect(text.split('\n').length).toBeLessThan(350);
  });

  test('that are advisory have a section of their own', () => {
    const [before = '', after = ''] = summary(eventfulReport()).split(
      'Advisory findings (1); not part of the verdict',
    );
    expect(before).not.toContain('secrecy.key-echo');
    expect(after).toContain('secrecy.key-echo  §1');
    expect(after).toContain('the key stands in error.message');
  });

  test('that were not selected are not shown, and those without evidence say so', () => {
    const leftOut = { 'envelope.error': ['not-exercised', 'not selected'] } as const;
    const rows = { ...leftOut, 'auth.bearer': ['fail', null] } as const;
    const text = summary(sampleReport({ failures: [sampleFailure('envelope.error')], rows }));
    expect(text).not.toContain('envelope.error');
    expect(text).toContain('This report has no evidence of it.');
  });

  test('with an endless answer are cut', () => {
    const failures = [sampleFailure('auth.bearer', { actual: 'x'.repeat(2_600) })];
    const text = summary(sampleReport({ failures }));
    // In the sentence that names the cause, and with the violation.
    expect(text.split('x').length).toBeLessThan(800);
    expect(text.replace(/\s+/g, ' ')).toContain('and 2,000 more characters');
  });
});

test('what has no result is grouped by its reason or by what it needs, however far apart the rows are', () => {
  const lines = summary(eventfulReport()).split('\n');
  const at = lines.indexOf('  2 requirements (2 must): intermittent, 2 of 5 attempts: got 500');
  expect(at).toBeGreaterThan(0);
  expect(lines[at + 1]).toBe('    vault-delete.502.unreachable, vault-delete.504.timeout');
  expect(lines).toContain('  1 requirement (1 must): out of time');
  const needs = lines.indexOf('Not exercised (22), most valuable first');
  expect(lines.slice(needs + 1, needs + 4)).toEqual([
    '  21 requirements (20 must) need an inference route with a free model',
    '  vault-delete.503.writes-disabled (must) needs a key of the role write_disabled',
    '2 requirements not selected.',
  ]);
});

test('what an optional requirement is about need not be shown, and what must be tested comes before it', () => {
  const rows = {
    'stream-error.other-errors': ['not-exercised', 'no response of this run showed it'],
    'credit-limit.exhausted': ['not-exercised', 'not tried'],
  } as const;
  const text = summary(sampleReport({ verdict: 'incomplete', exitCode: 4, rows }));
  expect(text).toContain('stream-error.other-errors (must): optional, and no response of this run showed it');
  expect(text.indexOf('not tried')).toBeLessThan(text.indexOf('no response of this run'));
});

test('of a run that judged nothing stand the reason and what to run next, and no tables', () => {
  const note = 'no positive control passed';
  const rows = Object.fromEntries(
    ledger
      .filter(({ unseen, level }) => unseen === undefined && level !== 'silent')
      .map(({ id }) => [id, ['not-exercised', note] as const]),
  );
  const report = sampleReport({ verdict: 'unjudged', exitCode: 3, notes: [note], rows });
  const text = summary({ ...report, target: { ...report.target, control: false } });
  expect(text.split(note)).toHaveLength(2);
  expect(text).toContain('Run this next, with the same keys:\n  plumbline doctor http://127.0.0.1:4010/v1\n');
  expect(text.split('\n').length).toBeLessThan(10);
});

test('the last lines sum up: totals, requests, time, seed, reports, and the verdict once more unless all is well', () => {
  const report = eventfulReport();
  const { pass, fail, inconclusive } = report.totals;
  const sums = `${pass} passed, ${fail} failed, ${inconclusive} inconclusive, ${report.totals['not-exercised']} not exercised, ${report.totals['not-observable']} not observable`;
  const text = unwrapped(report).trim();
  expect(text).toContain(
    `${ledger.length} requirements: ${sums}. 1,234 requests in 2.1 s, seed -77. Reports: out/reports`,
  );
  expect(text.endsWith('Reports: out/reports non-conformant; exit code 1')).toBe(true);
  const incomplete = sampleReport({ verdict: 'incomplete', exitCode: 4 });
  expect(unwrapped(incomplete).trim().endsWith('Reports: out/reports incomplete; exit code 4')).toBe(true);
  expect(unwrapped(sampleReport()).trim().endsWith('Reports: out/reports')).toBe(true);
  expect(unwrapped(report, { reportDir: undefined })).not.toContain('Reports:');
});

test('where a requirement failed the summary says where to read how to fix it', () => {
  const failed = summary(sampleReport({ failures: [sampleFailure('auth.bearer')] }));
  expect(failed).toContain('How it is checked, and how to fix it:\n  plumbline explain auth.bearer\n');
  expect(summary(sampleReport())).not.toContain('plumbline explain');
});

test.each([60, 72])('at %d columns, 60 at least, no line is wider except those to be copied', (width) => {
  const long = `${'reason '.repeat(30)}${'w'.repeat(90)} ${'秘密'.repeat(50)}`;
  const report = sampleReport({
    notes: [long],
    waived: ['auth.bearer'],
    failures: (['guardrail-read.field.enable_free_model_publication', 'secrecy.key-echo'] as const).map(
      (id) => sampleFailure(id, { message: long, expected: long, actual: long }),
    ),
    rows: { 'auth.bearer': ['inconclusive', long], 'auth.missing-key': ['not-exercised', `${long}!`] },
  });
  const prose = summary(report, { width, reportDir: `/${'folder/'.repeat(20)}` })
    .split('\n')
    .filter((line) => !line.startsWith('  situation '))
    .filter((line) => !/^ {2}(?:curl|plumbline) /.test(line));
  expect(Math.max(...prose.map(countColumns))).toBeLessThanOrEqual(width);
  expect(prose.length).toBeGreaterThan(40);
  for (const less of [0, 20, Number.NaN])
    expect(summary(report, { width: less })).toBe(summary(report, { width: 60 }));
});

test('colour is asked for or absent, changes nothing else, and is not red where nothing failed', () => {
  const plain = summary(eventfulReport());
  const colored = summary(eventfulReport(), { color: true });
  const withoutColor = (text: string) => text.replaceAll(new RegExp(`${esc}\\[\\d+m`, 'g'), '');
  expect(plain).not.toContain(esc);
  expect(colored).toContain(`${esc}[31m`);
  expect(withoutColor(colored)).toBe(plain);
  expect(summary(sampleReport(), { color: true })).not.toContain(`${esc}[31m`);
  // Nor does text from a server act between the colours.
  const report = hostileReport(everyHostileText, everyHostileText);
  const hostile = withoutColor(summary(report, { color: true, reportDir: everyHostileText }));
  expect(hostile.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  expect(hostile).toContain('\\u001b[2J');
});

// As its runner reads lines: a command begins one, blanks aside; one of the older form stands anywhere.
const isCommand = (line: string) => /^\s*::|##\[/.test(line);

test.each([60, 100])('a log of GitHub Actions finds no command in the summary at %d columns', (width) => {
  const long = `${'w'.repeat(200)} ::error::x ${'##[error]y '.repeat(9)}${'::set-env name=a::b '.repeat(40)}`;
  const report = sampleReport({
    verdict: 'unjudged',
    notes: [`::error::x`, long],
    failures: [sampleFailure('auth.bearer', { message: long, expected: '::error::x', actual: long })],
    rows: { 'auth.missing-key': ['inconclusive', long], 'auth.unknown-key': ['not-exercised', long] },
  });
  const lines = summary(report, { width }).split('\n');
  expect(lines.filter(isCommand)).toEqual([]);
  expect(lines.filter((line) => /^\s*\\::/.test(line)).length).toBeGreaterThan(0);
});
