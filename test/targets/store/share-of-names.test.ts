import { expect, it } from 'vitest';
import type { Profile } from '../../../targets/profile/profile.js';
import { withShareOfNames } from '../../../targets/store/share-of-names.js';

const profile: Profile = {
  target: { base_url: 'http://127.0.0.1:1/v1' },
  keys: {},
  interns: {},
  disposable_interns: [],
  store: { names: { own: ['a', 'b', 'c', 'd', 'e'], sibling: ['b', 'x', 'y', 'z'] } },
  headers: {},
  tls: { insecure: false },
  limits: {},
  policy: { decides: ['must'], excused: [] },
  literal_keys: [],
  literal_headers: [],
  secrets: {},
};

function names(index: number, of: number) {
  const { store } = withShareOfNames(profile, { index, of });
  return store !== undefined && 'names' in store ? store.names : {};
}

it('every stored name serves one shard, and none that both interns have the sibling', () => {
  expect([1, 2].map((index) => names(index, 2))).toEqual([
    { own: ['a', 'c', 'e'], sibling: ['x', 'z'] },
    { own: ['b', 'd'], sibling: ['y'] },
  ]);
});

it('one shard has them all, as the profile gives them', () => {
  expect(withShareOfNames(profile, { index: 1, of: 1 })).toBe(profile);
});

it('a recipe stores for every shard', () => {
  const { store: _, ...bare } = profile;
  expect(withShareOfNames(bare, { index: 1, of: 2 })).toBe(bare);
});
