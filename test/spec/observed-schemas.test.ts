import { expect, it } from 'vitest';
import { makeEntry, makeEnvelope, observe, remove } from '../recordings/recorded.js';
import { compileSchema } from './schemas.js';

it('the exchanges of a report are valid lines of recorded traffic', async () => {
  const { failures } = await observe([remove({ status: 404, body: makeEnvelope(400) })]);
  const exchanges = failures.flatMap((failure) => failure.exchanges);
  const validate = compileSchema('observed');
  expect(exchanges.map((one) => validate(one))).toEqual([true]);
  expect(validate({ ...exchanges[0], request: { method: 'GET' } })).toBe(false);
});

it('the recorded elements of the tests are valid elements of a HAR', () => {
  expect(compileSchema('har-entry')(makeEntry(remove({ status: 204 })))).toBe(true);
});
