import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { findContractFaults } from '../../../spec/contract.js';
import { roles } from '../../../spec/vocabulary.js';
import { compileSchema, readSchema } from '../../spec/schemas.js';

const schema = readSchema('profile');

interface Node {
  readonly pointer: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

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

test('the profile schema is valid draft 2020-12 and describes every member for editors', () => {
  expect(() => compileSchema('profile')).not.toThrow();
  const members = all.filter(({ pointer }) => /\/properties\/[^/]+$/.test(pointer));
  expect(members.length).toBeGreaterThan(50);
  const described = ({ schema: { description, $ref } }: Node): boolean =>
    typeof description === 'string' ||
    (typeof $ref === 'string' &&
      typeof schema.$defs[$ref.slice('#/$defs/'.length)]?.description === 'string');
  expect(members.filter((member) => !described(member)).map(({ pointer }) => pointer)).toEqual([]);
});

test('the profile schema leaves no object open except headers and bodies', () => {
  const open = all.filter(
    ({ schema: { type, additionalProperties } }) => type === 'object' && additionalProperties !== false,
  );
  expect(open.map(({ pointer }) => pointer)).toEqual(['/$defs/headers']);
});

test('the profile schema has titles that say what a text or number must be', () => {
  const leaves = all.filter(({ schema: { type } }) => ['string', 'number', 'integer'].includes(String(type)));
  expect(leaves.length).toBeGreaterThan(10);
  expect(leaves.filter(({ schema: { title } }) => typeof title !== 'string')).toEqual([]);
});

test('the profile schema has the roles of the vocabulary', () => {
  expect(Object.keys(schema.properties.keys.properties)).toEqual(roles);
  expect(schema.$defs.httpRecipe.properties.key.enum).toEqual(roles);
});

test('the profile schema has the secret names of openapi.yaml', () => {
  const accepts = new Ajv2020().compile(schema.$defs.secretNames.items);
  const short = ['a', 'a_b', 'z9', '', 'a__b', 'a_', '_a', '9', 'A', 'a-b'];
  for (const name of [...short, 'a'.repeat(255), 'a'.repeat(256)])
    expect([name, accepts(name)]).toEqual([name, findContractFaults('SecretName', name).length === 0]);
});
