import { readFileSync } from 'node:fs';
import { expect, it, test } from 'vitest';
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { makePassiveRules } from '../../judge/passive-rules.js';
import { quotes } from '../../spec/generated/explanations.js';
import {
  areaOf,
  areas,
  findNewerIds,
  findRelease,
  ledger,
  type RequirementRow,
  requirementLines,
} from '../../spec/ledger.js';
import { describeNeed } from '../../spec/need.js';
import { compareVersions, firstRelease, isVersion, toolVersion } from '../../spec/version.js';
import { allChecks } from '../../suites/all-checks.js';
import { Canaries, noKeys } from '../../targets/leak-detection.js';

function readText(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

const requirementsYaml = readText('../../spec/requirements.yaml');
/** The numbers of the document's sections that state something; `preface` is the text before section 1. */
const sections = Object.keys(quotes);
/** Every place that states something as `section/slug`, the form in which the ledger's `covers` name it, with its sentence. */
const places = Object.entries(quotes).flatMap(([section, sentences]) =>
  Object.entries(sentences).flatMap(([sentence, slugs]) =>
    slugs.map((slug) => ({ anchor: `${section}/${slug}`, sentence })),
  ),
);
const anchors = places.map(({ anchor }) => anchor);

/** Every place at which the document says that something is not shown. */
const notShown: readonly string[] = [
  ...['1/operations', '2.1/reset-values', '2.1/content_filters', '2.1/element-type', '2.1/presence'],
  ...['2.2/limit-reset-values', '2.3/record', '3/states', '4.1/other-routes', '5/6', '6/no-push'],
  ...['6/webhooks', '7.4/error-types', '8.3/rate-limit', '8.3/deadline', '9/deprecation', '9/negotiation'],
];

const ids = ledger.map(({ id }): string => id);
const frozen = readText('ledger-ids.txt').trimEnd().split('\n');
const isSilent = ({ level }: RequirementRow) => level === 'silent';
const silent = ledger.filter(isSilent);
const covered = ledger.flatMap(({ covers = [] }) => covers);
const passive = makePassiveRules(new Canaries(), noKeys).map(({ requirement }) => requirement);
const decided = new Set([...allChecks.flatMap(({ decides }) => decides), ...passive]);

const dotted = new RegExp(`^(?:${areas.join('|')})(?:\\.[a-z0-9_]+(?:-[a-z0-9_]+)*)+$`);
const sentence = /^\S[^\n]*[^\s.]\.$/;
const isDistinct = (items: readonly unknown[]) => new Set(items).size === items.length;

it.each<readonly [string, (row: RequirementRow) => boolean]>([
  ['has an id that begins with an area and continues with dotted words', ({ id }) => dotted.test(id)],
  ['names a section of the document', ({ section }) => section !== 'preface' && sections.includes(section)],
  ['states whole sentences on one line', ({ statement }) => sentence.test(statement)],
  ['says why it is not observable', ({ unseen }) => unseen === undefined || sentence.test(unseen)],
  ['describes its needs plainly', ({ needs = [] }) => needs.every((need) => describeNeed(need) !== need)],
  ['names each need and place once', ({ needs = [], covers = [] }) => [needs, covers].every(isDistinct)],
  [
    'has no needs if it is not observable or asserts nothing',
    (row) => (row.unseen === undefined && !isSilent(row)) || row.needs === undefined,
  ],
  ['has a need if it is optional', ({ optional, needs }) => optional !== true || needs !== undefined],
  [
    'needs a role if it stores a secret to delete it',
    ({ id, needs = [] }) =>
      !needs.includes('store') ||
      areaOf(id) !== 'vault-delete' ||
      needs.some((need) => need.startsWith('role:')),
  ],
  [
    'is decided by a check or a passive rule if it is observable',
    (row) => isSilent(row) || row.unseen !== undefined || decided.has(row.id),
  ],
  ['is decided by no check if not observable', ({ id, unseen }) => unseen === undefined || !decided.has(id)],
  ['is decided by no passive rule if silent', (row) => !isSilent(row) || !passive.includes(row.id)],
  [
    'asserts nothing where the document says "not shown"',
    (row) => isSilent(row) || !row.covers?.some((anchor) => notShown.includes(anchor)),
  ],
  [
    'that is new names a release after the first, the next at the latest',
    ({ since }) => {
      if (since === undefined) return true;
      const [major = 0, minor = 0] = toolVersion.split('.').map(Number);
      const isKnown = isVersion(since) && compareVersions(since, `${major}.${minor + 1}.0`) <= 0;
      return isKnown && since !== firstRelease;
    },
  ],
])('every requirement %s', (_rule, keeps) => {
  expect(ledger.filter((row) => !keeps(row)).map(({ id }) => id)).toEqual([]);
});

const advice =
  'Gates, waivers and reports name these ids. Never rename or remove one: bring it back in spec/requirements.yaml. ' +
  'To add a row: write it there, run "npm run generate", then add its id to test/spec/ledger-ids.txt, in its sorted ' +
  'place. From then on it stays.';

it('every published id still exists, and every id of the ledger is published, sorted, one on each line', () => {
  expect(frozen, advice).toEqual(ids.toSorted());
});

it('every area has an id, and no two requirements state the same', () => {
  expect(new Set(ids.map(areaOf))).toEqual(new Set(areas));
  expect(isDistinct(ledger.map(({ statement }) => statement))).toBe(true);
});

it('the sentences name each place once, and every section states something', () => {
  expect(isDistinct(anchors)).toBe(true);
  expect(new Set(anchors.map((anchor) => anchor.split('/')[0]))).toEqual(new Set(sections));
});

it('the ledger covers every place of the document and no other, and has a silent requirement for every "not shown"', () => {
  expect(new Set(covered)).toEqual(new Set(anchors));
  const ofSilent = silent.flatMap(({ covers = [] }) => covers);
  expect(ofSilent).toEqual(expect.arrayContaining([...notShown]));
});

it('every place of a bullet that says "not shown" is known as one', () => {
  // Rows of tables say so of their last words alone.
  const saying = places.filter(({ sentence }) => !sentence.includes(' | ') && /not shown/.test(sentence));
  expect(notShown).toEqual(expect.arrayContaining(saying.map(({ anchor }) => anchor)));
});

it('every check has a unique id, named after the requirement that it decides first, and decides each once', () => {
  expect(isDistinct(allChecks.map(({ id }) => id))).toBe(true);
  const strange = allChecks.filter(
    ({ id, requirement, decides }) =>
      !`${id}/`.startsWith(`${requirement}/`) || decides[0] !== requirement || !isDistinct(decides),
  );
  expect(strange.map(({ id }) => id)).toEqual([]);
});

it('a check that decides only unspecified behaviour exists to observe it', () => {
  const observing = allChecks.filter(({ decides }) =>
    decides.every((id) => silent.some((row) => row.id === id)),
  );
  expect(observing.map(({ id }) => id)).toEqual(['secret-name.routing']);
});

test('a version has three numbers and nothing else', () => {
  expect(['0.1.0', '10.20.30'].every(isVersion)).toBe(true);
  expect(['0.1', 'v0.1.0', '0.1.0-rc.1', '01.1.0', '0.1.0\n', ''].filter(isVersion)).toEqual([]);
});

test.each([
  ['0.1.0', '0.1.0', 0],
  ['0.9.0', '0.10.0', -1],
  ['1.0.0', '0.99.99', 1],
  ['0.2.0', '0.2.0-rc.1', 0],
])('the versions %s and %s are ordered correctly', (one, other, sign) => {
  expect(Math.sign(compareVersions(one, other))).toBe(sign);
});

it('the ledger says which requirements are newer than a release', () => {
  const later = ledger.filter(({ since }) => since !== undefined).map(({ id }) => id);
  expect(later.length).toBeGreaterThan(0);
  expect([...findNewerIds(firstRelease)]).toEqual(later);
  expect([...findNewerIds('0.10.0')]).toEqual([]);
  expect(new Set(ledger.map(findRelease)).has(firstRelease)).toBe(true);
});

function parseLines(): ReadonlyMap<unknown, number> {
  const lineCounter = new LineCounter();
  const { contents } = parseDocument(requirementsYaml, { lineCounter });
  if (!isSeq(contents)) throw new Error('The ledger is no sequence.');
  return new Map(
    contents.items.map((row) => {
      const id = isMap(row) ? row.get('id', true) : undefined;
      if (!isScalar(id)) throw new Error('A row has no id.');
      return [id.value, lineCounter.linePos(id.range?.[0] ?? -1).line];
    }),
  );
}

test('every requirement of the ledger has the line that a YAML parser finds', () => {
  expect([...requirementLines()]).toEqual([...parseLines()]);
  expect([...requirementLines().keys()]).toEqual(ids);
});
