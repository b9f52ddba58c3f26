import { describe, expect, it } from 'vitest';
import { areaOf, areas, ledger, type RequirementRow } from '../../spec/ledger.js';
import { unlocks } from '../../spec/need.js';
import { sections } from './document-outline.js';

const ids = (rows: readonly RequirementRow[]) => rows.map(({ id }) => id);
const findDuplicates = (words: readonly string[]) => words.filter((word, at) => words.indexOf(word) !== at);

describe('ids of requirements', () => {
  it('ids begin with an area and continue with dotted words', () => {
    const dotted = new RegExp(`^(?:${areas.join('|')})(?:\\.[a-z0-9_]+(?:-[a-z0-9_]+)*)+$`);
    expect(ids(ledger).filter((id) => !dotted.test(id))).toEqual([]);
  });

  it('every area has an id', () => {
    expect(areas.filter((area) => !ids(ledger).some((id) => areaOf(id) === area))).toEqual([]);
  });
});

describe('members of requirements', () => {
  it('every requirement names a section of the document', () => {
    const numbered = sections.filter((section) => section !== 'preface');
    expect(ids(ledger.filter(({ section }) => !numbered.includes(section)))).toEqual([]);
  });

  it('every requirement states whole sentences on one line', () => {
    const sentence = /^\S[^\n]*[^\s.]\.$/;
    expect(ids(ledger.filter(({ statement }) => !sentence.test(statement)))).toEqual([]);
    const reasons = ledger.filter(({ unseen }) => unseen !== undefined && !sentence.test(unseen));
    expect(ids(reasons)).toEqual([]);
  });

  it('no two requirements state the same', () => {
    expect(findDuplicates(ledger.map(({ statement }) => statement))).toEqual([]);
  });
});

describe('needs of requirements', () => {
  it('every need has a plain description', () => {
    const needed = ledger.flatMap(({ needs }) => needs ?? []);
    expect(needed.filter((need) => unlocks(need) === need)).toEqual([]);
  });

  it('no requirement names a need twice', () => {
    expect(ids(ledger.filter(({ needs = [] }) => findDuplicates(needs).length > 0))).toEqual([]);
  });

  it('a requirement that is not observable has no needs', () => {
    expect(ids(ledger.filter(({ unseen, needs }) => unseen !== undefined && needs !== undefined))).toEqual(
      [],
    );
  });

  it('every optional requirement has a need', () => {
    expect(ids(ledger.filter(({ optional, needs }) => optional === true && needs === undefined))).toEqual([]);
  });

  it('a requirement that asserts nothing has no needs', () => {
    expect(ids(ledger.filter(({ level, needs }) => level === 'silent' && needs !== undefined))).toEqual([]);
  });

  it('a requirement that stores a secret to delete it needs a role', () => {
    const unkeyed = ledger.filter(
      ({ id, needs = [] }) =>
        needs.includes('store') && areaOf(id) === 'vault-delete' && !needs.some((n) => n.startsWith('role:')),
    );
    expect(ids(unkeyed)).toEqual([]);
  });
});
