import { describe, expect, it } from 'vitest';
import { FAULTS, FEATURES, ROLES, SCOPES } from '../../reference/vocabulary.js';
import { areaOf, areas, ledger, type RequirementRow, requirement } from '../../spec/ledger.js';
import { type Need, unlocks } from '../../spec/need.js';
import { sections } from './document-outline.js';

const ids = (rows: readonly RequirementRow[]) => rows.map(({ id }) => id);
const findDuplicates = (words: readonly string[]) => words.filter((word, at) => words.indexOf(word) !== at);

/** Every word of a need, from the independent list of the reference server. */
const knownNeeds: ReadonlySet<string> = new Set([
  ...['store', 'inspect', 'worlds', 'guardrail', 'regional', 'regional-host', 'host-name'],
  ...['inference', 'inference:free', 'inference:paid', 'blocked-origin'],
  ...ROLES.map((role) => `role:${role}`),
  ...SCOPES.map((scope) => `scope:${scope}`),
  ...SCOPES.filter((scope) => scope !== 'workspace').map((intern) => `intern:${intern}`),
  ...FAULTS.map((fault) => `fault:${fault}`),
  ...FEATURES.map((feature) => `feature:${feature}`),
]);

describe('ids of requirements', () => {
  it('ids are unique', () => {
    expect(findDuplicates(ids(ledger))).toEqual([]);
  });

  it('ids begin with an area and continue with dotted words', () => {
    const dotted = new RegExp(`^(?:${areas.join('|')})(?:\\.[a-z0-9_]+(?:-[a-z0-9_]+)*)+$`);
    expect(ids(ledger).filter((id) => !dotted.test(id))).toEqual([]);
    expect(ids(ledger).filter((id) => !id.startsWith(`${areaOf(id)}.`))).toEqual([]);
  });

  it('each id finds its requirement', () => {
    expect(ledger.filter((row) => requirement(row.id) !== row)).toEqual([]);
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

  it('every requirement has a level', () => {
    const levels = ['must', 'derived', 'advisory', 'silent'];
    expect(ids(ledger.filter(({ level }) => !levels.includes(level)))).toEqual([]);
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

  it('no requirement has an undescribed member', () => {
    const described = [
      'id',
      'section',
      'level',
      'statement',
      'needs',
      'unseen',
      'optional',
      'since',
      'covers',
    ];
    const strange = ledger.filter((row) => Object.keys(row).some((member) => !described.includes(member)));
    expect(ids(strange)).toEqual([]);
  });
});

describe('needs of requirements', () => {
  const needed = [...new Set(ledger.flatMap(({ needs }) => needs ?? []))];

  it('every need is a known word with a plain description', () => {
    expect(needed.filter((need) => !knownNeeds.has(need))).toEqual([]);
    expect(([...knownNeeds] as Need[]).filter((need) => unlocks(need) === need)).toEqual([]);
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
