import { describe, expect, it } from 'vitest';
import { mutants } from '../../../reference/mutants.js';
import { renderHtml } from '../../../reports/html/page.js';
import { areaOf, areas } from '../../../spec/ledger.js';
import { type Report, statuses } from '../../../spec/report.js';
import { hostileReport } from '../hostile-report.js';
import { expectOwnOnly } from '../own-style.js';
import { type SampleChanges, sampleReport } from '../sample-report.js';
import { fullReport, held, undecidedCheck } from './full-report.js';

const report = fullReport();
const page = renderHtml(report, { directory: 'my report' });

/** What a reader reads, without the script and the stylesheet. */
function textOf(html: string): string {
  return html
    .replace(/<(script|style)>.*?<\/\1>/gs, '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

function rowOf(id: string, html = page): string {
  const [, rest = ''] = html.split(`id="${id}" data-`);
  expect(rest, id).not.toBe('');
  return rest.split('class="row ')[0] ?? '';
}

it('the page begins with the verdict and why', () => {
  const text = textOf(page);
  expect(text.indexOf('non-conformant')).toBeLessThan(text.indexOf('1 derived requirements failed'));
  expect(text).toContain('The run stopped early');
  expect(text).toContain('the clock of the target is 90 s behind');
  expect(textOf(renderHtml(sampleReport()))).toContain('requirements passed on http://127.0.0.1:4010/v1');
  expect(textOf(renderHtml(sampleReport({ exitCode: 5 })))).toContain('The suite itself failed');
});

it('the page has the totals of the report, and as many rows', () => {
  for (const status of statuses) {
    expect(page).toContain(`<b data-total="${status}">${report.totals[status]}</b>`);
    expect(page.split(`data-row="true" data-status="${status}"`)).toHaveLength(report.totals[status] + 1);
  }
});

it('the page lists every requirement, area by area, and in each folds away what needs no attention', () => {
  const ledger = page.slice(page.indexOf('id="ledger"'));
  const ids = [...ledger.matchAll(/data-row="true".*?class="id"[^>]*>([^<]+)</g)].map(([, id]) => id);
  const isSettled = ({ status }: (typeof report.requirements)[number]) =>
    status === 'pass' || status === 'not-observable';
  const inAreas = areas.flatMap((area) => {
    const rows = report.requirements.filter(({ id }) => areaOf(id) === area);
    return [...rows.filter((row) => !isSettled(row)), ...rows.filter(isSettled)];
  });
  expect(ids).toEqual(inAreas.map(({ id }) => id));
  expect(textOf(ledger)).toMatch(/\d passed, 1 not observable/);
});

it('the page tells first what is to be done: the violations, or else what is missing', () => {
  const partsOf = (html: string) =>
    [...html.matchAll(/<section id="([a-z-]+)"/g)].map(([, id]) => id).slice(0, 2);
  expect(partsOf(page)).toEqual(['failed', 'areas']);
  expect(page.match(/<details class="row [^>]* open/g)).toHaveLength(1);
  expect(partsOf(renderHtml(sampleReport()))).toEqual(['areas', 'run']);
  for (const verdict of ['incomplete', 'unjudged'] as const)
    expect(partsOf(renderHtml(sampleReport({ verdict, exitCode: 4 })))).toEqual(['no-result', 'areas']);
});

it('the page links to nothing that is not there, whatever the report has', () => {
  const few = sampleReport({ verdict: 'unjudged', exitCode: 3, notes: ['down'] });
  for (const html of [page, renderHtml(few), renderHtml({ ...few, checks: [], silences: [] })]) {
    const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const targets = [...html.matchAll(/href="#([^"=]+)"/g)].map(([, id]) => id);
    expect(targets.length).toBeGreaterThan(20);
    expect(targets.filter((id) => !ids.has(id))).toEqual([]);
  }
});

it('the page names the command to type next where too little was proven, never the one that was just typed', () => {
  const run = (target: Partial<Report['target']>, changes: SampleChanges = {}) => {
    const { target: known, ...rest } = sampleReport({ verdict: 'incomplete', exitCode: 4, ...changes });
    return textOf(renderHtml({ ...rest, target: { ...known, control: false, ...target } }));
  };
  expect(run({ profile: 'a b.yaml' })).toContain("plumbline doctor --profile 'a b.yaml'");
  expect(run({})).toContain('plumbline init');
  const disturbed = { 'auth.bearer': ['inconclusive', 'a gateway answered'] } as const;
  expect(run({}, { rows: disturbed })).toContain('plumbline doctor http://127.0.0.1:4010/v1');
  const rows = { 'auth.bearer': ['not-exercised', 'needs a key'] } as const;
  expect(run({ control: true }, { rows })).toContain(
    'What auth.bearer needs, and how it is checked:commandplumbline explain auth.bearer',
  );
  expect(run({ embedded: true }, { rows })).toContain('plumbline explain auth.bearer');
  expect(run({ control: true }, { rows, verdict: 'unjudged' })).not.toContain('plumbline explain');
  expect(run({ base_url: null })).not.toContain('Run this next');
  expect(run({}, { verdict: 'conformant' })).not.toContain('Run this next');
  const control_url = 'http://127.0.0.1:4010/control';
  const targets = [{ control: true, control_url }, { embedded: true as const }, { profile: 'a.yaml' }, {}];
  const unjudged = { verdict: 'unjudged', exitCode: 3, complete: false } as const;
  for (const target of targets)
    expect(run(target, unjudged)).not.toMatch(/Run this next|plumbline run|plumbline doctor/);
});

it.each<readonly [what: string, part: string, texts: readonly string[]]>([
  [
    'the run: target, time, seed, depth, versions, gate, selection, what was left behind',
    page,
    [
      ...['Targethttp://127.0.0.1:4010/v1', '2030-04-05 06:07:08 UTC', 'Duration2.1 s', 'Seed-77'],
      ...['Depthstandard', 'Shard2/3', 'Onlyvault-*', 'Skippedrate-limit.*', 'Gateexit code 1'],
      ...['plumbline-conformance 0.1.0', '1 requirement failed, waived', 'waived, derived §2.2'],
      ...['excused by the policy', 'own/plumb_left: its deletion was answered 500'],
    ],
  ],
  [
    'a violation with all that it takes to reproduce it',
    rowOf('vault-delete.404.other-intern'),
    [
      '“404 | intern not in the selected workspace, or secret does not exist',
      'How to fix it: Look the intern up',
      'The curl lines need a world of their own; replay opens one.',
      ...["plumbline replay 'my report' 1", 'must §7.1', 'expected 404, got 204'],
      ...['Expected404Got204Confirmedin 3 of 3 attempts', 'Bearer $PLUMBLINE_KEY_MEMBER"'],
      ...['--only vault-delete.404.other-intern --seed -77', '"name": "foo_bar"'],
      'DELETE http://127.0.0.1:4010/v1/vault/interns/own/secrets/foo_bar',
      'No response: no answer within 10 s',
    ],
  ],
  [
    'what has no result by the reason, and a number for what was not selected',
    page.split('id="no-result"')[1] ?? '',
    [
      '21 requirements (20 must) need an inference route with a free model',
      '1 requirement (1 must) needs a key of the role write_disabled',
      '2 requirements not selected.',
    ],
  ],
])('the page shows %s', (_what, part, texts) => {
  for (const text of texts) expect(textOf(part)).toContain(text);
});

it('the page shows every violation of one requirement under its cause', () => {
  expect(textOf(rowOf('vault-delete.404.other-intern'))).toContain('1 further violation');
  const causes = page.split('class="cause"').slice(1).map(textOf);
  const isOf = (text: string) => causes.flatMap((cause, at) => (cause.includes(text) ? [at] : []));
  expect(isOf('Goterror.message is missing')).toHaveLength(1);
  expect(isOf('Goterror.message is a number')).toHaveLength(1);
  expect(isOf('Goterror.message is missing')).not.toEqual(isOf('Goterror.message is a number'));
});

it('the page begins with every cause where there are several, each with a link to its violation', () => {
  const [, list = ''] = page.slice(0, page.indexOf('class="cause"')).split('class="causes"');
  const links = [...list.matchAll(/<a href="#([^"]+)">([^<]+)</g)];
  expect(links.map(([, , sentence]) => sentence)).toEqual(
    [...page.matchAll(/class="cause"><h3>(\d[^<]+)</g)].map(([, sentence]) => sentence),
  );
  expect(links.length).toBeGreaterThan(1);
  for (const [, id] of links) expect(page).toContain(`id="${id}"`);
});

it('the page shows in red the answer that a violation is about, and no other', () => {
  const answers = [...rowOf('envelope.error.message').matchAll(/<b class="(answer[^"]*)">/g)];
  expect(answers.map(([, names]) => names)).toEqual(['answer', 'answer got']);
});

it('the page tells of a passed requirement what was found for others, and how many faulty servers fail it', () => {
  const row = textOf(rowOf(held));
  const count = mutants.filter(({ violates }) => violates.includes(held)).length;
  expect(count).toBeGreaterThan(1);
  expect(row).toContain(`Its checks catch ${count} faulty servers of the catalogue.`);
  expect(row).toContain('which failed another requirement: vault-delete.404.other-intern');
  expect(row).not.toContain('expected 404, got 204');
});

it('the page shows the attempts of an inconclusive check once, and elsewhere links to them', () => {
  const [first = '', second = ''] = ['vault-delete.502.unreachable', 'vault-delete.504.timeout'].map((id) =>
    textOf(rowOf(id)),
  );
  expect(page.split('expected 504, got 500')).toHaveLength(2);
  expect(first).toContain('expected 504, got 500');
  expect(first).toContain('a body\nof two lines');
  expect(first).toContain('kept only the beginning of the body');
  expect(second).toContain('The attempts are listed under vault-delete.502.unreachable');
  expect(second).toContain(undecidedCheck);
});

it('the page shows unspecified behaviour, and the classes of the generated cases', () => {
  const text = textOf(page);
  expect(text).toMatch(/Left open\. §2\.1.*monthly/s);
  expect(text.split('Cases by class: vault timeout 30, unreachable 10, bad response 0')).toHaveLength(2);
});

it('the page allows its own stylesheet and script by their hashes, and nothing else', () => {
  expectOwnOnly(page, ['style', 'script']);
});

describe('hostile text', () => {
  const hostile = renderHtml(hostileReport());
  const body = hostile.replace(/<(script|style)>.*?<\/\1>/gs, '');

  it('appears as codes where it could act or hide', () => {
    expect([...body.matchAll(/.{20}(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gsu)].map(([found]) => found)).toEqual([]);
    for (const code of ['\\u001b', '\\u0000', '\\ud800', '\\udfff', '\\u202e', '\\u200b', '\\ufeff'])
      expect(body).toContain(`<span class="code">${code}</span>`);
  });

  it('is cut where it is too long, with a note', () => {
    expect(hostile.length).toBeLessThan(3_000_000);
    expect(textOf(body)).toMatch(/ … \d+,\d{3},\d{3} more characters are in report\.json/);
  });
});
