import { expect, it } from 'vitest';
import { areaOf, areas, ledger, type RequirementRow } from '../../spec/ledger.js';
import { unlocks } from '../../spec/need.js';
import { sections } from './document-outline.js';

const numbered = sections.filter((section) => section !== 'preface');
const dotted = new RegExp(`^(?:${areas.join('|')})(?:\\.[a-z0-9_]+(?:-[a-z0-9_]+)*)+$`);
const sentence = /^\S[^\n]*[^\s.]\.$/;

it.each<readonly [string, (row: RequirementRow) => boolean]>([
  ['has an id that begins with an area and continues with dotted words', ({ id }) => dotted.test(id)],
  ['names a section of the document', ({ section }) => numbered.includes(section)],
  ['states whole sentences on one line', ({ statement }) => sentence.test(statement)],
  ['says why it is not observable', ({ unseen }) => unseen === undefined || sentence.test(unseen)],
  ['describes its needs plainly', ({ needs = [] }) => needs.every((need) => unlocks(need) !== need)],
  ['names a need once', ({ needs = [] }) => new Set(needs).size === needs.length],
  [
    'has no needs if it is not observable',
    ({ unseen, needs }) => unseen === undefined || needs === undefined,
  ],
  ['has no needs if it asserts nothing', ({ level, needs }) => level !== 'silent' || needs === undefined],
  ['has a need if it is optional', ({ optional, needs }) => optional !== true || needs !== undefined],
  [
    'needs a role if it stores a secret to delete it',
    ({ id, needs = [] }) =>
      !needs.includes('store') ||
      areaOf(id) !== 'vault-delete' ||
      needs.some((need) => need.startsWith('role:')),
  ],
])('every requirement %s', (_rule, keeps) => {
  const wrong = ledger.filter((row) => !keeps(row));
  expect(wrong.map(({ id }) => id)).toEqual([]);
});

it('every area has an id', () => {
  expect(areas.filter((area) => !ledger.some(({ id }) => areaOf(id) === area))).toEqual([]);
});

it('no two requirements state the same', () => {
  const statements = ledger.map(({ statement }) => statement);
  expect(statements.filter((statement, at) => statements.indexOf(statement) !== at)).toEqual([]);
});
