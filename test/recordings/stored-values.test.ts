import { expect, it } from 'vitest';
import { type ExchangeSpec, fail, infer, intern, makeKeyData, observe, readKey, remove } from './recorded.js';

const value = 'hunter2-s3cr3t-Value-991';
const mask = '[REDACTED-1234567]';
const address = 'https://api.example.test/v1';
const path = `/vault/interns/${intern}/secrets/a_name`;
const storeAs = (sent: unknown, more: ExchangeSpec = {}): ExchangeSpec => ({
  ...{ method: 'PUT', path, status: 200, sent, body: { data: { name: 'a_name' } } },
  ...more,
});
const store = storeAs({ value });
const form = `name=a_name&value=${value}`;
const storeInForm = storeAs('', {
  raw: { request: { method: 'PUT', url: `https://api.example.test/v1${path}`, postData: { text: form } } },
});
const readBack = { path, body: { data: { name: 'a_name', value } } };
const readLabel = readKey({ body: makeKeyData({ label: `key for ${value}` }) });

it.each<readonly [string, readonly ExchangeSpec[], string]>([
  ['in what reads it back', [store, readBack], 'secrecy.body'],
  ['in the answer to the store', [storeAs({ value }, { body: { value } })], 'secrecy.body'],
  ['in the 404 of a delete', [store, remove(fail(404, {}, { message: `no ${value}` }))], 'secrecy.body'],
  ['in the label of a key', [store, readLabel], 'secrecy.body'],
  ['in a header', [store, readKey({ body: makeKeyData(), headers: { 'X-Was': value } })], 'secrecy.header'],
  ['of a form', [storeInForm, readBack], 'secrecy.body'],
  ['that is nested', [storeAs({ secret: { name: 'a_name', value } }), readBack], 'secrecy.body'],
])('a value that a recorded request stored must not be in an answer: %s', async (_, spec, id) => {
  const { failures, report } = await observe(spec);
  expect(failures.map(({ requirement }) => requirement)).toEqual([id]);
  expect(JSON.stringify(report)).not.toContain(value);
});

it.each<readonly [string, readonly ExchangeSpec[]]>([
  ['a store that was refused', [storeAs({ value }, fail(400)), readLabel]],
  ['another member of the stored record', [storeAs({ value: 'x', host: value }), readLabel]],
  ['a value that is also the name', [storeAs({ value, description: value }), readLabel]],
  ['an address', [storeAs({ value: address }), readKey({ body: makeKeyData({ label: address }) })]],
  ['a short word', [storeAs({ value: 'sk' }), readKey({ body: makeKeyData() })]],
  ['a mask', [storeAs({ value: mask }), readKey({ body: makeKeyData({ label: mask }) })]],
  [
    'an answer to a request that says it',
    [store, infer({ sent: { model: 'm', x: value }, body: { text: value } })],
  ],
])('no answer is blamed for %s', async (_, spec) => {
  const { failures } = await observe(spec);
  expect(failures).toEqual([]);
});
