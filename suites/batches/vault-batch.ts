import { fateAfter, oracle } from '../../generators/oracle.js';
import {
  type InvalidName,
  nameLabel,
  ours,
  type ValidName,
  validName,
} from '../../generators/secret-name.js';
import { plainVault, type StoredPlace, type VaultSituation } from '../../generators/situation.js';
import type { Api, CheckContext, RawPart } from '../../judge/api.js';
import { type Check, check } from '../../judge/check.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Need } from '../../spec/need.js';
import type { Fault, Intern, Scope } from '../../spec/vocabulary.js';
import { freshName } from '../../targets/fresh-name.js';
import type { World } from '../../targets/world.js';
import { optionsOf } from '../generated/requests.js';
import { offeredWords } from '../generated/words.js';
import { askForFault } from './ask-for-fault.js';
import { makeStrict } from './strict-answers.js';

/** A refused delete as a case of a batch: what is unusual beside the plain delete of the stored secret. */
export interface RefusalCase
  extends Partial<Pick<VaultSituation, 'as' | 'host' | 'query' | 'body' | 'fault'>> {
  /** The intern that the path names, the own one where absent. */
  readonly intern?: Intern;
  /** What stands where the internId should, made from the real one. */
  readonly path?: {
    readonly word: 'unknown' | 'malformed';
    readonly label: string;
    readonly of: (own: string) => string;
  };
  /** Where the secret is stored whose name is sent; `nowhere` is a name that no secret has. */
  readonly of?: Scope | 'nowhere';
  /** The name that is sent, made from the stored one. */
  readonly name?: (stored: string) => InvalidName | ValidName;
  /** The row that the case is there for, where the oracle knows a wider one. */
  readonly row?: RequirementId;
}

/** Refusals of one status, and the row that says that they keep what they refuse to delete. */
interface Refusals {
  readonly keeps: Extract<RequirementId, `vault-delete.${number}.keeps`>;
  readonly cases: readonly RefusalCase[];
}

const identity: RequirementId = 'secret-name.identity';
// What is sent beside the cases and the looks at what is left.
const probesAtMost = 2;

/**
 * A check of many refusals, each judged for itself, over few stored secrets which all of them must leave in place:
 * where every request is dear, so many refusals cost little more than that many requests.
 */
export function batchRefusals(id: `${RequirementId}/${string}`, parts: readonly Refusals[]): Check {
  const own = id.slice(0, id.indexOf('/'));
  const cases = parts.flatMap((part) => part.cases);
  const rows = new Set([...parts.map(({ keeps }) => keeps), ...cases.map(rowOf), identity]);
  return check(
    id,
    {
      control: 'vault-delete',
      decidesAny: true,
      also: [...rows].filter((row) => row !== own),
      shows: (offers) => shown(parts, offers),
      vaultRequests: cases.length + 2 * parts.length + probesAtMost,
    },
    (context) => new Batch(context).run(parts),
  );
}

// A check that asks much is disturbed often.
const casesPerBatch = 20;

/** The same for refusals of one kind that are too many for one check. */
export function splitIntoBatches(
  id: `${RequirementId}/${string}`,
  keeps: Refusals['keeps'],
  cases: readonly RefusalCase[],
): readonly Check[] {
  return Array.from({ length: Math.ceil(cases.length / casesPerBatch) }, (_, at) =>
    batchRefusals(at === 0 ? id : `${id}-${at + 1}`, [
      { keeps, cases: cases.slice(at * casesPerBatch, (at + 1) * casesPerBatch) },
    ]),
  );
}

function shown(parts: readonly Refusals[], offers: CheckContext['offers']): readonly RequirementId[] {
  const rows = parts.flatMap(({ keeps, cases }) => {
    const sent = cases.filter((refusal) => isOffered(refusal, offers));
    return sent.length === 0 ? [] : [keeps, ...sent.map(rowOf)];
  });
  return [...new Set(rows)];
}

/** A secret that a batch stored and that must still be there at its end. */
interface Kept {
  readonly intern: 'own' | 'sibling';
  readonly name: string;
  readonly keeps: Refusals['keeps'];
}

/** One attempt of a batch in its world. */
class Batch {
  readonly #world: World;
  readonly #api: Api;
  readonly #offers: CheckContext['offers'];
  /** The faults of all its cases. */
  #faults: readonly Fault[] = [];
  #fault: RefusalCase['fault'];
  #probesLeft = probesAtMost;

  constructor({ world, api, offers }: CheckContext) {
    this.#world = world;
    this.#api = api;
    this.#offers = offers;
  }

  async run(parts: readonly Refusals[]): Promise<void> {
    const cases = parts.flatMap((part) => part.cases);
    const offered = cases.filter((refusal) => isOffered(refusal, this.#offers));
    this.#faults = [...new Set(offered.flatMap(({ fault }) => fault ?? []))];
    const kept: Kept[] = [];
    for (const part of parts) kept.push(...(await this.#refused(part)));
    await this.#suffer(undefined);
    for (const { keeps, ...secret } of kept) await this.#api.stillStored(secret, keeps);
  }

  /** Sends the cases of one part; returns what it stored where the document's own routes can find it again. */
  async #refused({ keeps, cases }: Refusals): Promise<readonly Kept[]> {
    const offered = cases.filter((refusal) => isOffered(refusal, this.#offers));
    const names = new Map<Scope, string>();
    for (const scope of new Set(offered.map(scopeOf))) names.set(scope, await this.#store(scope));
    for (const refusal of offered) {
      await this.#suffer(refusal.fault);
      await this.#judge(refusal, names);
    }
    return (['own', 'sibling'] as const).flatMap((intern) => {
      const name = names.get(intern);
      return name === undefined ? [] : [{ intern, name, keeps }];
    });
  }

  async #judge(refusal: RefusalCase, names: Map<Scope, string>): Promise<void> {
    const scope = scopeOf(refusal);
    const stored = names.get(scope) ?? freshName();
    const situation = situationOf(refusal);
    const { answer } = await this.#api
      .deleteSecret({
        ...optionsOf(situation, 'member', this.#world, this.#api),
        intern: internOf(refusal, this.#world),
        name: nameOf(refusal, stored, this.#world),
      })
      .answersAs(makeStrict(oracle(situation), refusal.row));
    const isServed = answer.status < 300;
    if (!isServed && fateAfter(situation, answer.status) === 'kept') return;
    if (isServed && refusal.name !== undefined) await this.#probe(scope, stored);
    // What may have been deleted is there again for those that follow.
    names.set(scope, await this.#store(scope));
  }

  /** A name that is not the stored one's was served: whether it reached the stored secret says whose rule is broken. */
  async #probe(scope: Scope, name: string): Promise<void> {
    if ((scope !== 'own' && scope !== 'sibling') || this.#probesLeft === 0) return;
    this.#probesLeft -= 1;
    await this.#api.deleteSecret({ intern: scope, name }).answersAs({
      allowed: new Map([[204, { requirement: identity, isOpen: true }]]),
      due: { requirement: identity, because: 'the secret is gone, though another name was to be deleted' },
      maySucceed: true,
      goesOn: true,
    });
  }

  async #suffer(fault: RefusalCase['fault']): Promise<void> {
    if (fault === this.#fault) return;
    this.#fault = fault;
    if (fault === undefined) await this.#world.setFaults();
    else await askForFault(this.#world, fault, this.#faults);
  }

  /** Short names at the own intern, long ones elsewhere: a trouble that the length brings about shows in either. */
  #store(scope: Scope): Promise<string> {
    const isLong = scope !== 'own' && this.#offers('store:named');
    return this.#world.store(scope, isLong ? freshName() + freshName() + freshName() : undefined);
  }
}

const standIn = validName('name');

function situationOf(refusal: RefusalCase): VaultSituation {
  const { as, host, query, body, fault, path, intern = 'own', name } = refusal;
  const sent = name?.(standIn.text) ?? standIn;
  return {
    ...plainVault(standIn),
    ...(as === undefined ? {} : { as }),
    ...(host === undefined ? {} : { host }),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body }),
    ...(fault === undefined ? {} : { fault }),
    intern: path?.word ?? intern,
    name: sent,
    stored: name !== undefined && 'text' in sent ? 'nowhere' : placeOf(refusal),
  };
}

/** Where the secret of the name is stored, as seen from the intern that the path names. */
function placeOf({ intern = 'own', of = 'own' }: RefusalCase): StoredPlace {
  if (of === 'nowhere') return 'nowhere';
  if (of === 'workspace') return 'at-the-workspace';
  if (of === intern || intern === 'foreign') return 'there';
  return of === 'foreign' ? 'at-a-foreign-intern' : 'at-the-other-intern';
}

function rowOf(refusal: RefusalCase): RequirementId {
  return refusal.row ?? oracle(situationOf(refusal)).due.requirement;
}

function scopeOf({ of = 'own' }: RefusalCase): Scope {
  return of === 'nowhere' ? 'own' : of;
}

function isOffered(refusal: RefusalCase, offers: (need: Need) => boolean): boolean {
  const words = offeredWords(offers);
  const { as, host, intern, fault, name } = situationOf(refusal);
  const scope = scopeOf(refusal);
  // Of names that somebody else chose nobody knows what else has them: the sibling, or a secret of a name alike.
  const isChosen = placeOf(refusal) === 'at-the-other-intern' && intern === 'sibling';
  const isFree = (!isChosen && (refusal.name === undefined || !('text' in name))) || offers('store:named');
  return (
    isFree &&
    words.credentials.includes(as) &&
    words.hosts.includes(host) &&
    words.interns.includes(intern) &&
    (fault === undefined || words.faults.includes(fault)) &&
    (scope === 'own' || offers(`scope:${scope}`))
  );
}

function internOf({ path, intern = 'own' }: RefusalCase, world: World): Intern | RawPart {
  return path === undefined ? intern : { label: path.label, raw: path.of(world.intern('own')) };
}

function nameOf({ of, name }: RefusalCase, stored: string, { prefix }: World): string | RawPart {
  if (of === 'nowhere') return freshName();
  if (name === undefined) return stored;
  const { raw } = name(stored);
  // Made from a name that carries the prefix, it mostly has it already.
  return { label: nameLabel(name(standIn.text)), raw: raw.includes(prefix) ? raw : ours(prefix, raw) };
}
