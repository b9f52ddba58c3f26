import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { contractFaults } from '../../../spec/contract.js';
import { roles } from '../../../spec/vocabulary.js';

const schema = JSON.parse(
  readFileSync(new URL('../../../spec/profile.schema.json', import.meta.url), 'utf8'),
);

interface Node {
  readonly pointer: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Every schema in the file that describes a value: members, entries and definitions. */
function nodes(at: Readonly<Record<string, unknown>>, pointer = ''): readonly Node[] {
  const children = [
    ...['properties', '$defs'].flatMap((holder) =>
      Object.entries((at[holder] ?? {}) as object).map(([name, child]) => [
        `${pointer}/${holder}/${name}`,
        child,
      ]),
    ),
    ...['items', 'additionalProperties']
      .filter((name) => typeof at[name] === 'object')
      .map((name) => [`${pointer}/${name}`, at[name]]),
  ] as unknown as readonly (readonly [string, Readonly<Record<string, unknown>>])[];
  return [{ pointer, schema: at }, ...children.flatMap(([place, child]) => nodes(child, place))];
}

const all = nodes(schema);

test('is a schema of draft 2020-12 without mistakes', () => {
  const ajv = new Ajv2020({ strict: true, strictRequired: false });
  expect(() => ajv.compile(schema)).not.toThrow();
  expect(all.length).toBeGreaterThan(60);
});

test('describes every member for editors', () => {
  const members = all.filter(({ pointer }) => /\/properties\/[^/]+$/.test(pointer));
  const described = ({ schema: { description, $ref } }: Node): boolean =>
    typeof description === 'string' ||
    (typeof $ref === 'string' &&
      typeof schema.$defs[$ref.slice('#/$defs/'.length)]?.description === 'string');
  expect(members.filter((member) => !described(member)).map(({ pointer }) => pointer)).toEqual([]);
});

test('leaves no object open but headers and bodies', () => {
  const open = all.filter(
    ({ schema: { type, additionalProperties } }) => type === 'object' && additionalProperties !== false,
  );
  expect(open.map(({ pointer }) => pointer)).toEqual(['/$defs/headers']);
});

test('names in its title what text or a number is to be, for the messages', () => {
  const leaves = all.filter(({ schema: { type } }) => ['string', 'number', 'integer'].includes(String(type)));
  expect(leaves.length).toBeGreaterThan(10);
  expect(leaves.filter(({ schema: { title } }) => typeof title !== 'string')).toEqual([]);
});

describe('agrees', () => {
  test('with the vocabulary on the roles', () => {
    expect(Object.keys(schema.properties.keys.properties)).toEqual(roles);
    expect(schema.$defs.httpRecipe.properties.key.enum).toEqual(roles);
  });

  test('with openapi.yaml on secret names', () => {
    const accepts = new Ajv2020().compile(schema.$defs.secretNames.items);
    for (const name of [
      'a',
      'a_b',
      'z9',
      'a'.repeat(255),
      '',
      'a__b',
      'a_',
      '_a',
      '9',
      'A',
      'a-b',
      'a'.repeat(256),
    ])
      expect([name, accepts(name)]).toEqual([name, contractFaults('SecretName', name).length === 0]);
  });
});
