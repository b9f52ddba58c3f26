import { describe, expect, test } from 'vitest';
import { renderMarkdown, summaryBytes } from '../../reports/markdown.js';
import { statusOrder } from '../../reports/wording.js';
import { ledger } from '../../spec/ledger.js';
import { everyHostileText, hostileReport, hostileTexts } from './hostile-report.js';
import { reportsToRender } from './rendered-reports.js';
import { eventfulReport, mustIds, sampleFailure, sampleReport } from './sample-report.js';

const bytes = (text: string) => Buffer.byteLength(text, 'utf8');

function row(page: string, first: string): readonly string[] {
  const line = page.split('\n').find((one) => one.startsWith(`| ${first} |`)) ?? '';
  return line
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.replaceAll('*', '').trim());
}

/**
 * What is left of a page once fences and spans of code are taken out as CommonMark reads them: a fence ends at one as
 * long, a span at as many backticks as began it.
 */
function outsideCode(page: string): string {
  const kept: string[] = [];
  let fence: string | undefined;
  for (const line of page.split('\n')) {
    const marks = /^ {0,3}(`{3,})/.exec(line)?.[1];
    if (fence === undefined && marks !== undefined && !line.slice(marks.length).includes('`')) fence = marks;
    else if (fence !== undefined) {
      if (marks !== undefined && marks.length >= fence.length && line.trim() === marks) fence = undefined;
    } else kept.push(line);
  }
  expect(fence, 'a fence that is left open').toBeUndefined();
  const text = kept.join('\n').replace(/\\[!-/:-@[-`{-~]/g, '\u{1f512}');
  return text.replace(/(?<!`)(`+)(?!`)([^\n]*?[^`\n])\1(?!`)/g, '\u{1f4c4}');
}

test('the page begins with the verdict, why, the gate, and what was run', () => {
  const page = renderMarkdown(eventfulReport());
  expect(page.split('\n\n').slice(0, 3)).toEqual([
    '## plumbline: non-conformant',
    '**2 must and 1 derived requirements failed**',
    'Exit code 1.',
  ]);
  expect(page).toContain('| Target | `http://127.0.0.1:4010/v1` |');
  expect(page).toMatch(/1,234 requests and \d+ cases in 2\.1 s/);
  expect(page).toContain('standard, seed `-77`');
});

test('the page says that a run stopped early, and that a suite failed', () => {
  const page = renderMarkdown(sampleReport({ complete: false, exitCode: 5, notes: ['interrupted'] }));
  for (const words of ['stopped early', 'do not rely on this verdict', 'Note: interrupted'])
    expect(page).toContain(words);
});

test('the page has the parts in their order', () => {
  const page = renderMarkdown(eventfulReport());
  const headings = page.split('\n').filter((line) => /^###? /.test(line));
  expect(headings).toEqual([
    '## plumbline: non-conformant',
    '### Failed (3)',
    '### Advisory findings (1); not part of the verdict',
    '### Inconclusive (3)',
    '### Not exercised (22), most valuable first',
  ]);
  expect(page.match(/^#### /gm)).toHaveLength(3);
  expect(renderMarkdown(sampleReport())).not.toContain('###');
});

test.each(reportsToRender)('the totals of the %s report are in the table and in the last line', (_, make) => {
  const report = make();
  const inOrder = statusOrder.map((status) => report.totals[status]);
  const page = renderMarkdown(report);
  expect(row(page, '**all**').map(Number)).toEqual(inOrder);
  const last = page.trimEnd().split('\n').at(-1) ?? '';
  expect(last.match(/\d+/g)?.map(Number)).toEqual([report.requirements.length, ...inOrder]);
});

describe('a violation', () => {
  const failure = sampleFailure('vault-delete.404.other-intern');

  test('is shown with all that it takes to reproduce it', () => {
    const page = renderMarkdown(sampleReport({ failures: [failure] }));
    const told = page.slice(page.indexOf('**must `vault-delete.404.other-intern` §7.1**: '));
    expect(told).toContain(`\`${failure.message}\``);
    expect(told).toContain('- expected `404`\n- got `204`\n- confirmed in 3 of 3 attempts');
    expect(told).toContain(`\`\`\`sh\n${failure.reproduce.curl}\n${failure.reproduce.command}\n\`\`\``);
  });

  test('stands for those that have the same cause, which are named below it', () => {
    const gone = {
      situation_parts: { operation: 'vault-delete', outcome: 204, request: 'DELETE own/a name' },
      mismatch: { wrong: 'status', due: [404] },
    } as const;
    const ids = ['vault-delete.404.other-intern', 'vault-delete.404.never-stored'] as const;
    const failures = ids.map((id) => sampleFailure(id, gone));
    const page = renderMarkdown(sampleReport({ failures }));
    expect(page).toMatch(/^#### 2 requirements: .* instead of 404/m);
    expect(page).toMatch(/^The same cause fails `vault-delete\.404\.[\w-]+`\.$/m);
    expect(page.match(/^```sh$/gm)).toHaveLength(1);
  });

  test('that a waiver covers says so', () => {
    const waived = ['vault-delete.404.other-intern'];
    const page = renderMarkdown(sampleReport({ failures: [failure], waived }));
    expect(page).toContain('**must `vault-delete.404.other-intern` §7.1** (waived): ');
    expect(page).toContain('1 waived');
  });

  test('has no command that no shell would take', () => {
    const reproduce = { ...failure.reproduce, curl: `curl ${'x'.repeat(70_000)}` };
    const page = renderMarkdown(sampleReport({ failures: [{ ...failure, reproduce }] }));
    expect(page).toContain('# The curl line has 70,005 characters; see report.json.');
    expect(page).toContain(failure.reproduce.command);
  });
});

test('what has no result is grouped by its reason', () => {
  const page = renderMarkdown(eventfulReport());
  expect(page).toContain(
    '- **2 requirements (2 must)**: intermittent, 2 of 5 attempts: got 500\n  `vault-delete.502.unreachable`, `vault-delete.504.timeout`',
  );
  expect(page).toContain('- **21 requirements (20 must)** need an inference route with a free model');
  expect(page).toContain('and 5 more');
  expect(page).toContain('2 requirements not selected.');
});

describe('the size', () => {
  const long = 'é'.repeat(600);
  const reproduce = { curl: `curl ${'ü'.repeat(7_000)}`, command: 'plumbline run' };
  const changes = { expected: long, actual: long, reproduce };
  const failures = mustIds.flatMap((id) =>
    [1, 2].map((nth) => sampleFailure(id, { ...changes, message: `${nth} ${long}` })),
  );
  const derived = ledger.filter(({ level, unseen }) => level === 'derived' && unseen === undefined);
  const rows = Object.fromEntries(derived.map(({ id }) => [id, ['inconclusive', `${id} ${long}`] as const]));
  const report = sampleReport({ failures, rows });

  test('is below 1 MiB of UTF-8, entries left out whole and counted', () => {
    const page = renderMarkdown(report);
    const whole = renderMarkdown(report, { mostBytes: 100 * summaryBytes });
    expect(bytes(whole)).toBeGreaterThan(summaryBytes);
    expect(bytes(page)).toBeLessThan(summaryBytes);
    expect(bytes(page)).toBeGreaterThan(summaryBytes - 40_000);
    const told = page.match(/^#### /gm)?.length ?? 0;
    const left = Number(/\*(\d+) more entries do not fit/.exec(page)?.[1]);
    expect(told).toBeGreaterThan(20);
    expect(told + left).toBe(mustIds.length);
    expect(outsideCode(page)).toContain('requirements:');
  });

  test.each([65_536, 500_001])('keeps to %d bytes, with every heading and the totals', (most) => {
    const page = renderMarkdown(report, { mostBytes: most });
    expect(bytes(page)).toBeLessThan(most);
    expect(page).toContain(`### Failed (${mustIds.length})`);
    expect(page).toContain(`### Inconclusive (${Object.keys(rows).length})`);
    expect(page.trimEnd().split('\n').at(-1)).toContain(`${report.totals.fail} failed`);
  });

  test('of a run with many notes stays below the least that is asked for', () => {
    const notes = Array.from({ length: 50 }, (_, nth) => `${nth}${'\u0000<'.repeat(900)}`);
    const report = sampleReport({ notes, baseUrl: `http://${'|\u0000'.repeat(9_000)}` });
    const page = renderMarkdown(report, { mostBytes: 65_536 });
    expect(bytes(page)).toBeLessThan(65_536);
  });
});

test('text from a server is inert', () => {
  for (const text of [...Object.values(hostileTexts), everyHostileText]) {
    const page = renderMarkdown(hostileReport(text, text));
    const outside = outsideCode(page);
    // Neither HTML nor a link, an image, a mention, an address or an issue that would become one.
    expect(outside, text).not.toMatch(/[<>[\]@]|:\/\/|javascript:|www\.|&\w+;|#\d/);
    // Only the page's own headings, and no rule of a table but its own two.
    const headings = outside.match(/^#+ .*/gm) ?? [];
    expect(headings.filter((line) => !/^#{2,4} (plumbline|[A-Z]|\d+ requirements?:)/.test(line))).toEqual([]);
    expect(outside.match(/^\|[ :|-]+\|$/gm)).toHaveLength(2);
  }
});

test('text from a server keeps a table a table', () => {
  const page = renderMarkdown(sampleReport({ baseUrl: 'http://x/`a|b``|c' }));
  const line = page.split('\n').find((one) => one.startsWith('| Target |')) ?? '';
  expect(line).toBe('| Target | ```http://x/`a\\|b``\\|c``` |');
});

test('text from a server stands in a fence that it cannot close', () => {
  const reproduce = { curl: 'curl "`````\n```\n<b>"', command: 'plumbline run' };
  const page = renderMarkdown(sampleReport({ failures: [sampleFailure('auth.bearer', { reproduce })] }));
  expect(page).toContain('\n``````sh\ncurl "`````⏎```⏎<b>"\nplumbline run\n``````\n');
});
