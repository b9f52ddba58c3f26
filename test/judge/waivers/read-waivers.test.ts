import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, it, test } from 'vitest';
import { readWaivers, type Waiver, WaiversError } from '../../../judge/waivers.js';
import { folderOf, removeFolders } from '../../targets/profile/profile-files.js';

afterAll(removeFolders);

const today = '2030-06-15';
const good = {
  id: 'auth.bearer',
  situation: 'key-info answered 500 to GET /key as member',
  reason: 'known',
  owner: 'key team',
  expires: '2030-06-15',
};

/** An entry as YAML, some members written otherwise or, where undefined, left out. */
function entry(changes: Readonly<Record<string, string | undefined>> = {}): string {
  const lines = Object.entries({ ...good, ...changes }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return `- ${lines.join('\n  ')}\n`;
}

function read(text: string, selects: (id: string) => boolean = () => true): Promise<readonly Waiver[]> {
  return readWaivers(join(folderOf({ 'waivers.yaml': text }), 'waivers.yaml'), { selects, today });
}

/** The lines that refuse a text, the folder left out. */
async function refused(text: string, selects?: (id: string) => boolean): Promise<readonly string[]> {
  const error: unknown = await read(text, selects).then(
    () => new Error('It was taken.'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof WaiversError)) throw error;
  return error.lines.map((line) => line.slice(line.indexOf('waivers.yaml')));
}

describe('a waivers file', () => {
  it('is a list, or holds one', async () => {
    const [waiver] = await read(entry());
    expect(waiver).toMatchObject(good);
    expect(waiver?.at).toMatch(/waivers\.yaml:1$/);
    const [held] = await read(`# words\nwaivers:\n${entry()}`);
    expect(held).toMatchObject(good);
    expect(held?.at).toMatch(/waivers\.yaml:3$/);
  });

  it('names a violation by its case, in words, or both', async () => {
    const named = { case: 'key-info-500-0a1b2c3d' };
    const both = await read(
      `${entry(named)}${entry()}${entry({ ...named, id: 'auth.unknown-key', situation: undefined })}`,
    );
    expect(both.map(({ case: code, situation }) => [code, situation])).toEqual([
      [named.case, good.situation],
      [undefined, good.situation],
      [named.case, undefined],
    ]);
  });

  it('may hold none', async () => {
    expect(await read('[]')).toEqual([]);
    expect(await read('waivers: []')).toEqual([]);
  });

  it('is told where every value stands, all faults at once', async () => {
    const faults = await refused(
      `waivers:\n${entry({ id: 'auth.baerer', expires: '2030-06-14' })}${entry({ owner: '' })}`,
    );
    expect(faults).toEqual([
      'waivers.yaml:2: waivers[0].id: the ledger has no "auth.baerer"; did you mean auth.bearer?',
      expect.stringMatching(
        /^waivers\.yaml:6: waivers\[0\]\.expires: the waiver expired on 2030-06-14; remove it/,
      ),
      expect.stringMatching(/^waivers\.yaml:10: waivers\[1\]\.owner: must be the name of whoever sees to it/),
    ]);
  });

  const broken: readonly (readonly [string, string, string])[] = [
    ['that is empty', '', 'is empty; "run --propose-waivers FILE" writes one'],
    ['that is no YAML', 'waivers: [', ':1: '],
    ['that is a word', 'waived', 'must be a mapping'],
    ['with two lists', 'waivers: []\nwaiver: []', ':2: waiver: unknown field; did you mean waivers?'],
    ['with a list of words', '- auth.bearer', '[0]: must be a mapping'],
    ['with an empty member', 'waivers:', 'waivers: must be a list of waivers, [] where there is none'],
    ['without a reason', entry({ reason: undefined }), '[0].reason: is missing'],
    ['with its reason left open', entry({ reason: '' }), 'it is still to be filled in'],
    ['with a reason to be written', entry({ reason: 'todo' }), 'it is still to be filled in'],
    ['with a blank owner', entry({ owner: '"  "' }), 'it is still to be filled in'],
    ['without a situation', entry({ situation: '' }), 'must be the situation, word for word'],
    ['that names nothing', entry({ situation: undefined }), '[0]: must have at least one of case, situation'],
    [
      'that repeats a case',
      `${entry({ case: 'key-info-500-0a1b2c3d' })}${entry({ case: 'key-info-500-0a1b2c3d', situation: 'other' })}`,
      ':7: [1]: names the violation that line 1',
    ],
    [
      'with another member',
      `${entry()}  until: 2031`,
      'until: unknown field; known here: id, case, situation',
    ],
    [
      'with an id far from any',
      entry({ id: 'x' }),
      'the ledger has no x; "plumbline requirements" lists the ids',
    ],
    ['for what no client can see', entry({ id: 'rate-limit.edge' }), 'is not observable'],
    ['with a day of words', entry({ expires: 'soon' }), 'expires: must be a date, YYYY-MM-DD'],
    ['with a day that there is not', entry({ expires: '2030-06-31' }), 'there is no day 2030-06-31'],
    ['with a time', entry({ expires: '2030-06-30T00:00:00Z' }), 'expires: must be a date, YYYY-MM-DD'],
    ['expired yesterday', entry({ expires: '2030-06-14' }), 'the waiver expired on 2030-06-14; remove it'],
    [
      'that repeats an entry',
      `${entry()}${entry({ reason: 'again' })}`,
      ':6: [1]: names the violation that line 1',
    ],
  ];
  test.each(broken)('%s is refused', async (_name, text, words) => {
    const lines = await refused(text);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(words);
  });

  it('is not read further than what was selected where it is of its day', async () => {
    expect(await read(entry({ expires: '2000-01-01' }), () => false)).toHaveLength(1);
    expect(await refused(entry({ id: 'auth.baerer' }), () => false)).toHaveLength(1);
  });

  it('that is not there is told by its path', async () => {
    const path = join(dirname(folderOf()), 'no-such-waivers.yaml');
    await expect(readWaivers(path, { selects: () => true, today })).rejects.toThrow('does not exist');
  });
});

describe('the schema of a waivers file', () => {
  const schema = JSON.parse(
    readFileSync(new URL('../../../spec/waivers.schema.json', import.meta.url), 'utf8'),
  );

  it('is a schema of draft 2020-12 without mistakes, each member with its description', () => {
    const validate = new Ajv2020({ strict: true, strictRequired: false }).compile(schema);
    expect(validate({ waivers: [good] })).toBe(true);
    expect(validate([good])).toBe(true);
    expect(validate({})).toBe(false);
    const members: Readonly<Record<string, { readonly description?: string }>> =
      schema.$defs.waiver.properties;
    expect(Object.entries(members).filter(([, { description }]) => description === undefined)).toEqual([]);
  });
});
