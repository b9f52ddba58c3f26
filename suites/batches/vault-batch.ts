import { needsOf, type OddId } from '../../generators/inputs.js';
import { fateAfter, oracle } from '../../generators/oracle.js';
import {
  type InvalidName,
  nameLabel,
  ours,
  type ValidName,
  validName,
} from '../../generators/secret-name.js';
import {
  type Extras,
  plainVault,
  type StoredPlace,
  type VaultSituation,
} from '../../generators/situation.js';
import type { CheckContext, RawPart } from '../../judge/api.js';
import type { AllowedAnswers as Expected } from '../../judge/call.js';
import { type Check, check } from '../../judge/check.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Need } from '../../spec/need.js';
import type { Fault, Intern, Scope } from '../../spec/vocabulary.js';
import { freshName, type World } from '../../targets/world.js';
import { callOf } from '../requests.js';
import { askForFault, makeStrict } from './steps.js';

/** A refused delete as a row of a batch: what is unusual beside the plain delete of the stored secret. */
export interface RefusalCase extends Partial<Pick<VaultSituation, 'as' | 'host' | 'fault'>>, Extras {
  /** The intern that the path names, the own one where absent. */
  readonly intern?: Intern;
  /** What stands where the internId should, made from the real one. */
  readonly id?: OddId;
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

/** A case, what the oracle makes of it, and the row that it decides. */
interface Refusal extends RefusalCase {
  readonly keeps: Refusals['keeps'];
  readonly situation: VaultSituation;
  readonly expected: Expected;
  readonly scope: Scope;
  readonly needs: readonly Need[];
}

const identity: RequirementId = 'secret-name.identity';
// What is sent beside the cases and the looks at what is left.
const probesAtMost = 2;

/**
 * A check of many refusals, each judged for itself, over few stored secrets which all of them must leave in place:
 * where every request is dear, so many refusals cost little more than that many requests.
 */
export function batchRefusals(id: `${RequirementId}/${string}`, ...parts: readonly Refusals[]): Check {
  const own = id.slice(0, id.indexOf('/'));
  const all = parts.flatMap(({ keeps, cases }) => cases.map((row) => prepare(row, keeps)));
  const rowsOf = (some: readonly Refusal[]) => [
    ...new Set(some.flatMap(({ keeps, expected }) => [keeps, expected.due.requirement])),
  ];
  return check(
    id,
    {
      control: 'vault-delete',
      decidesAny: true,
      also: [...new Set([...rowsOf(all), identity])].filter((row) => row !== own),
      decidesWhen: (offers) => rowsOf(offeredOf(all, offers)),
      vaultRequests: all.length + 2 * parts.length + probesAtMost,
    },
    (context) => new Batch(context).run(offeredOf(all, context.offers)),
  );
}

// A check that asks much is disturbed often.
const casesPerBatch = 18;

/** The same for refusals of one kind that are too many for one check. */
export function splitIntoBatches(
  id: `${RequirementId}/${string}`,
  keeps: Refusals['keeps'],
  cases: readonly RefusalCase[],
): readonly Check[] {
  return Array.from({ length: Math.ceil(cases.length / casesPerBatch) }, (_, at) =>
    batchRefusals(at === 0 ? id : `${id}-${at + 1}`, {
      keeps,
      cases: cases.slice(at * casesPerBatch, (at + 1) * casesPerBatch),
    }),
  );
}

const standIn = validName('name');

function prepare(row: RefusalCase, keeps: Refusals['keeps']): Refusal {
  const { intern = 'own', id, of = 'own', name, row: about, ...others } = row;
  const sent = name?.(standIn.text) ?? standIn;
  const situation: VaultSituation = {
    ...plainVault(standIn),
    ...others,
    intern: id === undefined ? intern : id.class === 'unknown' ? 'unknown' : 'malformed',
    name: sent,
    stored: name !== undefined && 'text' in sent ? 'nowhere' : placeOf(intern, of),
  };
  const scope = of === 'nowhere' ? 'own' : of;
  // Where the target chooses the names of secrets, the sibling may have one of the same name, or there may be one like it.
  const isChosen = situation.stored === 'at-the-other-intern' && intern === 'sibling';
  const needs: readonly Need[] = [
    ...needsOf(situation),
    ...(scope === 'own' ? [] : [`scope:${scope}` as const]),
    ...(isChosen || (name !== undefined && 'text' in sent) ? ['store:named' as const] : []),
  ];
  return { ...row, keeps, situation, expected: makeStrict(oracle(situation), about), scope, needs };
}

/** Where the secret of the name is stored, as seen from the intern that the path names. */
function placeOf(intern: Intern, of: Scope | 'nowhere'): StoredPlace {
  if (of === 'nowhere') return 'nowhere';
  if (of === 'workspace') return 'at-the-workspace';
  if (of === intern || intern === 'foreign') return 'there';
  return of === 'foreign' ? 'at-a-foreign-intern' : 'at-the-other-intern';
}

function offeredOf(all: readonly Refusal[], offers: CheckContext['offers']): readonly Refusal[] {
  return all.filter(({ needs }) => needs.every(offers));
}

/** One attempt of a batch in its world. */
class Batch {
  readonly #context: CheckContext;
  #fault: Fault | undefined;
  #probesLeft = probesAtMost;

  constructor(context: CheckContext) {
    this.#context = context;
  }

  /** Sends the cases part by part, each over secrets of its own, and looks for these at the end. */
  async run(refusals: readonly Refusal[]): Promise<void> {
    const { world, api } = this.#context;
    const faults = [...new Set(refusals.flatMap(({ fault }) => fault ?? []))];
    const kept: {
      readonly intern: 'own' | 'sibling';
      readonly name: string;
      readonly keeps: Refusals['keeps'];
    }[] = [];
    for (const keeps of new Set(refusals.map((one) => one.keeps))) {
      const part = refusals.filter((one) => one.keeps === keeps);
      const names = new Map<Scope, string>();
      for (const scope of new Set(part.map((one) => one.scope))) names.set(scope, await this.#store(scope));
      for (const refusal of part) {
        await this.#suffer(refusal.fault, faults);
        await this.#judge(refusal, names);
      }
      for (const intern of ['own', 'sibling'] as const) {
        const name = names.get(intern);
        if (name !== undefined) kept.push({ intern, name, keeps });
      }
    }
    if (this.#fault !== undefined) await world.setFaults();
    for (const { keeps, ...secret } of kept) await api.stillStored(secret, keeps);
  }

  async #judge(refusal: Refusal, names: Map<Scope, string>): Promise<void> {
    const { situation, scope, id, expected } = refusal;
    const stored = names.get(scope) ?? freshName();
    const name = nameOf(refusal, stored, this.#context.world);
    const { answer } = await callOf(situation, this.#context, { id, name }).expectOneOf(expected);
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
    await this.#context.api.deleteSecret({ intern: scope, name }).expectOneOf({
      allowed: new Map([[204, { requirement: identity, isOpen: true }]]),
      due: { requirement: identity, because: 'the secret is gone, though another name was to be deleted' },
      maySucceed: true,
      continueOnFailure: true,
    });
  }

  async #suffer(fault: Fault | undefined, all: readonly Fault[]): Promise<void> {
    if (fault === this.#fault) return;
    this.#fault = fault;
    if (fault === undefined) await this.#context.world.setFaults();
    else await askForFault(this.#context.world, fault, all);
  }

  /** Short names at the own intern, long ones elsewhere: a trouble that the length brings about shows in either. */
  #store(scope: Scope): Promise<string> {
    const isLong = scope !== 'own' && this.#context.offers('store:named');
    return this.#context.world.store(scope, isLong ? freshName() + freshName() + freshName() : undefined);
  }
}

function nameOf({ of, name }: Refusal, stored: string, { prefix }: World): string | RawPart {
  if (of === 'nowhere') return freshName();
  if (name === undefined) return stored;
  const { raw } = name(stored);
  // Made from a name that carries the prefix, it mostly has it already.
  return { label: nameLabel(name(standIn.text)), raw: raw.includes(prefix) ? raw : ours(prefix, raw) };
}
