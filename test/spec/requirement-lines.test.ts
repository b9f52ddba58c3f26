import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { ledger, requirementLines } from '../../spec/ledger.js';

const text = readFileSync(new URL('../../spec/requirements.yaml', import.meta.url), 'utf8');

/** The line of each id as a YAML parser counts them. */
function parsedLines(): ReadonlyMap<unknown, number> {
  const lineCounter = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter });
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
  const lines = requirementLines();
  expect([...lines.keys()]).toEqual(ledger.map(({ id }) => id));
  expect(lines).toEqual(parsedLines());
});
