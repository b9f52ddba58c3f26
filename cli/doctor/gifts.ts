import type { Need } from '../../spec/need.js';
import { isLoopback } from '../../targets/agents.js';
import type { Permissions } from '../../targets/capabilities.js';
import type { Profile } from '../../targets/profile/profile.js';

const control = 'the control protocol of the target (run --control)';
const destructive = 'the flag --allow-destructive';
const inference = 'the flag --inference (inference requests cost money)';

/**
 * What a user would have to give to meet needs that a profile leaves unmet, as a member of the profile or a flag of
 * `run`; none where all are met.
 * @param isOffered whether the profile describes what a need takes
 */
export function giftsFor(
  needs: readonly Need[],
  profile: Profile,
  permissions: Permissions,
  isOffered: (need: Need) => boolean,
): ReadonlySet<string> {
  const gifts = new Set<string>();
  const isRestricted = !isLoopback(profile.target.base_url);
  for (const need of needs) {
    if (!isOffered(need)) for (const gift of giftsOf(need, profile)) gifts.add(gift);
    if (!isRestricted) continue;
    if (need === 'store' && !permissions.destructive) gifts.add(destructive);
    if (need.startsWith('inference') && !permissions.inference) gifts.add(inference);
  }
  return gifts;
}

const recipe = 'store, a way to store secrets';

function giftsOf(need: Need, profile: Profile): readonly string[] {
  const [family = '', name = ''] = need.split(':');
  switch (family) {
    case 'role':
      return [`keys.${name}`];
    case 'intern':
      return [`interns.${name}`];
    case 'guardrail':
      return ['guardrail.id'];
    case 'store':
      return storeGifts(name, profile);
    case 'scope':
      return scopeGifts(name, profile);
    case 'any-name':
      return ['disposable_interns, with the intern own in it'];
    case 'regional':
    case 'regional-host':
      return ['target.regional_host'];
    case 'host-name':
      return ['target.base_url with the name of a host'];
    case 'inference':
      return [
        profile.inference === undefined || name === ''
          ? 'inference, with its models'
          : `inference.${name}_model`,
      ];
    default:
      return [control];
  }
}

function storeGifts(name: string, profile: Profile): readonly string[] {
  if (name !== 'named') return scopeGifts('own', profile);
  return [profile.store === undefined ? recipe : 'store.http or store.command, in place of names'];
}

/** A scope takes a recipe that stores there, and, where it is an intern's, the id of that intern. */
function scopeGifts(scope: string, { store, interns }: Profile): readonly string[] {
  const isNamed = scope === 'workspace' || scope in interns;
  const gifts = isNamed ? [] : [`interns.${scope}`];
  if (store === undefined) return [...gifts, recipe];
  return isNamed ? [`${scope} among the scopes of store`] : gifts;
}
