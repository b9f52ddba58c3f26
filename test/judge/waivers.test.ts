import { dirname, join } from 'node:path';
import { expect, it, test } from 'vitest';
import type { Depth } from '../../judge/plan.js';
import { applyWaivers, readWaivers, type Waiver } from '../../judge/waivers.js';
import type { RequirementId } from '../../spec/ledger.js';
import { reportSituation, type ViolationIdentity } from '../../spec/situation.js';
import { InvalidInput } from '../../targets/yaml-file.js';
import { type SampleChanges, sampleFailure, sampleReport } from '../reports/sample-report.js';
import { compileSchema, readSchema } from '../spec/schemas.js';
import { folderOf } from '../targets/profile/profile-files.js';

const today = '2030-06-15';
const good = {
  id: 'auth.bearer',
  situation: 'key-info answered 500 to GET /key as member',
  reason: 'known',
  owner: 'key team',
  expires: '2030-06-15',
};

function entry(changes: Readonly<Record<string, string | undefined>> = {}): string {
  const lines = Object.entries({ ...good, ...changes }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return `- ${lines.join('\n  ')}\n`;
}

function read(text: string, selects: (id: string) => boolean = () => true): Promise<readonly Waiver[]> {
  return readWaivers(join(folderOf({ 'waivers.yaml': text }), 'waivers.yaml'), { selects, today });
}

async function readFaults(text: string, selects?: (id: string) => boolean): Promise<readonly string[]> {
  const error: unknown = await read(text, selects).then(
    () => new Error('It was taken.'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof InvalidInput)) throw error;
  return error.lines.map((line) => line.slice(line.indexOf('waivers.yaml')));
}

const named = { case: 'key-info-500-0a1b2c3d' };

it('a waivers file is a list or contains one', async () => {
  const [waiver] = await read(entry());
  expect(waiver).toMatchObject(good);
  expect(waiver?.at).toMatch(/waivers\.yaml:1$/);
  const [held] = await read(`# words\nwaivers:\n${entry()}`);
  expect(held).toMatchObject(good);
  expect(held?.at).toMatch(/waivers\.yaml:3$/);
  expect(await read('waivers: []')).toEqual([]);
});

it('a waiver names a violation by its case, in words, or both', async () => {
  const byCase = entry({ ...named, id: 'auth.unknown-key', situation: undefined });
  const all = await read(`${entry(named)}${entry()}${byCase}`);
  expect(all.map(({ case: code, situation }) => [code, situation])).toEqual([
    [named.case, good.situation],
    [undefined, good.situation],
    [named.case, undefined],
  ]);
});

it('a waivers file is refused with all of its faults and their lines', async () => {
  const text = `waivers:\n${entry({ id: 'auth.baerer', expires: '2030-06-14' })}${entry({ owner: '' })}`;
  const faults = (await readFaults(text)).map((line) =>
    line.replace(/; remove it.*| takes care of it.*/, ''),
  );
  expect(faults).toEqual([
    'waivers.yaml:2: waivers[0].id: unknown requirement "auth.baerer"; did you mean auth.bearer?',
    'waivers.yaml:6: waivers[0].expires: the waiver expired on 2030-06-14',
    'waivers.yaml:10: waivers[1].owner: must be the name of whoever',
  ]);
});

const unnamed = entry({ situation: undefined });
const repeated = entry(named) + entry({ ...named, situation: 'x' });
const dated = `${entry()}  until: 2031`;

test.each<readonly [string, string, string]>([
  ['that is empty', '', 'the file is empty; "run --propose-waivers FILE" writes one'],
  ['that is not valid YAML', 'waivers: [', ':1: '],
  ['that is a single word', 'waived', 'must be a mapping'],
  ['with two lists', 'waivers: []\nwaiver: []', ':2: waiver: unknown field; did you mean waivers?'],
  ['with an empty member', 'waivers:', 'waivers: must be a list of waivers, [] if there are none'],
  ['without a reason', entry({ reason: undefined }), '[0].reason: is missing'],
  ['with a placeholder as its reason', entry({ reason: 'todo' }), 'fill it in'],
  ['without a situation', entry({ situation: '' }), 'must be the situation, exactly as'],
  ['without case and situation', unnamed, '[0]: must have at least one of case, situation'],
  ['that repeats a case', repeated, ':7: [1]: is a duplicate of line 1'],
  ['with an unknown field', dated, 'until: unknown field; known here: id, case, situation'],
  ['with an unknown id', entry({ id: 'x' }), 'unknown requirement x; "plumbline requirements" lists the ids'],
  ['for a requirement that no client can observe', entry({ id: 'rate-limit.edge' }), 'is not observable'],
  ['with a day that does not exist', entry({ expires: '2030-06-31' }), 'the day 2030-06-31 does not exist'],
  ['with a time', entry({ expires: '2030-06-30T00:00:00Z' }), 'expires: must be a date, YYYY-MM-DD'],
  ['that repeats an entry', `${entry()}${entry({ reason: 'again' })}`, ':6: [1]: is a duplicate of line 1'],
])('a waivers file %s is refused', async (_name, text, words) => {
  const lines = await readFaults(text);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(words);
});

it('a missing waivers file is refused with its path; one may have expired waivers for what is not selected', async () => {
  const path = join(dirname(folderOf()), 'no-such-waivers.yaml');
  await expect(readWaivers(path, { selects: () => true, today })).rejects.toThrow('does not exist');
  expect(await read(entry({ expires: '2000-01-01' }), () => false)).toHaveLength(1);
  expect(await readFaults(entry({ id: 'auth.baerer' }), () => false)).toHaveLength(1);
});

it('the schema of a waivers file is valid draft 2020-12 and describes each member', () => {
  const validate = compileSchema('waivers');
  expect([{ waivers: [good] }, [good], {}].map((waivers) => validate(waivers))).toEqual([true, true, false]);
  const members: Readonly<Record<string, { readonly description?: string }>> =
    readSchema('waivers').$defs.waiver.properties;
  expect(Object.entries(members).filter(([, { description }]) => description === undefined)).toEqual([]);
});

const id: RequirementId = 'vault-delete.404.other-intern';
const parts: ViolationIdentity = {
  operation: 'vault-delete',
  outcome: 204,
  request: 'DELETE own/a name as member',
};
const { situation, case: code } = reportSituation(parts);

function waiver(changes: Partial<Waiver> = {}): Waiver {
  return { id, situation, reason: 'known', owner: 'me', expires: '2030-01-31', at: 'w.yaml:3', ...changes };
}

function apply(waivers: readonly Waiver[], changes: SampleChanges, depth: Depth = 'standard') {
  return applyWaivers(waivers, { ...sampleReport(changes), depth });
}

function byCase(named: string): Waiver {
  const { situation: _, ...rest } = waiver();
  return { ...rest, case: named };
}

const failedIn = (...situations: readonly string[]): SampleChanges => ({
  failures: situations.map((one) => sampleFailure(id, { situation: one })),
});
const other = 'vault-delete answered 500 to DELETE own/a name as member';
const failed: SampleChanges = { failures: [sampleFailure(id, reportSituation(parts))] };
const takesEffect = 'vault-delete.204.takes-effect';
const again = sampleFailure(takesEffect, reportSituation({ ...parts, as_in: id }));
const shownAgain = { failures: [again, ...(failed.failures ?? [])] };
const ofBearer = { failures: [sampleFailure('auth.bearer', { situation })] };

test.each<readonly [string, readonly Waiver[], SampleChanges, readonly string[]]>([
  ['covers the violation that it names', [waiver()], failedIn(situation), [id]],
  ['may name a case alone', [byCase(code)], failed, [id]],
  ['is matched by its case, whatever its words', [waiver({ case: code, situation: other })], failed, [id]],
  ['does not cover a second violation', [waiver()], failedIn(situation, other), []],
  ['may stand beside another', [waiver(), waiver({ situation: other })], failedIn(situation, other), [id]],
  ['covers no violation of another requirement', [waiver()], ofBearer, []],
  ['covers what a generated case found elsewhere', [waiver()], shownAgain, [takesEffect, id]],
  ['covers by its case what was found elsewhere', [byCase(code)], shownAgain, [takesEffect, id]],
])('a waiver %s', (_what, waivers, changes, waived) => {
  expect(apply(waivers, changes).waived).toEqual(waived);
});

test.each([
  ['situation', waiver({ situation: 'other' }), 'other', situation],
  ['case', waiver({ case: 'vault-delete-204-00000000' }), 'vault-delete-204-00000000', code],
])('a waiver is reported as wrong if its requirement failed in another %s', (named, wrong, given, shown) => {
  const fault = `w.yaml:3: ${id} failed, but not in the ${named} "${given}"; it failed in "${shown}"; remove the waiver or correct its ${named}`;
  expect(apply([wrong], failed)).toEqual({ waived: [], faults: [fault], notes: [] });
});

it('a waiver is reported as stale if its requirement passed', () => {
  expect(apply([waiver()], {}).faults).toEqual([`w.yaml:3: the waiver is stale: ${id} passed; remove it`]);
  expect(apply([waiver()], {}, 'quick').faults[0]).toContain('at depth quick');
});

const drawn = reportSituation({ operation: 'vault-delete', outcome: 204, drawn: true });
const ofDrawn = [waiver({ situation: drawn.situation }), byCase(drawn.case)];

test.each<readonly [string, readonly Waiver[], SampleChanges, notes: number, depth: Depth]>([
  ['was not selected', [waiver()], { rows: { [id]: ['not-exercised', 'not selected'] } }, 0, 'standard'],
  ['was inconclusive', [waiver()], { rows: { [id]: ['inconclusive', 'out of time'] } }, 1, 'standard'],
  ['passed, and it names a generated case', ofDrawn, {}, 1, 'standard'],
  ['failed in another case than the generated one that it names', ofDrawn, failed, 1, 'standard'],
  ['failed elsewhere at depth quick', [waiver({ situation: 'other' })], failedIn(situation), 1, 'quick'],
])('no waiver is reported as wrong or stale if its requirement %s', (_what, all, changes, count, depth) => {
  for (const one of all) {
    const { waived, faults, notes } = apply([one], changes, depth);
    expect([waived, faults, notes.length]).toEqual([[], [], count]);
  }
});
