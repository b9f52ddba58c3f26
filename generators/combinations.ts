import { type Fault, inferenceFaults, vaultFaults } from '../spec/vocabulary.js';
import { coveringArray } from './covering-array.js';
import {
  type CredentialWord,
  isRole,
  openCredentials,
  otherSchemes,
  spoiltCredentials,
} from './credential.js';
import { bodies, claims, forms, queries, refusedExtras, unrelatedHeaders } from './inputs.js';
import { drawIllegalNames, drawLegalNames } from './name-catalogue.js';
import { oracle } from './oracle.js';
import type { InvalidNameClass } from './secret-name.js';
import {
  type GuardrailSituation,
  type InferenceSituation,
  type KeySituation,
  plainGuardrail,
  plainKey,
  plainVault,
  type Situation,
  type VaultSituation,
  type Vocabulary,
} from './situation.js';

/** A value of a factor. Several words may stand for it, which the rows of an array take in turn. */
interface FactorValue<S> {
  readonly change: (turn: number) => Partial<S>;
  /** Whether it may be refused for itself, so that it would mask others. */
  readonly isReason: boolean;
}

/** A part of a situation that varies; its first value is the plain one. */
interface Factor<S> {
  readonly fields: readonly (keyof S)[];
  readonly values: readonly FactorValue<S>[];
  readonly isDear?: true;
  /** Whether every seed makes a situation with the same value of it. */
  readonly isSteady: (situation: S) => boolean;
}

/** What situations of one operation are made of. */
export interface Space<S> {
  readonly plain: S;
  readonly factors: readonly Factor<S>[];
  /** Whether a situation makes sense once a deviation was taken back; each does where absent. */
  readonly isMeant?: (situation: S) => boolean;
  /** Whether two deviations cannot stand together. */
  readonly excludes?: (one: Partial<S>, other: Partial<S>) => boolean;
}

/** A situation, and the numbers of the combinations that it covers. */
export interface CombinedSituation<S> {
  readonly value: S;
  readonly covers: readonly number[];
}

/**
 * Situations in which every combination of so many values occurs, none with more reasons to refuse than that; those
 * with the most reasons come first. The same for the same seed.
 */
export function combined<S extends Situation>(
  { plain, factors, excludes = () => false }: Space<S>,
  strength: number,
  seed: number,
): { readonly rows: readonly CombinedSituation<S>[]; readonly possible: number } {
  const valueAt = (factor: number, value: number) => factors[factor]?.values[value];
  const changes = factors.map(({ values }) => values.map(({ change }) => change(0)));
  const changeAt = ([factor, value]: readonly [number, number]) => changes[factor]?.[value] ?? {};
  const design = {
    sizes: factors.map(({ values }) => values.length),
    isReason: (factor: number, value: number) => valueAt(factor, value)?.isReason === true,
    excludes: (one: readonly [number, number], other: readonly [number, number]) =>
      excludes(changeAt(one), changeAt(other)),
    dear: factors.flatMap(({ isDear }, at) => (isDear === true ? [at] : [])),
  };
  const { rows, possible } = coveringArray(design, strength, seed);
  const turns = factors.map(({ values }) => values.map(() => 0));
  const changed = (factor: number, value: number): Partial<S> => {
    const ofFactor = turns[factor] ?? [];
    const turn = ofFactor[value] ?? 0;
    ofFactor[value] = turn + 1;
    return valueAt(factor, value)?.change(turn) ?? {};
  };
  return {
    possible,
    rows: rows.map(({ values, covers }) => ({
      value: Object.assign({}, plain, ...values.map((value, factor) => changed(factor, value))) as S,
      covers,
    })),
  };
}

/** A situation with one of its deviations taken back, for each of them. */
export function simplerThan<S extends Situation>(
  { plain, factors, isMeant = () => true }: Space<S>,
  situation: S,
): readonly S[] {
  return factors.flatMap(({ fields, values: [first] }) => {
    const isOwn = (field: string) => (fields as readonly string[]).includes(field);
    const rest = Object.entries(situation).filter(([field]) => !isOwn(field));
    const simpler = { ...plain, ...Object.fromEntries(rest), ...first?.change(0) } as S;
    return JSON.stringify(simpler) === JSON.stringify({ ...plain, ...situation }) || !isMeant(simpler)
      ? []
      : [simpler];
  });
}

/** Whether every seed makes a situation like this one, but for what a legal name is. */
export function isSteady<S extends Situation>({ factors }: Space<S>, situation: S): boolean {
  return factors.every((factor) => factor.isSteady(situation));
}

/** How many parts of a situation deviate from the plain one. */
export function deviationsOf<S extends Situation>(space: Space<S>, situation: S): readonly string[] {
  const { plain, factors } = space;
  return factors.flatMap(({ fields }) =>
    fields.some((field) => JSON.stringify(situation[field]) !== JSON.stringify(plain[field]))
      ? [String(fields[0])]
      : [],
  );
}

// ── The spaces of the operations ──

/** What a vault delete can be made of on a target (§4.1). */
export function vaultSpace(words: Vocabulary, seed: number): Space<VaultSituation> {
  const names = drawLegalNames(seed);
  const plain = plainVault(names.letters(0));
  const factor = makeFactor(plain);
  const value = makeValue(plain);
  const interns = [
    ...[['own'], ['sibling'], ['own-spelled', 'sibling-spelled'], ['foreign', 'foreign-spelled']],
    ...[['elsewhere'], ['unknown'], ['malformed']],
  ];
  const illegal = (...classes: readonly InvalidNameClass[]) => {
    const drawn = drawIllegalNames(without(classes, words.withoutNames), seed);
    return drawn.length === 0 ? [] : [value(inTurn(drawn.map((name) => ({ name }))))];
  };
  return {
    plain,
    factors: [
      credentialFactor(plain, words),
      hostFactor(plain, words),
      factor(
        ['intern'],
        interns.map((list) =>
          words.interns.filter((word) => list.includes(word)).map((intern) => ({ intern })),
        ),
      ),
      factor(
        ['stored'],
        words.stored.map((stored) => [{ stored }]),
      ),
      {
        fields: ['name'],
        isSteady: ({ name }) => 'text' in name,
        values: [
          ...Object.values(names).map((draw) => value((turn) => ({ name: draw(turn) }))),
          ...illegal(
            ...(['too-long', 'upper-case', 'leading-digit', 'leading-underscore'] as const),
            ...(['trailing-underscore', 'double-underscore'] as const),
          ),
          ...illegal(
            ...(['punctuation', 'control-character', 'white-space-around'] as const),
            ...(['beyond-ascii', 'encoded-twice', 'not-utf-8'] as const),
          ),
          ...illegal('look-alike'),
          ...illegal('routing-ambiguous'),
        ],
      },
      faultFactor(plain, words, vaultFaults),
      factor(['method'], [[{}], words.methods.map((method) => ({ method }))]),
      extrasFactor(plain),
      connectionFactor(plain),
    ],
    // What no name can be is stored nowhere.
    excludes: (one, other) => {
      const { name, stored = 'there' } = { ...one, ...other };
      return name !== undefined && !('text' in name) && stored !== 'there';
    },
  };
}

/** What a guardrail read can be made of on a target (§4.2). */
export function guardrailSpace(words: Vocabulary): Space<GuardrailSituation> {
  const plain = plainGuardrail;
  const guardrails = [
    ...[['own'], ['own-spelled'], ['unknown'], ['malformed'], ['elsewhere', 'elsewhere-spelled']],
  ];
  return {
    plain,
    factors: [
      credentialFactor(plain, words),
      hostFactor(plain, words),
      makeFactor(plain)(
        ['id'],
        guardrails.map((list) => words.guardrails.filter((id) => list.includes(id)).map((id) => ({ id }))),
      ),
      faultFactor(plain, words, ['guardrail_internal_error']),
      extrasFactor(plain),
      connectionFactor(plain),
    ],
    excludes: isRegionalBesideOthers,
  };
}

/** What a key read can be made of on a target (§4.3). */
export function keySpace(words: Vocabulary): Space<KeySituation> {
  const plain = plainKey;
  return {
    plain,
    factors: [
      credentialFactor(plain, words),
      hostFactor(plain, words),
      extrasFactor(plain),
      connectionFactor(plain),
    ],
    excludes: isRegionalBesideOthers,
  };
}

/** What an inference request to one kind of model can be made of on a target (§6 to §8). */
export function inferenceSpace(
  words: Vocabulary,
  model: InferenceSituation['model'],
): Space<InferenceSituation> {
  const plain: InferenceSituation = {
    operation: 'inference',
    as: 'member',
    host: 'global',
    model,
    stream: false,
  };
  const factor = makeFactor(plain);
  const faults = model === 'free' ? words.faults : without(words.faults, ['platform_rate_limited']);
  const streams = [{ stream: false }, { stream: true }, { stream: true, fault: 'mid_stream_error' } as const];
  return {
    plain,
    factors: [
      credentialFactor(plain, words),
      faultFactor(plain, { faults }, without(inferenceFaults, ['mid_stream_error'])),
      factor(
        ['stream'],
        streams.map((change) => ('fault' in change && !faults.includes(change.fault) ? [] : [change])),
      ),
      connectionFactor(plain),
    ],
    // What a fault does to a request of another kind is not stated.
    isMeant: ({ fault, stream }) => fault !== 'mid_stream_error' || stream,
    excludes: (one, other) => one.fault !== undefined && other.fault !== undefined,
  };
}

/** What a regional hostname does to a read is not stated, so that nothing beside it would be judged. */
function isRegionalBesideOthers(one: Partial<GuardrailSituation | KeySituation>, other: typeof one): boolean {
  return [one, other].some(({ host = 'global' }) => host.startsWith('regional'));
}

// ── Factors ──

function without<Word>(words: readonly Word[], some: readonly NoInfer<Word>[]): readonly Word[] {
  return words.filter((word) => !some.includes(word));
}

/** Gives words in turn. */
function inTurn<Word>(words: readonly Word[]): (turn: number) => Word {
  return (turn) => words[turn % words.length] as Word;
}

/** Makes a value, which is a reason where the oracle lets it be refused for itself. */
function makeValue<S extends Situation>(plain: S) {
  return (change: (turn: number) => Partial<S>): FactorValue<S> => {
    const situation = { ...plain, ...change(0) };
    const { allowed, isAnyAllowed } = oracle(situation);
    const isReason =
      isAnyAllowed || 'fault' in situation || [...allowed.keys()].some((status) => status >= 300);
    return { change, isReason };
  };
}

/** Makes a factor of lists of words; what a target does not offer leaves empty lists, which are no values. */
function makeFactor<S extends Situation>(plain: S) {
  const value = makeValue(plain);
  return (fields: readonly (keyof S)[], lists: readonly (readonly Partial<S>[])[]): Factor<S> => {
    const fieldsOf = (of: Partial<S>) => JSON.stringify(fields.map((field) => of[field]));
    const steady = lists.flatMap((list) => (list.length === 1 ? list.map(fieldsOf) : []));
    return {
      fields,
      values: lists.filter((list) => list.length > 0).map((list) => value(inTurn(list))),
      isSteady: (situation) => steady.includes(fieldsOf(situation)),
    };
  };
}

const broke: readonly CredentialWord[] = ['exhausted', 'overdrawn'];
const freeAccounts: readonly CredentialWord[] = ['free_small', 'free_large'];
const vaultCallers: readonly CredentialWord[] = ['outsider', 'write_disabled'];
/** Roles of which it does not matter to an operation which of them it is. */
const rolesAlike: Readonly<Record<Situation['operation'], readonly (readonly CredentialWord[])[]>> = {
  'vault-delete': [broke, freeAccounts],
  'guardrail-read': [broke, freeAccounts, vaultCallers],
  'key-info': [broke, freeAccounts, vaultCallers],
  inference: [vaultCallers],
};

/** Each role, and each way to spoil or to spell a header. */
function credentialFactor<S extends Situation>(plain: S, { credentials }: Vocabulary): Factor<S> {
  const roles = credentials.filter((word) => isRole(word) && word !== plain.as);
  const alike = rolesAlike[plain.operation].map((list) => roles.filter((role) => list.includes(role)));
  const empty: readonly CredentialWord[] = ['empty', 'scheme-only'];
  const unknown: readonly CredentialWord[] = ['unknown', 'unknown-same-shape'];
  const groups: readonly (readonly CredentialWord[])[] = [
    [plain.as],
    ...without(roles, alike.flat()).map((role) => [role]),
    ...alike,
    ['none'],
    empty,
    unknown,
    without<CredentialWord>(spoiltCredentials, ['none', ...empty, ...unknown]),
    otherSchemes,
    openCredentials,
  ];
  return makeFactor(plain)(
    ['as'],
    groups.map((list) => list.map((as) => ({ as }) as Partial<S>)),
  );
}

function hostFactor<S extends Situation>(plain: S, { hosts }: Vocabulary): Factor<S> {
  const words = ['global', 'global-spelled', 'regional'] as const;
  const groups = [...words.map((word) => [word]), ['regional-upper', 'regional-mixed', 'regional-port']];
  return makeFactor(plain)(
    ['host'],
    groups.map((list) => hosts.filter((host) => list.includes(host)).map((host) => ({ host }) as Partial<S>)),
  );
}

/** None, and each of an operation's faults that a target offers. */
function faultFactor<S extends Situation>(
  plain: S,
  { faults }: Pick<Vocabulary, 'faults'>,
  own: readonly Fault[],
): Factor<S> {
  const changes = [{}, ...own.filter((fault) => faults.includes(fault)).map((fault) => ({ fault }))];
  return makeFactor(plain)(
    ['fault'] as unknown as (keyof S)[],
    changes.map((change) => [change as Partial<S>]),
  );
}

function extrasFactor<S extends Situation>(plain: S): Factor<S> {
  const lists: readonly (readonly Partial<Situation>[])[] = [
    [{}],
    unrelatedHeaders,
    queries,
    refusedExtras,
    bodies,
    forms,
    [claims],
  ];
  return makeFactor(plain)(['query', 'body', 'bodyType', 'headers'], lists as Partial<S>[][]);
}

/** A connection of its own costs a round trip. */
function connectionFactor<S extends Situation>(plain: S): Factor<S> {
  const lists: readonly (readonly Partial<Situation>[])[] = [[{}], [{ connection: 'fresh' }]];
  return { ...makeFactor(plain)(['connection'], lists as Partial<S>[][]), isDear: true };
}
