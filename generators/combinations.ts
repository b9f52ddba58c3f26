import fc from 'fast-check';
import { type Fault, inferenceFaults, vaultFaults } from '../spec/vocabulary.js';
import { coveringArray, randomNumbers, shuffled } from './covering-array.js';
import { type CredentialWord, openCredentials, otherSchemes, spoiltCredentials } from './credential.js';
import { oracle } from './oracle.js';
import { type InvalidNameClass, invalidNameClasses, secretName, validName } from './secret-name.js';
import {
  type Extras,
  type GuardrailSituation,
  type InferenceSituation,
  isRole,
  type KeySituation,
  type NamedGuardrail,
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
  const names = legalNames(seed);
  const plain = plainVault(names.letters(0));
  const factor = makeFactor(plain);
  const has = <W>(known: readonly W[], wanted: readonly NoInfer<W>[]) =>
    wanted.filter((word) => known.includes(word));
  const illegal = (...classes: readonly InvalidNameClass[]) => illegalNames(words, classes, seed);
  const value = makeValue(plain);
  return {
    plain,
    factors: [
      credentialFactor(plain, words),
      hostFactor(plain, words),
      factor(
        ['intern'],
        [
          has(words.interns, ['own']),
          has(words.interns, ['sibling']),
          has(words.interns, ['own-spelled', 'sibling-spelled']),
          has(words.interns, ['foreign', 'foreign-spelled']),
          has(words.interns, ['elsewhere']),
          has(words.interns, ['unknown']),
          has(words.interns, ['malformed']),
        ].map((list) => list.map((intern) => ({ intern }))),
      ),
      factor(
        ['stored'],
        words.stored.map((stored) => [{ stored }]),
      ),
      {
        fields: ['name'],
        isSteady: ({ name }) => 'text' in name,
        values: [
          ...[
            names.letters,
            names.shortest,
            names.digits,
            names.underscores,
            names.longest,
            names.encoded,
          ].map((draw) => value((turn) => ({ name: draw(turn) }))),
          ...[
            illegal(
              'too-long',
              'upper-case',
              'leading-digit',
              'leading-underscore',
              'trailing-underscore',
              'double-underscore',
            ),
            illegal(
              'punctuation',
              'control-character',
              'white-space-around',
              'beyond-ascii',
              'encoded-twice',
              'not-utf-8',
            ),
            illegal('look-alike'),
            illegal('routing-ambiguous'),
          ].flatMap((drawn) => (drawn.length === 0 ? [] : [value(inTurn(drawn.map((name) => ({ name }))))])),
        ],
      },
      factor(['fault'], [[{}], ...has(words.faults, vaultFaults).map((fault) => [{ fault }])]),
      factor(['method'], [[{}], words.methods.map((method) => ({ method }))]),
      extrasFactor(plain),
      connectionFactor(plain),
    ],
    // What no name can be is stored nowhere.
    excludes: (one, other) =>
      [
        [one, other],
        [other, one],
      ].some(
        ([first, second]) =>
          first?.name !== undefined &&
          !('text' in first.name) &&
          second?.stored !== undefined &&
          second.stored !== 'there',
      ),
  };
}

/** What a guardrail read can be made of on a target (§4.2). */
export function guardrailSpace(words: Vocabulary): Space<GuardrailSituation> {
  const plain: GuardrailSituation = {
    operation: 'guardrail-read',
    as: 'management',
    host: 'global',
    id: 'own',
  };
  const factor = makeFactor(plain);
  return {
    plain,
    factors: [
      credentialFactor(plain, words),
      hostFactor(plain, words),
      factor(
        ['id'],
        (
          [
            ['own'],
            ['own-spelled'],
            ['unknown'],
            ['malformed'],
            ['elsewhere', 'elsewhere-spelled'],
          ] as const satisfies readonly (readonly NamedGuardrail[])[]
        ).map((list) => list.filter((id) => words.guardrails.includes(id)).map((id) => ({ id }))),
      ),
      factor(
        ['fault'],
        [
          [{}],
          ...words.faults.filter((fault) => fault === 'guardrail_internal_error').map((fault) => [{ fault }]),
        ],
      ),
      extrasFactor(plain),
      connectionFactor(plain),
    ],
    excludes: isRegionalBesideOthers,
  };
}

/** What a key read can be made of on a target (§4.3). */
export function keySpace(words: Vocabulary): Space<KeySituation> {
  const plain: KeySituation = { operation: 'key-info', as: 'member', host: 'global' };
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
  const isOffered = (fault: Fault) =>
    words.faults.includes(fault) && (fault !== 'platform_rate_limited' || model === 'free');
  const [broken, faults] = [isOffered('mid_stream_error'), inferenceFaults.filter(isOffered)];
  return {
    plain,
    factors: [
      credentialFactor(plain, words),
      factor(
        ['fault'],
        [[{}], ...faults.filter((fault) => fault !== 'mid_stream_error').map((fault) => [{ fault }])],
      ),
      factor(
        ['stream'],
        [
          [{ stream: false }],
          [{ stream: true }],
          broken ? [{ stream: true, fault: 'mid_stream_error' as const }] : [],
        ],
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

const credit: readonly CredentialWord[] = ['exhausted', 'overdrawn'];
const freeAccounts: readonly CredentialWord[] = ['free_small', 'free_large'];
const vaultCallers: readonly CredentialWord[] = ['outsider', 'write_disabled'];
/** Roles of which it does not matter to an operation which of them it is. */
const rolesAlike: Readonly<Record<Situation['operation'], readonly (readonly CredentialWord[])[]>> = {
  'vault-delete': [credit, freeAccounts],
  'guardrail-read': [credit, freeAccounts, vaultCallers],
  'key-info': [credit, freeAccounts, vaultCallers],
  inference: [vaultCallers],
};

/** Each role, and each way to spoil or to spell a header. */
function credentialFactor<S extends Situation>(plain: S, { credentials }: Vocabulary): Factor<S> {
  const isAbsent = (word: CredentialWord) => word === 'empty' || word === 'scheme-only';
  const isUnknown = (word: CredentialWord) => word.startsWith('unknown');
  const roles = credentials.filter((word) => isRole(word) && word !== plain.as);
  const alike = rolesAlike[plain.operation].map((list) => roles.filter((role) => list.includes(role)));
  const spoilt: readonly CredentialWord[] = spoiltCredentials;
  const groups: readonly (readonly CredentialWord[])[] = [
    [plain.as],
    ...roles.filter((role) => !alike.flat().includes(role)).map((role) => [role]),
    ...alike,
    ['none'],
    spoilt.filter(isAbsent),
    spoilt.filter(isUnknown),
    spoilt.filter((word) => word !== 'none' && !isAbsent(word) && !isUnknown(word)),
    otherSchemes,
    openCredentials,
  ];
  return makeFactor(plain)(
    ['as'],
    groups.map((list) => list.map((as) => ({ as }) as Partial<S>)),
  );
}

function hostFactor<S extends Situation>(plain: S, { hosts }: Vocabulary): Factor<S> {
  const lists = [
    hosts.filter((host) => host === 'global'),
    hosts.filter((host) => host === 'global-spelled'),
    hosts.filter((host) => host === 'regional'),
    hosts.filter((host) => host.startsWith('regional-')),
  ];
  return makeFactor(plain)(
    ['host'],
    lists.map((list) => list.map((host) => ({ host }) as Partial<S>)),
  );
}

const queries = ['?x=1', '?name=other', '?internId=other&force=true', '?force=true', '?_method=GET'];
const bodies: readonly Extras[] = [
  ...['{}', '{"name":"other"}'].map((body) => ({ body })),
  { body: 'text', bodyType: 'text/plain' },
  { body: '{}', bodyType: 'application/octet-stream' },
];
/** What is most likely refused, so that it would mask what a body does otherwise. */
const refusedExtras: readonly Extras[] = [
  { headers: { Origin: 'https://elsewhere.test' } },
  { headers: { 'Content-Type': 'application/json' } },
  ...['{"name":', '[]', 'text'].map((body) => ({ body })),
];
/** What a page of any origin may send without asking. */
const forms: readonly Extras[] = [
  { body: 'name=other', bodyType: 'application/x-www-form-urlencoded' },
  { body: '--x--\r\n', bodyType: 'multipart/form-data; boundary=x' },
];
/** What a proxy may set to tell of the request that it got; whoever sets it from outside must change nothing. */
const claims: Extras = {
  headers: {
    'X-HTTP-Method-Override': 'GET',
    'X-Forwarded-Host': 'elsewhere.test',
    'X-Forwarded-For': '127.0.0.1',
    'X-Original-URL': '/',
  },
};
const unrelatedHeaders = [
  { Accept: '*/*' },
  { 'Accept-Language': 'de, en;q=0.5' },
  { 'X-Request-Id': 'plumbline' },
];

function extrasFactor<S extends Situation>(plain: S): Factor<S> {
  const lists: readonly (readonly Extras[])[] = [
    [{}],
    unrelatedHeaders.map((headers) => ({ headers })),
    queries.map((query) => ({ query })),
    refusedExtras,
    bodies,
    forms,
    [claims],
  ];
  return makeFactor(plain)(['query', 'body', 'bodyType', 'headers'] as (keyof S)[], lists as Partial<S>[][]);
}

/** A connection of its own costs a round trip. */
function connectionFactor<S extends Situation>(plain: S): Factor<S> {
  const changes: readonly (readonly Extras[])[] = [[{}], [{ connection: 'fresh' }]];
  return { ...makeFactor(plain)(['connection'] as (keyof S)[], changes as Partial<S>[][]), isDear: true };
}

// ── Names ──

const lettersOnly = [...'abcdefghijklmnopqrstuvwxyz'];
const lettersAndDigits = [...lettersOnly, ...'0123456789'];

/** Legal names of each class, another at each turn: a name that came before may still be stored in the same world. */
function legalNames(seed: number) {
  const random = randomNumbers(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const text = (signs: readonly string[], length: number) =>
    Array.from({ length }, () => signs[below(signs.length)] ?? 'a').join('');
  const short = shuffled(
    [...lettersOnly, ...lettersOnly.flatMap((first) => lettersAndDigits.map((second) => first + second))],
    random,
  );
  const drawn = (draw: () => string) => {
    const known: string[] = [];
    return (turn: number) => {
      while (known.length <= turn) known.push(draw());
      return validName(known[turn] ?? 'name');
    };
  };
  const ofLetters = () => drawn(() => text(lettersOnly, 6 + below(19)));
  const toEncode = ofLetters();
  return {
    letters: ofLetters(),
    encoded: (turn: number) => {
      const name = toEncode(turn);
      return { ...name, raw: `${name.raw.slice(0, -1)}%${name.raw.slice(-1).charCodeAt(0).toString(16)}` };
    },
    shortest: (turn: number) => validName(short[turn % short.length] ?? 'a'),
    digits: drawn(
      () =>
        `${text(lettersOnly, 5)}${below(10)}${text(lettersAndDigits, below(2) === 0 ? below(18) : 69 + below(178))}`,
    ),
    underscores: drawn(() =>
      Array.from(
        { length: 2 + below(8) },
        () => text(lettersOnly, 3) + text(lettersAndDigits, below(20)),
      ).join('_'),
    ),
    longest: drawn(() => `a${text(lettersAndDigits, 253 + below(2))}`),
  };
}

const drawnOfEachClass = 8;
// One that looks like a shorter name might look like one that another case has left.
const shortestLookedLike = 6;

/** Illegal names of some classes, one of each class in turn; none of those that the target cannot be sent. */
function illegalNames({ withoutNames }: Vocabulary, classes: readonly InvalidNameClass[], seed: number) {
  const sent = classes.filter((word) => !withoutNames.includes(word));
  const drawn = sent.map((word) =>
    fc.sample(
      secretName.breaking(word).filter(({ looksLike = 'a name' }) => looksLike.length >= shortestLookedLike),
      { seed: seed + invalidNameClasses.indexOf(word), numRuns: drawnOfEachClass },
    ),
  );
  return Array.from({ length: drawnOfEachClass }, (_, turn) =>
    drawn.flatMap((list) => list[turn] ?? []),
  ).flat();
}
