import { fateAfter, oracle } from '../../generators/oracle.js';
import { nameLabel, ours } from '../../generators/secret-name.js';
import {
  mayBeRoutedElsewhere,
  type NamedIntern,
  plainVault,
  type StoredPlace,
  type VaultSituation,
} from '../../generators/situation.js';
import type { CheckContext, RawPart } from '../../judge/api.js';
import type { Call } from '../../judge/call.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Intern, Scope } from '../../spec/vocabulary.js';
import type { World } from '../../targets/world.js';
import { dueOf, optionsOf, unknownId } from './requests.js';

/**
 * Judges a situation with several things wrong. Which of them a wrong answer is to be blamed on shows only once the
 * case has shrunk.
 */
export function judgeVaultManyWrong(situation: VaultSituation, context: CheckContext): Promise<void> {
  return judgeVault(situation, context, 'the status of a vault delete');
}

/** Arranges a situation of the vault delete, sends the request, and judges the answer and what became of the secret. */
export async function judgeVault(
  situation: VaultSituation,
  { world, api, offers }: CheckContext,
  subject?: string,
): Promise<void> {
  const secret = await stored(situation, world, offers);
  if (situation.fault !== undefined) await world.setFaults(situation.fault);
  const { name } = situation;
  const call = api.deleteSecret({
    ...optionsOf(situation, 'member', world, api),
    intern: internOf(situation, world),
    name: { label: nameLabel(name), raw: ours(world.prefix, name.raw) },
  });
  if (mayBeRoutedElsewhere(situation)) return routed(situation, call, secret, { world, api });
  const { answer } = await call.answersAs({
    ...oracle(situation),
    ...(subject === undefined ? {} : { subject }),
  });
  if (situation.fault !== undefined) await world.setFaults();
  if (answer.status === 204) {
    const again = situation.intern === 'sibling' ? 'sibling' : 'own';
    const because = 'it was deleted before';
    await api
      .deleteSecret({ intern: again, name: { label: nameLabel(name), raw: ours(world.prefix, name.raw) } })
      .answers(404, { requirement: 'vault-delete.204.takes-effect', because });
    return;
  }
  if (secret === undefined) return;
  if (fateAfter(situation, answer.status) === 'kept' && isKeepingStatus(answer.status)) {
    await api.stillStored(secret, `vault-delete.${answer.status}.keeps`);
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
  if (situation.fault !== undefined) await world.setFaults();
  if (answer === undefined || secret === undefined) return;
  if (fateAfter(situation, answer.status) === 'kept')
    await api.stillStored(secret, 'vault-delete.safe-methods');
}

const keepingStatuses = [400, 401, 403, 404, 429, 500, 503] as const;
type KeepingStatus = (typeof keepingStatuses)[number];

function isKeepingStatus(status: number): status is KeepingStatus {
  return (keepingStatuses as readonly number[]).includes(status);
}

/** The requirements of refusals that must delete nothing. */
export const keepsRows: readonly RequirementId[] = keepingStatuses.map(
  (status) => `vault-delete.${status}.keeps` as const,
);

interface StoredSecret {
  readonly intern: 'own' | 'sibling';
  readonly name: string;
}

/** Stores what the situation says; returns the secret where the document's own routes can find it again. */
async function stored(
  { intern, name, stored: place }: VaultSituation,
  world: World,
  offers: CheckContext['offers'],
): Promise<StoredSecret | undefined> {
  const scope = scopeOf(intern, place);
  // Whether a foreign intern has it makes no difference to what is due.
  if (scope === undefined || (scope === 'foreign' && !offers('scope:foreign'))) return undefined;
  const text = ours(world.prefix, 'text' in name ? name.text : (name.looksLike ?? 'bystander'));
  await world.store(scope, text);
  return scope === 'own' || scope === 'sibling' ? { intern: scope, name: text } : undefined;
}

function scopeOf(intern: NamedIntern, place: StoredPlace): Scope | undefined {
  switch (place) {
    case 'there':
      return intern === 'unknown' || intern === 'malformed' ? 'own' : intern;
    case 'at-the-other-intern':
      return intern === 'sibling' ? 'own' : 'sibling';
    case 'at-the-workspace':
      return 'workspace';
    case 'at-a-foreign-intern':
      return 'foreign';
    case 'nowhere':
      return undefined;
  }
}

function internOf(situation: VaultSituation, world: World): Intern | RawPart {
  const { intern: word } = situation;
  if (word === 'unknown') return unknownId('an unknown intern', situation);
  if (word === 'malformed') return { label: 'a malformed internId', raw: world.intern('own').slice(0, -1) };
  return word;
}

/** What is unusual about a situation, for the classes of the report. */
export function kindsOf(situation: VaultSituation): readonly string[] {
  const plain = plainVault({ class: 'letters', rule: 'secret-name.accepts.letters', raw: 'a', text: 'a' });
  return [
    ...(situation.as === plain.as ? [] : ['credential']),
    ...(situation.host === plain.host ? [] : ['host']),
    ...(situation.intern === 'own' || situation.intern === 'sibling' ? [] : ['intern']),
    ...('text' in situation.name ? [] : ['name']),
    ...(situation.stored === plain.stored ? [] : ['stored']),
    ...(situation.fault === undefined ? [] : ['fault']),
    ...(situation.method === undefined ? [] : ['method']),
    ...(situation.query === undefined && situation.body === undefined && situation.headers === undefined
      ? []
      : ['extras']),
  ];
}
