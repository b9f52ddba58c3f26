import type { OddId } from '../../generators/inputs.js';
import { fateAfter, oracle } from '../../generators/oracle.js';
import { ours } from '../../generators/secret-name.js';
import {
  internNamed,
  mayBeRoutedElsewhere,
  type NamedIntern,
  type StoredPlace,
  type VaultSituation,
} from '../../generators/situation.js';
import type { CheckContext } from '../../judge/api.js';
import type { Call } from '../../judge/call.js';
import { findKeepsRow } from '../../judge/world-audit.js';
import type { Scope } from '../../spec/vocabulary.js';
import type { World } from '../../targets/world.js';
import { callOf, type Destination, dueOf, nameOf } from '../requests.js';

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
  const id: OddId | undefined = elsewhere && {
    class: 'unknown',
    label: "another workspace's intern",
    of: () => elsewhere.intern('own'),
  };
  const call = callOf(situation, { world, api }, { id });
  if (mayBeRoutedElsewhere(situation))
    return routed(situation, call, isListed ? undefined : secret, { world, api });
  const { answer } = await call.expectOneOf({ ...oracle(situation), subject });
  if (isListed) return;
  if (situation.fault !== undefined) await world.setFaults();
  if (answer.status === 204) {
    const intern = internNamed(situation.intern) === 'sibling' ? 'sibling' : 'own';
    await api.deleteSecret({ intern, name: nameOf(situation, world) }).expectStatus(404, {
      requirement: 'vault-delete.204.takes-effect',
      because: 'it was deleted before',
    });
    return;
  }
  if (secret === undefined) return;
  const keeps = findKeepsRow(answer.status);
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
  { world, api }: Destination,
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
