import { type Fault, inferenceFaults, vaultFaults } from '../spec/vocabulary.js';
import { makeCoveringArray } from './covering-array.js';
import {
  type CredentialWord,
  invalidCredentials,
  isRole,
  openCredentials,
  otherSchemes,
} from './credential.js';
import { guardrailGroups, internGroups } from './ids.js';
import {
  bodies,
  headersOfOtherRequests,
  origins,
  proxyOnlyHeaders,
  queries,
  refusedBodies,
  unrelatedHeaders,
} from './inputs.js';
import { drawIllegalNames, drawLegalNames } from './name-catalogue.js';
import { consultOracle } from './oracle.js';
import type { InvalidNameClass } from './secret-name.js';
import {
  type GuardrailSituation,
  hostGroups,
  type InferenceSituation,
  type KeySituation,
  makePlainVault,
  plainGuardrail,
  plainKey,
  type Situation,
  type VaultSituation,
  type Vocabulary,
} from './situation.js';

/** Alternatives that the rows of an array use in turn, or a function that makes a new value each time. */
type FactorValue = readonly Partial<Situation>[] | ((turn: number) => Partial<Situation>);

/** Fields of a situation that vary together; the first value is the plain one. */
interface Factor {
  readonly fields: readonly string[];
  readonly values: readonly FactorValue[];
  readonly isCostly?: true;
}

/** The factors of the situations of one operation. */
export interface Space<S> {
  readonly plain: S;
  readonly factors: readonly Factor[];
  /** Whether a situation makes sense after a deviation was removed; always where absent. */
  readonly isConsistent?: (situation: S) => boolean;
  /** Whether two deviations cannot be combined. */
  readonly excludes?: (one: Partial<S>, other: Partial<S>) => boolean;
}

/**
 * Makes situations that contain every combination of `strength` values. None has more reasons to refuse than that; those
 * with the most come first. The same seed gives the same situations.
 */
export function combine<S extends Situation>(
  { plain, factors, excludes = () => false }: Space<S>,
  strength: number,
  seed: number,
) {
  const cells = factors.map(({ values }) =>
    values.map((value) => {
      const first = takeTurn(value, 0) as Partial<S>;
      return { value, first, isReason: isReason({ ...plain, ...first }), turn: 0 };
    }),
  );
  const changeAt = ([factor, value]: readonly [number, number]) => cells[factor]?.[value]?.first ?? {};
  const design = {
    sizes: cells.map(({ length }) => length),
    isReason: (factor: number, value: number) => cells[factor]?.[value]?.isReason === true,
    excludes: (one: readonly [number, number], other: readonly [number, number]) =>
      excludes(changeAt(one), changeAt(other)),
    costly: factors.flatMap(({ isCostly }, at) => (isCostly === true ? [at] : [])),
  };
  const takeNext = (value: number, factor: number) => {
    const cell = cells[factor]?.[value];
    return cell && takeTurn(cell.value, cell.turn++);
  };
  return makeCoveringArray(design, strength, seed).rows.map(({ values, covers }) => ({
    value: Object.assign({}, plain, ...values.map(takeNext)) as S,
    covers,
  }));
}

function takeTurn(value: FactorValue, turn: number): Partial<Situation> {
  return (typeof value === 'function' ? value(turn) : value[turn % value.length]) ?? {};
}

/** Whether the only deviation of a situation may be refused, and so would mask others. */
function isReason(situation: Situation): boolean {
  const { allowed, isAnyAllowed } = consultOracle(situation);
  return isAnyAllowed || 'fault' in situation || [...allowed.keys()].some((status) => status >= 300);
}

/** Serializes fields of a situation, to compare them. */
function serializeFields(fields: readonly string[], situation: object): string {
  return JSON.stringify(fields.map((field) => (situation as Readonly<Record<string, unknown>>)[field]));
}

/** Removes each deviation of a situation in turn. */
export function simplify<S extends Situation>(
  { plain, factors, isConsistent = () => true }: Space<S>,
  situation: S,
): readonly S[] {
  return factors.flatMap(({ fields, values: [first = []] }) => {
    const rest = Object.entries(situation).filter(([field]) => !fields.includes(field));
    const simpler = { ...plain, ...Object.fromEntries(rest), ...takeTurn(first, 0) } as S;
    const isSame = JSON.stringify(simpler) === JSON.stringify({ ...plain, ...situation });
    return isSame || !isConsistent(simpler) ? [] : [simpler];
  });
}

/** Whether every seed makes this situation, apart from the text of a legal name. */
export function isInEveryRun<S extends Situation>({ factors }: Space<S>, situation: S): boolean {
  return factors.every(({ fields, values }) => {
    if ('name' in situation && fields.includes('name')) return 'text' in situation.name;
    const own = serializeFields(fields, situation);
    return values.some(
      (value) =>
        typeof value !== 'function' &&
        value.length === 1 &&
        serializeFields(fields, takeTurn(value, 0)) === own,
    );
  });
}

/** Lists the first field of each factor in which a situation deviates from the plain one. */
export function listDeviations<S extends Situation>(
  { plain, factors }: Space<S>,
  situation: S,
): readonly string[] {
  const isChanged = ({ fields }: Factor) =>
    serializeFields(fields, situation) !== serializeFields(fields, plain);
  return factors.filter(isChanged).flatMap(({ fields }) => fields.slice(0, 1));
}

// ── The spaces of the operations ──

/** The vault deletes that can be tried on a target (§4.1). */
export function makeVaultSpace(words: Vocabulary, seed: number): Space<VaultSituation> {
  const names = drawLegalNames(seed);
  const plain = makePlainVault(names.letters(0));
  const illegal: readonly (readonly InvalidNameClass[])[] = [
    [
      'too-long',
      'upper-case',
      'leading-digit',
      'leading-underscore',
      'trailing-underscore',
      'double-underscore',
    ],
    ['punctuation', 'control-character', 'white-space-around', 'beyond-ascii', 'encoded-twice', 'not-utf-8'],
    ['look-alike'],
    ['routing-ambiguous'],
  ];
  return {
    plain,
    factors: [
      makeCredentialFactor(plain, words),
      makeHostFactor(words),
      makeWordFactor('intern', internGroups, words.interns),
      makeWordFactor(
        'stored',
        words.stored.map((place) => [place]),
      ),
      makeFactor(
        ['name'],
        [
          ...Object.values(names).map((draw) => (turn: number) => ({ name: draw(turn) })),
          ...illegal.map((classes) =>
            drawIllegalNames(without(classes, words.withoutNames), seed).map((name) => ({ name })),
          ),
        ],
      ),
      makeFaultFactor(words.faults, vaultFaults),
      makeFactor(['method'], [[{}], words.methods.map((method) => ({ method }))]),
      extrasFactor,
      connectionFactor,
    ],
    // A secret cannot be stored under an illegal name.
    excludes: (one, other) => {
      const { name, stored = 'there' } = { ...one, ...other };
      return name !== undefined && !('text' in name) && stored !== 'there';
    },
  };
}

/** The guardrail reads that can be tried on a target (§4.2). */
export function makeGuardrailSpace(words: Vocabulary): Space<GuardrailSituation> {
  return {
    plain: plainGuardrail,
    factors: [
      makeCredentialFactor(plainGuardrail, words),
      makeHostFactor(words),
      makeWordFactor('id', guardrailGroups, words.guardrails),
      makeFaultFactor(words.faults, ['guardrail_internal_error']),
      extrasFactor,
      connectionFactor,
    ],
    excludes: isRegionalBesideOthers,
  };
}

/** The key reads that can be tried on a target (§4.3). */
export function makeKeySpace(words: Vocabulary): Space<KeySituation> {
  return {
    plain: plainKey,
    factors: [makeCredentialFactor(plainKey, words), makeHostFactor(words), extrasFactor, connectionFactor],
    excludes: isRegionalBesideOthers,
  };
}

/** The inference requests to one kind of model that can be tried on a target (§6 to §8). */
export function makeInferenceSpace(
  words: Vocabulary,
  model: InferenceSituation['model'],
): Space<InferenceSituation> {
  const plain = { operation: 'inference', as: 'member', host: 'global', model, stream: false } as const;
  const faults = model === 'free' ? words.faults : without(words.faults, ['platform_rate_limited']);
  const broken = { stream: true, fault: 'mid_stream_error' } as const;
  return {
    plain,
    factors: [
      makeCredentialFactor(plain, words),
      makeFaultFactor(faults, without(inferenceFaults, [broken.fault])),
      makeFactor(
        ['stream'],
        [[{ stream: false }], [{ stream: true }], faults.includes(broken.fault) ? [broken] : []],
      ),
      // The document does not define the body and the query of an inference request.
      makeFactor(['headers'], [[{}], without(unrelatedHeaders, headersOfOtherRequests), origins]),
      connectionFactor,
    ],
    // How this fault affects a request that is not streamed is not stated.
    isConsistent: ({ fault, stream }) => fault !== broken.fault || stream,
    excludes: (one, other) => one.fault !== undefined && other.fault !== undefined,
  };
}

/** The effect of a regional hostname on a read is not stated, so nothing combined with one could be judged. */
function isRegionalBesideOthers(one: Partial<GuardrailSituation | KeySituation>, other: typeof one): boolean {
  return [one, other].some(({ host = 'global' }) => host.startsWith('regional'));
}

// ── Factors ──

function without<Word>(words: readonly Word[], others: readonly NoInfer<Word>[]): readonly Word[] {
  return words.filter((word) => !others.includes(word));
}

function pick<Word extends string>(words: readonly Word[], wanted: readonly string[]): readonly Word[] {
  return words.filter((word) => wanted.includes(word));
}

/** Makes a factor, without the values for which the target offers nothing. */
function makeFactor(fields: readonly string[], values: readonly FactorValue[]): Factor {
  return { fields, values: values.filter((value) => typeof value === 'function' || value.length > 0) };
}

/** Makes a factor of one field, whose values are groups of words, as far as the target offers them. */
function makeWordFactor(
  field: 'as' | 'host' | 'intern' | 'id' | 'stored',
  groups: readonly (readonly string[])[],
  offered: readonly string[] = groups.flat(),
): Factor {
  const values = groups.map((group) => pick(offered, group).map((word) => ({ [field]: word })));
  return makeFactor([field], values);
}

/** Makes a factor of the roles and the headers made from a valid key. */
function makeCredentialFactor({ as: plain, operation }: Situation, { credentials }: Vocabulary): Factor {
  // Only inference treats keys without credit differently.
  const alike = operation === 'inference' ? [] : pick(credentials, ['exhausted', 'overdrawn']);
  const roles = credentials.filter((word) => isRole(word) && word !== plain);
  const empty: readonly CredentialWord[] = ['empty', 'scheme-only'];
  const unknown: readonly CredentialWord[] = ['unknown', 'unknown-same-shape'];
  const groups: readonly (readonly CredentialWord[])[] = [
    [plain],
    ...without(roles, alike).map((role) => [role]),
    alike,
    ['none'],
    empty,
    unknown,
    without<CredentialWord>(invalidCredentials, ['none', ...empty, ...unknown]),
    otherSchemes,
    openCredentials,
  ];
  return makeWordFactor('as', groups);
}

const makeHostFactor = ({ hosts }: Vocabulary): Factor => makeWordFactor('host', hostGroups, hosts);

/** Makes a factor of the faults of an operation that the target offers, and of none. */
function makeFaultFactor(offered: readonly Fault[], own: readonly Fault[]): Factor {
  return makeFactor(['fault'], [[{}], ...pick(own, offered).map((fault) => [{ fault }])]);
}

const extrasFactor = makeFactor(
  ['query', 'body', 'bodyType', 'headers'],
  [[{}], unrelatedHeaders, queries, origins, refusedBodies, bodies, [proxyOnlyHeaders]],
);

// A new connection costs a round trip.
const connectionFactor: Factor = {
  ...makeFactor(['connection'], [[{}], [{ connection: 'fresh' }]]),
  isCostly: true,
};
