import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { makeEntry, makeEnvelope, observe, remove } from '../recordings/recorded.js';

function schema(name: string): object {
  return JSON.parse(
    readFileSync(new URL(`../../spec/${name}.schema.json`, import.meta.url), 'utf8'),
  ) as object;
}

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });

it.each(['observed', 'har-entry'])('the schema %s is valid', (name) => {
  expect(() => ajv.compile(schema(name))).not.toThrow();
});

it('the exchanges of a report are valid lines of recorded traffic', async () => {
  const { failures } = await observe([remove({ status: 404, body: makeEnvelope(400) })]);
  const exchanges = failures.flatMap((failure) => failure.exchanges);
  const validate = ajv.compile(schema('observed'));
  expect(exchanges.map((one) => validate(one))).toEqual([true]);
  expect(validate({ ...exchanges[0], request: { method: 'GET' } })).toBe(false);
});

it('the recorded elements of the tests are valid elements of a HAR', () => {
  expect(ajv.compile(schema('har-entry'))(makeEntry(remove({ status: 204 })))).toBe(true);
});
