import { join } from 'node:path';
import { expect } from 'vitest';
import { compare } from '../../cli/compare.js';
import { merge } from '../../cli/merge.js';
import { observe } from '../../cli/observe.js';
import { report } from '../../cli/report.js';
import { trend } from '../../cli/trend.js';
import { loadWaivers } from '../../cli/waivers.js';
import { Selection } from '../../judge/selection.js';
import { formats } from '../../reports/formats.js';
import { buildHistoryEntry } from '../../reports/history.js';
import type { Report } from '../../spec/report.js';
import { UsageError } from '../../spec/thrown.js';
import { readProfile } from '../../targets/profile/read-profile.js';
import { withPrinted } from '../cli/printed.js';
import { fileOf, folder } from '../folders.js';
import { fail, key, makeEntry, makeHar, readKey } from '../recordings/recorded.js';
import { eventfulReport } from '../reports/sample-report.js';
import { wholeProfile } from '../targets/profile/profile-files.js';

/** Reads a file that a user names. Resolves with the exit code, or rejects with UsageError. */
export type Reader = (path: string) => Promise<number>;

const everything = new Selection({ only: [], skip: [] });
const quiet = { quiet: true, color: false } as const;

export const smallReport: Report = smallerOf(eventfulReport());

function smallerOf(whole: Report): Report {
  const failed = whole.checks.filter(({ failure }) => failure !== null);
  const ids = new Set(failed.flatMap(({ requirements }) => requirements));
  const others = whole.requirements.filter(({ id }) => !ids.has(id));
  const ofEach = [...new Map(others.map((row) => [row.status, row])).values()];
  return {
    ...whole,
    requirements: [...whole.requirements.filter(({ id }) => ids.has(id)), ...ofEach],
    checks: failed,
  };
}

const reportText = JSON.stringify(smallReport);
const harText = makeHar([makeEntry(readKey(fail(401)))]);

/** A line of a recording that is read by itself. */
export const recordedLine = `${JSON.stringify({
  at: '2030-04-05T06:07:08.901Z',
  duration_ms: 3,
  request: { method: 'GET', url: 'https://api.example.test/v1/key', headers: [], body: null },
  response: {
    ...{ status: 401, headers: [['Content-Type', 'application/json']], truncated: false },
    body: '{"error":{"code":401,"message":"No key."}}',
  },
  lost: null,
})}\n`;

const waiver = { id: 'auth.bearer', reason: 'known', owner: 'key team', expires: '9999-12-31' };

export const readers = {
  'compare, old': { read: (path) => compared(path, good('report.json')), taken: reportText },
  'compare, new': { read: (path) => compared(good('report.json'), path), taken: reportText },
  merge: {
    read: (path) => merge([path], { ...quiet, report: folder(), format: ['json'] }),
    taken: reportText,
  },
  'report --from': {
    read: (path) => report({ ...quiet, from: path, report: folder(), format: formats }),
    taken: reportText,
  },
  trend: {
    read: async (path) => {
      for (const format of ['text', 'html', 'json'] as const)
        await trend({ file: path, last: 30, format, output: join(folder(), 'trend'), color: false });
      return 0;
    },
    taken: `${JSON.stringify(buildHistoryEntry(smallReport))}\n`,
  },
  observe: { read: (path) => observed({ files: [path] }), taken: harText },
  'observe, lines': { read: (path) => observed({ files: [path] }), taken: recordedLine },
  'observe --canary-file': {
    read: (path) => observed({ files: [good('recorded.har')], canaryFile: path }),
    taken: 'a value that somebody stored\n',
  },
  'run --profile': {
    read: (path) => readProfile(path, process.env).then(() => 0),
    taken: JSON.stringify(wholeProfile),
  },
  'run --waivers': {
    read: (path) => loadWaivers(path, everything).then(() => 0),
    taken: JSON.stringify({ waivers: ['one', 'another'].map((situation) => ({ ...waiver, situation })) }),
  },
} as const satisfies Readonly<Record<string, { readonly read: Reader; readonly taken: string }>>;

function good(name: 'report.json' | 'recorded.har'): string {
  return fileOf(name === 'report.json' ? reportText : harText, name);
}

function compared(old: string, other: string): Promise<number> {
  const output = join(folder(), 'c.md');
  return compare({ old, new: other, format: 'markdown', failOn: [], output, color: false });
}

function observed({ files, ...given }: { readonly files: readonly string[]; readonly canaryFile?: string }) {
  const where = { report: folder(), format: ['json', 'html'] } as const;
  return observe(files, { ...quiet, ...where, ...given, only: [], skip: [] });
}

// Values in the files of the tests that no message may repeat.
const secrets = [...Object.values(wholeProfile.keys), key, 'a value that somebody stored'];

export interface Outcome {
  /** Undefined where it was refused. */
  readonly code: number | undefined;
  readonly message: string;
  readonly printed: string;
  readonly ms: number;
}

/** Reads a file in this process. Anything but an exit code or a UsageError fails the test, as does a printed secret. */
export async function outcomeOf(read: () => Promise<number>): Promise<Outcome> {
  const start = performance.now();
  const { result, printed: before } = await withPrinted(() =>
    read().catch((error: unknown) => {
      if (error instanceof UsageError) return error.message;
      throw error;
    }),
  );
  const ms = performance.now() - start;
  const [code, message] = typeof result === 'number' ? [result, ''] : [undefined, result];
  const printed = `${before}${message}`;
  for (const secret of secrets) expect(printed).not.toContain(secret);
  expect(printed).not.toMatch(/^ {4}at /m);
  expect('polluted' in {}, 'a prototype was polluted').toBe(false);
  return { code, message, printed, ms };
}

/** Asserts that a file is refused within 5 s in a line or two that name it, and returns these. */
export async function refusalOf(read: Reader, path: string): Promise<string> {
  const { code, message, ms } = await outcomeOf(() => read(path));
  expect(code, 'it was accepted').toBeUndefined();
  expect(message).toContain(path.slice(0, 60));
  expect(message.split('\n').length).toBeLessThanOrEqual(2);
  expect(message.replaceAll(path, '').length).toBeLessThan(400);
  expect(ms).toBeLessThan(5_000);
  return message.replaceAll(path, 'FILE');
}
