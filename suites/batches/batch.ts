import { setTimeout as sleep } from 'node:timers/promises';
import { classifyId, type DerivedId } from '../../generators/ids.js';
import { listNeeds } from '../../generators/inputs.js';
import { type Answers, consultOracle, predictFate } from '../../generators/oracle.js';
import {
  addRunPrefix,
  type InvalidName,
  labelName,
  makeValidName,
  type ValidName,
} from '../../generators/secret-name.js';
import {
  type Extras,
  locateSecret,
  makePlainVault,
  type VaultSituation,
} from '../../generators/situation.js';
import type { CheckContext, RawPart } from '../../judge/api.js';
import type { AllowedAnswers } from '../../judge/call.js';
import { type Check, type CheckId, type CheckOptions, check } from '../../judge/check.js';
import type { RequirementId } from '../../spec/ledger.js';
import { getOrInsert } from '../../spec/maps.js';
import type { Need } from '../../spec/need.js';
import type { Fault, Intern, Scope } from '../../spec/vocabulary.js';
import { NotShown, Unavailable, type World } from '../../targets/world.js';
import type { KeepingStatus } from '../../targets/world-state.js';
import { makeCall } from '../requests.js';

// Checks of several steps in one world, so that many refusals take little more than one request each.

/** What a step of a batch needs, and what it decides. */
interface StepFacts {
  readonly fault?: Fault;
  readonly needs?: readonly Need[];
  readonly decides: readonly RequirementId[];
  /** Further requirements that it may decide. It is not run for their sake only. */
  readonly mayDecide?: readonly RequirementId[];
}

export interface Step extends StepFacts {
  readonly run: (context: CheckContext) => Promise<unknown>;
}

type BatchOptions = Omit<CheckOptions, 'alsoDecides' | 'decidableOn'> & { readonly title: string };

/** Defines a check of the steps that the target offers the means for, and of an end. */
export function batchSteps(
  id: CheckId,
  options: BatchOptions,
  steps: readonly Step[],
  end: (context: CheckContext) => Promise<unknown> = async () => undefined,
): Check {
  return defineBatch(id, options, steps, async (context, offered) => {
    await runSteps(context, offered);
    await end(context);
  });
}

function defineBatch<Facts extends StepFacts>(
  id: CheckId,
  options: BatchOptions,
  steps: readonly Facts[],
  run: (context: CheckContext, offered: readonly Facts[]) => Promise<void>,
): Check {
  const select = (offers: CheckContext['offers']) =>
    steps.filter(
      ({ fault, needs = [] }) => (fault === undefined || offers(`fault:${fault}`)) && needs.every(offers),
    );
  const listAll = ({ decides, mayDecide = [] }: Facts) => [...decides, ...mayDecide];
  return check(
    id,
    {
      ...options,
      alsoDecides: [...new Set(steps.flatMap(listAll))].filter((row) => !id.startsWith(`${row}/`)),
      decidableOn: (offers) => [...new Set(select(offers).flatMap(({ decides }) => decides))],
    },
    (context) => {
      const wanted = select(context.offers).filter((step) => context.isWanted(listAll(step)));
      return run(context, wanted);
    },
  );
}

async function runSteps(context: CheckContext, steps: readonly Step[]): Promise<void> {
  const faults = [...new Set(steps.flatMap(({ fault }) => fault ?? []))];
  let current: Fault | undefined;
  let notShown: NotShown | undefined;
  for (const { fault, run } of steps) {
    if (fault !== current) await changeFault(context.world, fault, faults);
    current = fault;
    await run(context).catch((error: unknown) => {
      // Other steps may not need what this one lacks.
      if (!(error instanceof NotShown) || error instanceof Unavailable) throw error;
      notShown ??= error;
    });
  }
  if (current !== undefined) await context.world.setFaults();
  if (notShown !== undefined) throw notShown;
}

/** Sets or clears a fault. If the target refuses it, tries the others too, so that the batch is repeated only once. */
async function changeFault(world: World, fault: Fault | undefined, all: readonly Fault[]): Promise<void> {
  try {
    await world.setFaults(...(fault === undefined ? [] : [fault]));
  } catch (error) {
    if (error instanceof Unavailable) {
      const ignoreUnavailable = (other: unknown) => {
        if (!(other instanceof Unavailable)) throw other;
      };
      for (const other of all.filter((one) => one !== fault))
        await world.setFaults(other).catch(ignoreUnavailable);
      await world.setFaults();
    }
    throw error;
  }
}

/**
 * Narrows what the oracle permits to what a case of a batch can prove: only the rule that is due, under the requirement
 * that the case is for. The batch continues after a wrong answer.
 */
export function narrowToDue(
  { allowed, due, maySucceed }: Answers,
  row: RequirementId = due.requirement,
): AllowedAnswers {
  const rules = [...allowed].map(([status, { requirement, decidesNothing, breaksOff }]) => {
    const isDue = requirement === due.requirement && decidesNothing !== true;
    const rule = isDue ? { requirement: row } : { requirement, decidesNothing: true as const };
    return [status, breaksOff === true ? { ...rule, breaksOff } : rule] as const;
  });
  const dueToRow = { ...due, requirement: row };
  return { allowed: new Map(rules), due: dueToRow, maySucceed, continueOnFailure: true };
}

// ── Refused deletes ──

/** A refused delete, by its differences from the plain delete of the stored secret. */
export interface RefusalCase extends Partial<Pick<VaultSituation, 'as' | 'host' | 'fault'>>, Extras {
  /** The intern that the path names; `own` where absent. */
  readonly intern?: Intern;
  readonly id?: DerivedId;
  /** The scope that has a secret of the name; `nowhere` if none has. */
  readonly of?: Scope | 'nowhere';
  /** Whether the own intern has a secret of the name too. */
  readonly ownHasNameToo?: true;
  /** Makes the name that is sent from the stored one. */
  readonly name?: (stored: string) => InvalidName | ValidName;
  /** The requirement that the case is for, if the oracle names a more general one. */
  readonly requirement?: RequirementId;
}

const identity: RequirementId = 'secret-name.identity';
// Requests in addition to the cases and the final check of what is still stored.
const maxProbes = 2;

type RefusalsOfStatus = readonly [KeepingStatus, readonly RefusalCase[]];

/** Defines a check of refusals by status, each judged on its own, over a few stored secrets that none of them may delete. */
export function batchRefusals(
  id: `${RequirementId}/${string}`,
  ...parts: readonly RefusalsOfStatus[]
): Check {
  return batchRefusalsAndWait(id, 0, ...parts);
}

/** Defines such a check that waits before it looks at what is still stored: a server may make up later for what it refused. */
export function batchRefusalsAndWait(
  id: `${RequirementId}/${string}`,
  waitMs: number,
  ...parts: readonly RefusalsOfStatus[]
): Check {
  const all = parts.flatMap(([status, cases]) => cases.map((one) => prepare(one, status)));
  const vaultRequests = all.length + 2 * parts.length + maxProbes;
  const title = `Deletes that have to get ${parts.map(([status]) => status).join(', ')}, one after another.`;
  const options = { title, runsWithoutOwnNeeds: true, vaultRequests } as const;
  return defineBatch(id, options, all, (context, refusals) => judgeRefusals(context, refusals, waitMs));
}

// The longer a check, the more often it is disturbed.
const casesPerBatch = 21;

/** Defines as many checks as the cases need. */
export function splitIntoBatches<Case>(
  id: `${RequirementId}/${string}`,
  cases: readonly Case[],
  define: (id: `${RequirementId}/${string}`, cases: readonly Case[]) => Check,
): readonly Check[] {
  return Array.from({ length: Math.ceil(cases.length / casesPerBatch) }, (_, at) =>
    define(at === 0 ? id : `${id}-${at + 1}`, cases.slice(at * casesPerBatch, (at + 1) * casesPerBatch)),
  );
}

/** Defines as many checks as the refusals with one status need. */
export function splitRefusals(
  id: `${RequirementId}/${string}`,
  status: KeepingStatus,
  cases: readonly RefusalCase[],
): readonly Check[] {
  return splitIntoBatches(id, cases, (part, some) => batchRefusals(part, [status, some]));
}

const standIn = makeValidName('name');

type Refusal = ReturnType<typeof prepare>;

/** Adds to a case what the oracle says of it, and what it decides. */
function prepare(refusal: RefusalCase, status: KeepingStatus) {
  const { intern = 'own', id, of = 'own', name, requirement, ...others } = refusal;
  const sent = name?.(standIn.text) ?? standIn;
  const isLikeStored = name !== undefined && 'text' in sent;
  const situation: VaultSituation = {
    ...makePlainVault(standIn),
    ...others,
    intern: id === undefined ? intern : classifyId(id),
    name: sent,
    stored: isLikeStored || of === 'nowhere' ? 'nowhere' : locateSecret(intern, of),
  };
  const scope = of === 'nowhere' ? 'own' : of;
  // If the target chooses the names of secrets, the sibling may have the same name, or another secret a similar one.
  const isChosen = situation.stored === 'at-the-other-intern' && intern === 'sibling';
  const needs: readonly Need[] = [
    ...listNeeds(situation),
    ...(scope === 'own' ? [] : [`scope:${scope}` as const]),
    ...(isChosen || isLikeStored ? ['store:named' as const] : []),
  ];
  const expected = narrowToDue(consultOracle(situation), requirement);
  const keeps = `vault-delete.${status}.keeps` as const;
  const decides = [keeps, expected.due.requirement];
  return { ...refusal, keeps, situation, expected, scope, needs, decides, mayDecide: [identity] };
}

/** Sends refused deletes, with separate stored secrets for each status, and checks at the end that these remain. */
async function judgeRefusals(
  context: CheckContext,
  refusals: readonly Refusal[],
  waitMs: number,
): Promise<void> {
  const { world, api } = context;
  const parts = new Map<RequirementId, Map<Scope, string>>();
  for (const { keeps, scope } of refusals) {
    const names = getOrInsert(parts, keeps, () => new Map());
    if (!names.has(scope)) names.set(scope, await storeIn(scope, context));
  }
  let probesLeft = maxProbes;
  const judge = async (refusal: Refusal): Promise<void> => {
    const { situation, scope, id, expected } = refusal;
    const names = parts.get(refusal.keeps);
    const stored = names?.get(scope) ?? world.names.next();
    const name = chooseName(refusal, stored, world);
    if (refusal.ownHasNameToo && context.offers('store:named')) await world.store('own', stored);
    const { answer } = await makeCall(situation, context, { id, name }).expectOneOf(expected);
    const isServed = answer.status < 300;
    if (!isServed && predictFate(situation, answer.status) === 'kept') return;
    const isFound = scope === 'own' || scope === 'sibling';
    if (isServed && refusal.name !== undefined && isFound && probesLeft > 0) {
      probesLeft -= 1;
      await probe(scope, stored, context);
    }
    // The secret may be gone: store another for the cases that follow.
    names?.set(scope, await storeIn(scope, context));
  };
  const steps = refusals.map((one) => ({ ...one, run: () => judge(one) }));
  await runSteps(context, steps);
  if (waitMs > 0) await sleep(waitMs, undefined, { signal: context.signal });
  for (const [keeps, names] of parts)
    for (const intern of ['own', 'sibling', 'foreign'] as const) {
      const name = names.get(intern);
      if (name !== undefined) await api.expectStillStored({ intern, name }, keeps);
    }
}

/** Finds out whether a delete of a wrong name deleted the stored secret, which violates another requirement. */
async function probe(intern: 'own' | 'sibling', name: string, { api }: CheckContext): Promise<void> {
  await api.deleteSecret({ intern, name }).expectOneOf({
    allowed: new Map([[204, { requirement: identity, decidesNothing: true }]]),
    due: {
      requirement: identity,
      because: 'the secret is gone, though another name was to be deleted',
      secret: 'taken',
    },
    maySucceed: true,
    continueOnFailure: true,
  });
}

/** Stores short names at the own intern and long ones elsewhere, so that both lengths are tried. */
function storeIn(scope: Scope, { world, offers }: CheckContext): Promise<string> {
  const isLong = scope !== 'own' && offers('store:named');
  return world.store(scope, isLong ? world.names.nextLong() : undefined);
}

function chooseName({ of, name }: Refusal, stored: string, { names, prefix }: World): string | RawPart {
  if (of === 'nowhere') return names.next();
  if (name === undefined) return stored;
  const { raw } = name(stored);
  // A name made from a stored one usually has the prefix already.
  return {
    label: labelName(name(standIn.text)),
    raw: raw.includes(prefix) ? raw : addRunPrefix(prefix, raw),
  };
}
