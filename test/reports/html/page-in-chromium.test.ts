import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Report } from '../../../spec/report.js';
import { skipReason, startBrowser } from '../../browser/browser.mjs';
// Importing it fails if the build is older than the sources.
import { command } from '../../cli/plumbline-process.js';
import { folder } from '../../folders.js';
import { hostileReport } from '../hostile-report.js';
import { fullReport, held, violated } from './full-report.js';

const render = `
  import { readFileSync } from 'node:fs';
  const { renderHtml } = await import(process.argv[1]);
  process.stdout.write(JSON.parse(readFileSync(0, 'utf8')).map((report) => renderHtml(report, { directory: 'my report' })).join('\\0'));
`;

/** The pages of reports as the build renders them: it is the build's script that users get. */
function builtPages(reports: readonly Report[]): readonly string[] {
  const page = new URL('../reports/html/page.js', `file://${command}`).href;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', render, page], {
    input: JSON.stringify(reports),
    encoding: 'utf8',
    maxBuffer: 100 * 1024 * 1024,
  });
  expect(stderr).toBe('');
  return stdout.split('\0');
}

const whole = fullReport();
/** Some passed rows are enough, and a page of all takes its time. */
const report = {
  ...whole,
  requirements: whole.requirements.filter(
    ({ id, status }, at) => status !== 'pass' || id === held || at % 20 === 0,
  ),
};
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;
let context: BrowserContext;
let page: Page;
let address: string;
let hostileAddress: string;
let hostilePage: string;
/** What the pages asked the network for, and what they complained of. */
const asked: string[] = [];
const complaints: string[] = [];

beforeAll(async () => {
  if (skipReason !== undefined) return;
  const directory = folder();
  const [plain = '', hostile = ''] = builtPages([report, hostileReport()]);
  hostilePage = hostile;
  [address = '', hostileAddress = ''] = [plain, hostile].map((text, at) => {
    const file = join(directory, `${at}.html`);
    writeFileSync(file, text);
    return pathToFileURL(file).href;
  });
  browser = await startBrowser();
  context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  context.on('request', (request) => {
    if (!request.isNavigationRequest() && !request.url().startsWith('data:')) asked.push(request.url());
  });
  context.on('console', (message) => complaints.push(message.text()));
  context.on('weberror', (error) => complaints.push(error.error().message));
  context.on('dialog', (dialog) => complaints.push(dialog.message()));
  context.setDefaultTimeout(10_000);
  page = await context.newPage();
  // A browser starts slowly on a busy machine.
}, 60_000);

beforeEach(({ skip }) => skip(skipReason !== undefined, skipReason));

afterEach(() => {
  expect({ asked, complaints }).toEqual({ asked: [], complaints: [] });
});

afterAll(async () => {
  await browser?.close();
});

async function open(fragment = '', at = address): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`${at}${fragment === '' ? '' : `#${fragment}`}`);
}

function openAll(): Promise<void> {
  return page.evaluate(() => {
    for (const one of document.querySelectorAll('details')) one.open = true;
  });
}

function measureWidths(): Promise<readonly number[]> {
  return page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
}

function shownRows(): Promise<readonly string[]> {
  return page
    .locator('[data-row]:not([hidden])')
    .evaluateAll((rows) => rows.map((row) => row.querySelector('.id')?.textContent ?? ''));
}

function rowsWhere(wanted: (row: (typeof report.requirements)[number]) => boolean): readonly string[] {
  return report.requirements.filter(wanted).map(({ id }) => id);
}

it('filters show the rows of a status, a level, an area, and say how many', async () => {
  await open();
  await page.getByRole('checkbox', { name: /^failed/ }).check();
  await page.getByRole('checkbox', { name: /^inconclusive/ }).check();
  await page.getByRole('checkbox', { name: /^must/ }).check();
  await page.getByRole('combobox', { name: 'Area' }).selectOption('vault-delete');
  const expected = rowsWhere(
    ({ id, status, level }) =>
      ['fail', 'inconclusive'].includes(status) && level === 'must' && id.startsWith('vault-delete.'),
  );
  await page.getByText(`${expected.length} of ${report.requirements.length} requirements`).waitFor();
  expect(await shownRows()).toEqual(expected);
  expect(expected.length).toBeGreaterThan(1);
  expect(new URL(page.url()).hash).toBe('#status=fail,inconclusive&level=must&area=vault-delete');
  expect(await page.locator('[data-count]').getAttribute('aria-live')).toBe('polite');
});

it('filters search by words after a slash, in the evidence too, and show all again', async () => {
  await open();
  await page.keyboard.press('/');
  await page.keyboard.type('OTHER-intern exist');
  await page.getByText(/^1 of /).waitFor();
  expect(await shownRows()).toEqual([violated]);
  const search = page.getByRole('searchbox');
  await search.fill('two lines late');
  await page.locator('[id="vault-delete.502.unreachable"]').waitFor();
  expect(await shownRows()).toEqual(['vault-delete.502.unreachable']);
  await search.fill('secrets/foo_bar');
  await page.getByText(/^4 of /).waitFor();
  expect(await shownRows()).toEqual(rowsWhere(({ status }) => status === 'fail'));
  await search.fill('no such words');
  await page.getByText('No requirement matches all of these filters.').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByText(`${report.requirements.length} of`).waitFor();
  expect(new URL(page.url()).hash).toBe('');
});

it('filters are taken from a shared address, and from the links of the page', async () => {
  await open('status=fail&text=error.message+there');
  expect(await shownRows()).toEqual(['envelope.error.message']);
  expect(await page.getByRole('checkbox', { name: /^failed/ }).isChecked()).toBe(true);
  await page.locator('.areas').getByRole('link', { name: 'rate-limit', exact: true }).click();
  const expected = rowsWhere(({ id }) => id.startsWith('rate-limit.'));
  // The filters follow the address, which changes after the click.
  await page.getByText(`${expected.length} of ${report.requirements.length} requirements`).waitFor();
  expect([...(await shownRows())].sort()).toEqual([...expected].sort());
});

it('a link to a requirement opens its row, marks it and goes there', async () => {
  await open(violated);
  const row = page.locator('.row.linked');
  expect(await row.getAttribute('id')).toBe(violated);
  expect(await row.getAttribute('open')).not.toBeNull();
  expect(await row.evaluate((element) => Math.abs(element.getBoundingClientRect().top))).toBeLessThan(100);
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('SUMMARY');
  await page.locator('#ledger').getByRole('link', { name: 'envelope.error.message' }).click();
  await page.locator('[id="envelope.error.message"].linked[open]').waitFor();
  expect(await page.locator('.linked').count()).toBe(1);
});

it('a link to a requirement shows its row though the filters hide it', async () => {
  await open('status=fail');
  const undecided = 'vault-delete.504.timeout';
  expect(await shownRows()).not.toContain(undecided);
  await page.locator('#no-result').getByRole('link', { name: undecided }).click();
  await page.locator(`[id="${undecided}"][open]`).waitFor({ state: 'visible' });
  expect(await shownRows()).toHaveLength(report.requirements.length);
  await open(held);
  await page.locator(`[id="${held}"][open]`).waitFor({ state: 'visible' });
});

it('a link to a requirement is followed from the keyboard', async () => {
  await open();
  const link = page.locator('#ledger .fail a').first();
  await link.focus();
  await page.keyboard.press('Enter');
  const first = await page.locator('.row.linked').getAttribute('id');
  expect(first).toBe(await link.textContent());
  await page.keyboard.press('Enter');
  await page.locator(`[id="${first}"]:not([open])`).waitFor();
});

it('The keys j and k go from violation to violation and open each.', async () => {
  await open();
  const rows = page.locator('[data-violation]');
  const linked = () =>
    rows.evaluateAll((all) =>
      all.flatMap((row, at) => (row.matches('.linked[open]') && row.checkVisibility() ? [at] : [])),
    );
  const count = await rows.count();
  expect(count).toBeGreaterThan(4);
  for (let at = 0; at < count; at++) {
    await page.keyboard.press('j');
    expect(await linked()).toEqual([at]);
  }
  for (const key of ['j', 'k', 'k']) await page.keyboard.press(key);
  expect(await linked()).toEqual([count - 3]);
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('SUMMARY');
});

describe('the copy buttons', () => {
  const failure = report.checks.find(({ id }) => id === violated)?.failure;
  const row = () => page.locator(`[id="${violated}"]`);

  it('copy the curl line, the commands and the address of the finding', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(violated);
    const lines = [
      ['button', 'Copy curl line', failure?.reproduce.curl],
      ['button', 'Copy command', failure?.reproduce.command],
      ['button', 'Copy replay', "plumbline replay 'my report' 1"],
      ['link', 'Link to this finding', `${address}#${violated}`],
    ] as const;
    for (const [role, name, line] of lines) {
      await row().getByRole(role, { name }).click();
      await page.locator('[data-announcement]', { hasText: 'Copied' }).waitFor({ state: 'attached' });
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(line);
    }
  });

  it('copy where the browser keeps its clipboard to itself', async () => {
    await open(violated);
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await row().getByRole('button', { name: 'Copy command' }).click();
    await row().getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(failure?.reproduce.command);
  });
});

it('the page can be used by everybody, in the light and in the dark: axe', async () => {
  await open(violated);
  // What is closed has contrast too.
  await openAll();
  expect(await page.locator('mark').count()).toBeGreaterThan(0);
  await page.evaluate(axe);
  const findFaults = (rules: { readonly runOnly?: string[] }) =>
    page.evaluate(async (options) => {
      const { axe: inPage } = window as unknown as { axe: Pick<typeof import('axe-core'), 'run'> };
      const { violations }: AxeResults = await inPage.run(options);
      return violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)]);
    }, rules);
  expect(await findFaults({})).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  // Only the contrast is another in the dark.
  const inTheDark = await findFaults({ runOnly: ['color-contrast'] });
  await page.emulateMedia({ colorScheme: 'light' });
  expect(inTheDark).toEqual([]);
});

it('a phone scrolls one way only, all opened', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open();
  await openAll();
  expect(await measureWidths()).toEqual([390, 390]);
  await page.setViewportSize({ width: 1280, height: 800 });
});

it('colours follow the system; paper is white, and shows violations open, and no controls', async () => {
  await open();
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const white = 'rgb(255, 255, 255)';
  expect(await paper()).toBe(white);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await paper()).not.toBe(white);
  const evidence = page.locator('[id="envelope.error.message"] .outcome-pair').first();
  expect(await evidence.isVisible()).toBe(false);
  await page.emulateMedia({ media: 'print' });
  expect(await paper()).toBe(white);
  expect(await evidence.isVisible()).toBe(true);
  expect(await page.locator('.row.pass').first().isVisible()).toBe(false);
  for (const control of ['.filters', '.keys', '[data-copy]'])
    expect(await page.locator(control).first().isVisible()).toBe(false);
  await page.emulateMedia({ media: null, colorScheme: 'light' });
});

it('without scripts all can be read, and no control is there to fail', async () => {
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const still = await plain.newPage();
  await still.goto(address);
  await still.locator('[id="envelope.error.message"] > summary').click();
  for (const id of ['envelope.error.message', violated])
    expect(await still.locator(`[id="${id}"] .outcome-pair`).first().isVisible()).toBe(true);
  expect(await still.locator('button:visible, form:visible').count()).toBe(0);
  await plain.close();
});

it('hostile text does nothing, and makes nothing that the page did not write', async () => {
  await open(violated, hostileAddress);
  await openAll();
  expect(await page.evaluate(() => 'struck' in window)).toBe(false);
  const body = hostilePage.replace(/<(script|style)>.*?<\/\1>/gs, '<$1></$1>');
  const written = body.match(/<[a-z]/g)?.length;
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBe(written);
  expect(await page.locator(`[id="${violated}"] .message`).first().textContent()).toContain(
    '<script>window.struck',
  );
  expect(await measureWidths()).toEqual([1280, 1280]);
});
