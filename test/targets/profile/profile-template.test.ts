import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { roles } from '../../../spec/vocabulary.js';
import { readSchema } from '../../spec/schemas.js';
import { parseProfile } from './profile-files.js';

const template = readFileSync(new URL('../../../spec/profile-template.yaml', import.meta.url), 'utf8');
const schema = readSchema('profile');

const env: NodeJS.ProcessEnv = Object.fromEntries(
  [...template.matchAll(/\$\{(PLUMBLINE_[A-Z_]+)\}/g)].map(([, name]) => [name, `sk-${name}`]),
);
const files = { 'ca.pem': 'x', 'client.pem': 'x', 'client.key': 'x' };

/** The template with every commented member in use; the first line is a word to editors. */
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
