import type { Profile } from '../profile/profile.js';

/** A profile of which one shard uses every so-manieth stored name: each can be deleted only once. */
export function withShareOfNames(
  profile: Profile,
  { index, of }: { readonly index: number; readonly of: number },
): Profile {
  const { store } = profile;
  if (of === 1 || store === undefined || !('names' in store)) return profile;
  const { own = [], sibling = [] } = store.names;
  const share = (names: readonly string[]) => names.filter((_, at) => at % of === index - 1);
  // A name that both interns have serves neither shard as the sibling's: left out before it could be told apart.
  const siblings = sibling.filter((name) => !own.includes(name));
  return { ...profile, store: { ...store, names: { own: share(own), sibling: share(siblings) } } };
}
