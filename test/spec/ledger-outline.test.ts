import { describe, expect, it } from 'vitest';
import { ledger } from '../../spec/ledger.js';
import { anchors, notShown, outline, sections } from './document-outline.js';

const covered = ledger.flatMap(({ id, covers }) => (covers ?? []).map((anchor) => ({ id, anchor })));

describe('the outline of the document', () => {
  it('the outline names each place once, in sections that exist', () => {
    expect(new Set(anchors).size).toBe(anchors.length);
    expect(Object.keys(outline).sort()).toEqual(Object.keys(sections).sort());
    for (const [section, places] of Object.entries(outline)) {
      expect(Object.keys(places), `section ${section} states nothing`).not.toEqual([]);
    }
  });

  it('the outline lists every "not shown" of the document', () => {
    expect(notShown.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
    const saying = Object.entries(outline).flatMap(([section, places]) =>
      Object.entries(places).flatMap(([slug, says]) =>
        says.includes('not shown') ? [`${section}/${slug}`] : [],
      ),
    );
    expect([...notShown].sort()).toEqual(saying.sort());
  });
});

describe('the ledger', () => {
  it('the ledger has a requirement for every place of the document', () => {
    const forgotten = anchors.filter((anchor) => !covered.some((cover) => cover.anchor === anchor));
    expect(forgotten, 'no row of spec/requirements.yaml covers these').toEqual([]);
  });

  it('the ledger covers only places that the document has', () => {
    const unknown = covered.filter(({ anchor }) => !anchors.includes(anchor));
    expect(unknown, 'these are not in test/spec/document-outline.ts').toEqual([]);
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
});
