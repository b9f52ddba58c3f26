import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ledger } from '../../spec/ledger.js';

const frozen = readFileSync(new URL('ledger-ids.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const ids = ledger.map(({ id }): string => id);

it('every published id still exists', () => {
  const gone = frozen.filter((id) => !ids.includes(id));
  expect(
    gone,
    'Gates, waivers and reports name these ids. Never rename or remove one: bring it back in spec/requirements.yaml, ' +
      'and give what is new a row and an id of its own.',
  ).toEqual([]);
});

it('every id of the ledger is frozen', () => {
  const unfrozen = ids.filter((id) => !frozen.includes(id));
  expect(
    unfrozen,
    'To add a row: write it in spec/requirements.yaml, run "npm run generate", then add its id as a line of ' +
      'test/spec/ledger-ids.txt, in its sorted place. From then on it stays.',
  ).toEqual([]);
});

it('the frozen ids are sorted, one on each line', () => {
  expect(frozen).toEqual([...new Set(frozen)].sort());
});
