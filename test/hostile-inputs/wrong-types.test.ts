import { dirname } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fileOf } from '../folders.js';
import { outcomeOf, readers, recordedLine, smallReport } from './readers.js';

type Step = string | number;

function listPlaces(value: unknown, place: readonly Step[] = []): readonly (readonly Step[])[] {
  if (typeof value !== 'object' || value === null) return [place];
  const inner = Array.isArray(value) ? value.map((item, at) => [at, item] as const) : Object.entries(value);
  return [place, ...inner.flatMap(([step, member]) => listPlaces(member, [...place, step]))];
}

/** Copies a value with another one at a place, or without that member where it is undefined. */
function change(value: unknown, [step, ...rest]: readonly Step[], to: unknown): unknown {
  if (step === undefined) return to;
  if (Array.isArray(value)) return value.map((item, at) => (at === step ? change(item, rest, to) : item));
  const members = Object.entries(value as object).map(([name, member]) => [
    name,
    name === step ? change(member, rest, to) : member,
  ]);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

/** Wrong values: every type, and values that break arithmetic, dates and terminals. */
const polluting = '{"then":1,"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
const wrong = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, true, 0, -1, 0.5, 1e308, -1e308, 2 ** 53, '', ' ', [], {}),
  fc.constantFrom<unknown>('9999-99-99T99:99:99Z', '0000-00-00T00:00:00.000Z', '+275760-09-13T00:00:00.001Z'),
  fc.constantFrom<unknown>(
    '\u001b[2J\u0000\u202e',
    '\ud800',
    '../../../etc/passwd',
    '%ZZ',
    '${',
    '*'.repeat(300),
  ),
  fc.constantFrom<unknown>([[]], [null], [{}], { a: { b: [] } }, { length: -1 }, { toString: 1 }),
  fc.constant<unknown>(JSON.parse(polluting)),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

/** Asserts that a file with any values is accepted or refused in words, and nothing else happens. */
async function expectSurvival(
  original: unknown,
  read: (text: string) => Promise<number>,
  leastRefused = 1,
): Promise<void> {
  const places = listPlaces(original);
  const one = fc.record({ place: fc.constantFrom(...places), to: wrong });
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 3 }), async (changes) => {
      const value = changes.reduce<unknown>((whole, { place, to }) => tryChange(whole, place, to), original);
      const { code, message, printed } = await outcomeOf(() => read(JSON.stringify(value) ?? ''));
      if (code === undefined) refused += 1;
      expect([undefined, 0, 1, 3, 4]).toContain(code);
      for (const line of message.split('\n')) expect(line.length).toBeLessThan(500);
      for (const active of ['\u0000', '\u001b', '\u202e']) expect(printed).not.toContain(active);
    }),
    // The first case, a file that holds only null, is refused by every reader, whatever the seed.
    { numRuns: 25, examples: [[[{ place: [], to: null }]]] },
  );
  // If no change were refused, the test would show nothing.
  expect(refused).toBeGreaterThanOrEqual(leastRefused);
}

/** A place may be gone by an earlier change. */
function tryChange(value: unknown, place: readonly Step[], to: unknown): unknown {
  try {
    return change(value, place, to);
  } catch {
    return value;
  }
}

const ofReports = ['compare, old', 'compare, new', 'merge', 'report --from'] as const;
const ofOthers = ['trend', 'observe', 'run --profile', 'run --waivers'] as const;

it.each([...ofReports, ...ofOthers])('%s accepts or refuses any value in any place', (name) => {
  const { read, taken } = readers[name];
  return expectSurvival(JSON.parse(taken), (text) => read(fileOf(text)));
});

it('observe accepts or refuses any value in any place of a line', () => {
  const { read } = readers['observe, lines'];
  // A single line that is not an exchange is no recording; beside one that is, it is skipped.
  return expectSurvival(JSON.parse(recordedLine), (line) => read(fileOf(`${line}\n${recordedLine}`)), 0);
});

it('report --from accepts or refuses any value in any place of a journal', () => {
  const [exchange] = smallReport.checks.flatMap(({ failure }) => failure?.exchanges ?? []);
  const lines = [
    { format: 'plumbline-journal/1', begun: smallReport },
    { exchange: { ...exchange, check: null, label: 'GET /key' } },
    { judged: smallReport.checks, progress: { requests: 3, duration_ms: 4 } },
  ];
  const readJournal = (text: string) => {
    const changed: unknown[] = [JSON.parse(text || 'null')].flat();
    const journal = changed.map((line) => JSON.stringify(line)).join('\n');
    return readers['report --from'].read(dirname(fileOf(journal, 'journal.ndjson')));
  };
  return expectSurvival(lines, readJournal);
});
