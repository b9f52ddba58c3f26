import { expect, it } from 'vitest';
import { ledger } from '../../spec/ledger.js';
import { anchors, notShown, places, sections } from './document-outline.js';

const covered = ledger.flatMap(({ id, covers }) => (covers ?? []).map((anchor) => ({ id, anchor })));

it('the sentences name each place once, and every section states something', () => {
  expect(new Set(anchors).size).toBe(anchors.length);
  expect(sections.filter((section) => !anchors.some((anchor) => anchor.startsWith(`${section}/`)))).toEqual(
    [],
  );
});

it('every place of a bullet that says "not shown" is known as one', () => {
  // Rows of tables say so of their last words alone.
  const saying = places.filter(([, sentence]) => !sentence.includes(' | ') && /not shown/.test(sentence));
  expect(saying.map(([anchor]) => anchor).filter((anchor) => !notShown.includes(anchor))).toEqual([]);
  expect(notShown.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
});

it('the ledger has a requirement for every place of the document', () => {
  const forgotten = anchors.filter((anchor) => !covered.some((cover) => cover.anchor === anchor));
  expect(forgotten, 'no row of spec/requirements.yaml covers these').toEqual([]);
});

it('the ledger covers only places that the document has', () => {
  const unknown = covered.filter(({ anchor }) => !anchors.includes(anchor));
  expect(unknown, 'these are not in spec/quotes.yaml').toEqual([]);
});

it('the ledger has a silent requirement for every "not shown"', () => {
  const silent = new Set(
    ledger.filter(({ level }) => level === 'silent').flatMap(({ covers }) => covers ?? []),
  );
  expect(notShown.filter((anchor) => !silent.has(anchor))).toEqual([]);
});

it('the ledger asserts nothing where the document says "not shown"', () => {
  const asserting = ledger.filter(
    ({ level, covers }) => level !== 'silent' && (covers ?? []).some((anchor) => notShown.includes(anchor)),
  );
  expect(asserting.map(({ id }) => id)).toEqual([]);
});

it('no requirement names a place twice', () => {
  const repeating = ledger.filter(({ covers = [] }) => new Set(covers).size < covers.length);
  expect(repeating.map(({ id }) => id)).toEqual([]);
});
