import { fateAfter, oracle } from '../../generators/oracle.js';
import { nameLabel, ours } from '../../generators/secret-name.js';
import {
  internNamed,
  isSpelled,
  mayBeRoutedElsewhere,
  type NamedIntern,
  type StoredPlace,
  type VaultSituation,
} from '../../generators/situation.js';
import type { CheckContext, RawPart } from '../../judge/api.js';
import type { Call } from '../../judge/call.js';
import { keepsRowOf } from '../../judge/world-difference.js';
import type { Intern, Scope } from '../../spec/vocabulary.js';
import type { World } from '../../targets/world.js';
import { dueOf, inOtherCase, optionsOf, unknownId } from './requests.js';

/** Arranges a situation of the vault delete, sends the request, and judges the answer and what became of the secret. */
export async function judgeVault(
  situation: VaultSituation,
  { world, api, offers, openWorld }: CheckContext,
  subject: string,
): Promise<void> {
  const secret = await stored(situation, world, offers);
  const elsewhere = situation.intern === 'elsewhere' ? (await openWorld()).world : undefined;
  await elsewhere?.store('own', textOf(situation, world));
  // Where all that is stored can be listed, the state of the world is judged by the list, at its end.
  const isListed = offers('inspect');
  if (isListed) await storeBystanders(world, offers);
  if (situation.fault !== undefined) await world.setFaults(situation.fault);
  const { name } = situation;
  const call = api.deleteSecret({
    ...optionsOf(situation, 'member', world, api),
    intern: internOf(situation, world, elsewhere),
    name: { label: nameLabel(name), raw: ours(world.prefix, name.raw) },
  });
  if (mayBeRoutedElsewhere(situation))
    return routed(situation, call, isListed ? undefined : secret, { world, api });
  const { answer } = await call.answersAs({ ...oracle(situation), subject });
  if (isListed) return;
  if (situation.fault !== undefined) await world.setFaults();
  if (answer.status === 204) {
    const again = internNamed(situation.intern) === 'sibling' ? 'sibling' : 'own';
    const because = 'it was deleted before';
    await api
      .deleteSecret({ intern: again, name: { label: nameLabel(name), raw: ours(world.prefix, name.raw) } })
      .answers(404, { requirement: 'vault-delete.204.takes-effect', because });
    return;
  }
  if (secret === undefined) return;
  const keeps = keepsRowOf(answer.status);
  if (fateAfter(situation, answer.status) === 'kept' && keeps !== undefined) {
    await api.stillStored(secret, keeps);
  } else {
    await api.deleteSecret(secret).send();
  }
}

/** A request that may have gone elsewhere: nothing is asked of its answer, but a safe method must have deleted nothing. */
async function routed(
  situation: VaultSituation,
  call: Call,
  secret: StoredSecret | undefined,
  { world, api }: Pick<CheckContext, 'world' | 'api'>,
): Promise<void> {
  const { answer } = await call.send(dueOf(situation));
  if (answer === undefined || secret === undefined) return;
  if (situation.fault !== undefined) await world.setFaults();
  if (fateAfter(situation, answer.status) === 'kept')
    await api.stillStored(secret, 'vault-delete.safe-methods');
}

interface StoredSecret {
  readonly intern: 'own' | 'sibling';
  readonly name: string;
}

/** Stores what the situation says; returns the secret where the document's own routes can find it again. */
async function stored(
  situation: VaultSituation,
  world: World,
  offers: CheckContext['offers'],
): Promise<StoredSecret | undefined> {
  const { intern, stored: place } = situation;
  const scope = scopeOf(intern, place);
  // Whether a foreign intern has it makes no difference to what is due.
  if (scope === undefined || (scope === 'foreign' && !offers('scope:foreign'))) return undefined;
  const text = textOf(situation, world);
  await storeOnce(world, scope, text);
  return scope === 'own' || scope === 'sibling' ? { intern: scope, name: text } : undefined;
}

/** The name that is stored: the one of the path, or one that the path nearly has. */
function textOf({ name }: VaultSituation, { prefix }: World): string {
  return ours(prefix, 'text' in name ? name.text : (name.looksLike ?? bystander));
}

const scopes: readonly Scope[] = ['own', 'sibling', 'workspace', 'foreign'];
const bystander = 'bystander';

/** Stores in every scope what nothing asks for, so that it stays; the listing at the end of the world shows whether it did. */
export async function storeBystanders(world: World, offers: CheckContext['offers']): Promise<void> {
  for (const scope of scopes) if (offers(`scope:${scope}`)) await storeOnce(world, scope, bystander);
}

/** Stores a secret; one that an earlier case left there will do. */
async function storeOnce(world: World, scope: Scope, name: string): Promise<void> {
  if (world.state?.isPresent(scope, name) !== true) await world.store(scope, name);
}

function scopeOf(intern: NamedIntern, place: StoredPlace): Scope | undefined {
  switch (place) {
    case 'there':
      return internNamed(intern) ?? 'own';
    case 'at-the-other-intern':
      return internNamed(intern) === 'sibling' ? 'own' : 'sibling';
    case 'at-the-workspace':
      return 'workspace';
    case 'at-a-foreign-intern':
      return 'foreign';
    case 'nowhere':
      return undefined;
  }
}

function internOf(situation: VaultSituation, world: World, elsewhere: World | undefined): Intern | RawPart {
  const { intern: word } = situation;
  const intern = internNamed(word);
  if (word === 'unknown') return unknownId('an unknown intern', situation);
  if (elsewhere !== undefined) return { label: "another workspace's intern", raw: elsewhere.intern('own') };
  if (intern === undefined) return { label: 'a malformed internId', raw: world.intern('own').slice(0, -1) };
  return isSpelled(word)
    ? { label: `${intern}, its id in the other case`, raw: inOtherCase(world.intern(intern)) }
    : intern;
}
