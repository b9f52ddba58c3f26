import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { findContractFaults } from '../../../spec/contract.js';
import { roles } from '../../../spec/vocabulary.js';
import { compileSchema, readSchema } from '../../spec/schemas.js';
import { parseProfile } from './profile-files.js';

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

const template = readFileSync(new URL('../../../spec/profile-template.yaml', import.meta.url), 'utf8');

const env: NodeJS.ProcessEnv = Object.fromEntries(
  [...template.matchAll(/\$\{(PLUMBLINE_[A-Z_]+)\}/g)].map(([, name]) => [name, `sk-${name}`]),
);
const files = { 'ca.pem': 'x', 'client.pem': 'x', 'client.key': 'x' };

/** The template with every commented member in use; the first line is a comment for editors. */
function uncomment(): string {
  const [first, ...lines] = template.split('\n');
  return [first, ...lines.map((line) => line.replace(/^# /, ''))].join('\n');
}

/** The lines of a way to store that is shown in words, as they would be used. */
function alternative(name: string): readonly string[] {
  const lines = template.split('\n').map((line) => line.replace(/^ {2}## (?= )/, ''));
  const start = lines.indexOf(`  ${name}:`);
  const length = lines.slice(start + 1).findIndex((line) => !line.startsWith('    '));
  return lines.slice(start, start + 1 + length);
}

test('the profile template stays valid with every commented member', async () => {
  const profile = await parseProfile(uncomment(), env, files);
  expect(Object.keys(profile.keys)).toEqual(roles);
  expect(profile.store).toHaveProperty('http.path', '/vault/interns/{intern}/secrets/{name}');
  expect(profile.policy.excused).toHaveLength(1);
  expect(profile.literal_keys).toEqual([]);
});

test('the profile template shows every member, of the recipe too, but those that it gives in words', () => {
  const used = parse(uncomment());
  const sections = Object.entries<{ readonly properties?: object }>(schema.properties);
  const missing = sections.flatMap(([section, { properties = {} }]) =>
    used[section] === undefined
      ? [section]
      : Object.keys(properties).filter((name) => !(name in used[section])),
  );
  expect(missing.sort()).toEqual(['command', 'names', 'regional_base_url']);
  const recipe = Object.keys(schema.$defs.httpRecipe.properties);
  expect(recipe.filter((name) => !(name in used.store.http))).toEqual(['url']);
});

test.each(['command', 'names'])('the profile template is valid with the other store: %s', async (name) => {
  const lines = uncomment().split('\n');
  const start = lines.indexOf('  http:');
  const end = lines.findIndex((line, index) => index > start && line === '');
  const block = alternative(name);
  expect(block.length).toBeGreaterThan(2);
  const text = [...lines.slice(0, start), ...block, ...lines.slice(end)].join('\n');
  const { store } = await parseProfile(text, env, files);
  expect(Object.keys(store ?? {})).toEqual([name]);
});

test('the profile template is valid with the other regional address', async () => {
  const text = template.replace('  ##   regional_base_url', '  regional_base_url');
  expect((await parseProfile(text, env)).target.regional_base_url).toBe('https://eu.staging.example.com/v1');
});

test('the profile template begins with the address of its schema', () => {
  const first =
    '# yaml-language-server: $schema=./node_modules/plumbline-conformance/dist/spec/profile.schema.json';
  expect(template.split('\n')[0]).toBe(first);
});
