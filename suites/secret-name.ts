import { listOfferedWords } from '../generators/inputs.js';
import {
  ambiguousPaths,
  ambiguousWalk,
  firstLegalNames,
  illegalWalk,
  legalNames,
  legalWalk,
  makeLongName,
  percentEncoded,
  words,
} from '../generators/name-catalogue.js';
import {
  addRunPrefix,
  type InvalidName,
  labelName,
  makeValidName,
  nameRules,
  secretName,
  type ValidName,
} from '../generators/secret-name.js';
import type { CheckContext } from '../judge/api.js';
import { type Check, type CheckId, check, type GeneratedCheck, type WrittenCheck } from '../judge/check.js';
import { property } from '../judge/property-check.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import type { Scope } from '../spec/vocabulary.js';
import { StoreError } from '../targets/store-recipes.js';
import { NotShown } from '../targets/world.js';
import { storeBystanders } from './generated/situations.js';
import { expectGone } from './requests.js';

// §2.3 and §8.3: the grammar of secret names, by the most revealing names and by generated ones.

const control = 'vault-delete';
// These store chosen names, which another check may choose too.
const sideEffects = 'names';
const needs: readonly Need[] = ['store', 'role:member'];
const anyName: readonly Need[] = ['any-name'];
const followsRules = 'the name follows the rules';

/** Checks that names are accepted: each is stored and deleted. */
function checkAccepted(id: CheckId, names: readonly string[], own: readonly Need[] = []): Check {
  return check(id, { sideEffects, needs: own }, async ({ world, api }) => {
    for (const name of names.map((text) => addRunPrefix(world.prefix, text))) {
      await world.store('own', name);
      await api.deleteSecret({ name }).expectStatus(204, { because: followsRules });
    }
  });
}

/**
 * Checks that words are names like any other: each is found only once it is stored.
 * @param mayMeanOthers whether a server may take them for all secrets of the intern, or for those of the workspace
 */
function checkWords(id: CheckId, names: readonly string[], mayMeanOthers: boolean): Check {
  const vaultRequests = 2 * names.length;
  return check(id, { sideEffects, needs: anyName, vaultRequests }, async ({ world, api, offers }) => {
    const hasOthers = mayMeanOthers && offers('worlds');
    if (hasOthers) await world.store('own');
    for (const name of names) {
      if (hasOthers && offers('scope:workspace')) await world.store('workspace', name);
      const call = api.deleteSecret({ name });
      // In a tenant that outlasts the attempt, an earlier one may have left it.
      await (offers('worlds')
        ? call.expectStatus(404, { because: 'no secret of that name was stored' })
        : call.send('any'));
      await world.store('own', name);
      await api.deleteSecret({ name }).expectStatus(204, { because: followsRules });
    }
  });
}

// With a profile, generated names have the prefix of the run. Where any name may be used, these are sent without it.
const firstLetters = [...'abcdefghijklmnopqrstuvwxyz'];
const leadingDigit: RequirementId = 'secret-name.refuses.leading-digit';
const shortIllegal = illegalWalk.filter(({ raw }) => raw.length <= 4);

function checkUnprefixed(
  id: CheckId,
  alsoDecides: readonly RequirementId[],
  run: WrittenCheck['run'],
): Check {
  const vaultRequests = shortIllegal.length;
  return check(id, { sideEffects, needs: anyName, alsoDecides, vaultRequests }, async (context) => {
    if (context.offers('worlds')) throw new NotShown('generated names are sent as they are');
    await run(context);
  });
}

function checkDecoded(id: CheckId, encoded: readonly string[]): Check {
  return check(id, { sideEffects }, async ({ world, api }) => {
    for (const text of encoded) {
      const { prefix } = world;
      const isLong = text.length > 40;
      // The prefix replaces some of the letters, so that a name of 255 characters stays legal.
      const raw = prefix + (isLong ? text.slice(3 * prefix.length) : text);
      await world.store('own', decodeURIComponent(raw));
      await api
        .deleteSecret({ name: { label: isLong ? '255 encoded letters' : text, raw } })
        .expectStatus(204, { because: 'decoded once it is the name' });
    }
  });
}

/** Checks that names similar to a stored one do not reach it. The status of illegal ones has checks of its own. */
function checkDistinct(
  word: string,
  stored: string,
  { legal = [], illegal = [] }: { readonly legal?: readonly string[]; readonly illegal?: readonly string[] },
): Check {
  const id = `secret-name.identity/${word}` as const;
  return check(id, { sideEffects, needs: anyName }, async ({ world, api }) => {
    await world.store('own', stored);
    for (const name of legal)
      await api.deleteSecret({ name }).expectStatus(404, { because: 'only a name like it is stored' });
    for (const name of illegal) await api.deleteSecret({ name }).send();
    await api.expectStillStored({ name: stored }, 'secret-name.identity');
  });
}

const full = makeLongName(255);

/** The checks of §2.3 and §8.3 over single names. */
export const secretNameChecks: readonly Check[] = [
  checkAccepted('secret-name.accepts.shortest', firstLegalNames.shortest, anyName),
  checkAccepted('secret-name.accepts.longest', firstLegalNames.longest),
  checkAccepted('secret-name.accepts.letters/first-and-last', firstLegalNames.letters),
  checkAccepted('secret-name.accepts.digits', firstLegalNames.digits),
  checkAccepted('secret-name.accepts.underscores', firstLegalNames.underscores),
  // The longer a check, the more often it is disturbed; the first is in the opening of a run, where every request counts.
  ...[0, 1, 10, 18, 26, 39, 57, 69].map((from, at, starts) =>
    checkWords(
      at === 0 ? 'secret-name.accepts.words' : `secret-name.accepts.words/${at + 1}`,
      words.slice(from, starts[at + 1]),
      at > 0,
    ),
  ),
  checkUnprefixed('secret-name.accepts.letters/unprefixed', [], async (context) => {
    for (const letter of firstLetters) await storeAndDelete(makeValidName(`${letter}name`), context);
  }),
  checkUnprefixed(
    `${leadingDigit}/unprefixed`,
    [...new Set(shortIllegal.map(({ rule }) => rule))].filter((rule) => rule !== leadingDigit),
    async ({ api }) => {
      for (const { rule: requirement, raw, class: word } of shortIllegal)
        await api
          .deleteSecret({ name: { label: raw, raw } })
          .expectStatus(400, { requirement, because: `the name breaks a rule: ${word}` });
    },
  ),
  checkDecoded('secret-name.accepts.percent-encoded', percentEncoded.slice(0, 2)),
  checkDecoded('secret-name.accepts.percent-encoded/2', percentEncoded.slice(2)),

  checkDistinct('neighbours', 'foo_bar', {
    legal: [
      ...['foobar', 'foo_ba', 'foo_barr', 'oo_bar', 'goo_bar', 'foo_bar_1', 'foo_bars', 'foo', 'f'],
      ...['bar_foo', 'rab_oof'],
    ],
  }),
  checkDistinct('long-neighbours', full, {
    legal: [254, 200, 128, 100, 64, 32].map((at) => `${makeLongName(at)}0${full.slice(at + 1)}`),
  }),
  // As floating-point numbers, some of them are equal.
  checkDistinct('numbers', 'v90071992547409931', {
    legal: ['v90071992547409930', 'v090071992547409931', 'v0090071992547409931'],
  }),
  // What a fresh name cannot show, since it is short and has no underscore.
  checkDistinct('underscores', 'foo_bar', {
    illegal: [
      ...['foo__bar', '_foo_bar', 'foo_bar_', 'foo-bar', 'foo.bar', 'foo bar', 'foo%5Fbar', 'foo＿bar'],
      ...['FOO_BAR', 'Foo_Bar', 'foo_%'],
    ],
  }),
  checkDistinct('length', full, { illegal: [`${full}x`, `${full}1`, `${full}xyz`] }),

  check(
    'secret-name.routing',
    { sideEffects: 'settings', needs: [...needs, 'worlds'], vaultRequests: ambiguousPaths.length },
    async ({ world, api }) => {
      await world.store('own', 'foo');
      for (const raw of ambiguousPaths)
        await api
          .deleteSecret({ name: { label: raw === '' ? 'no name' : raw, raw }, reaches: 'perhaps' })
          .send();
    },
  ),
];

// ── Generated ──

/** Chooses another scope to hold a secret of the same name, for most names; a repetition chooses the same one. */
function chooseBystander({ text }: ValidName, { offers }: CheckContext): Scope | undefined {
  if (!offers('inspect')) return undefined;
  const others = (['sibling', 'workspace', 'foreign'] as const).filter((scope) => offers(`scope:${scope}`));
  return [...others, undefined][Buffer.from(text).reduce((sum, byte) => sum + byte) % (others.length + 1)];
}

async function storeAndDelete(
  { text }: ValidName,
  { world, api }: CheckContext,
  bystander?: Scope,
): Promise<string> {
  // With a prefix, it may be a name of another class.
  const { rule, text: name } = makeValidName(addRunPrefix(world.prefix, text));
  const expectDeleted = (statuses: readonly number[]) =>
    api.deleteSecret({ name }).expectStatus(statuses, { requirement: rule, because: followsRules });
  try {
    await world.store('own', name);
  } catch (error) {
    // The request that stores secrets may refuse a legal name; a delete must not.
    if (error instanceof StoreError) await expectDeleted([204, 404]);
    throw error;
  }
  // Whether the delete takes that one too shows in the listing of the world at its end.
  if (bystander !== undefined) await world.store(bystander, name);
  await expectDeleted([204]);
  return name;
}

const acceptingRows: readonly [RequirementId, ...RequirementId[]] = [
  'secret-name.accepts.letters',
  ...(['shortest', 'longest', 'digits', 'underscores'] as const).map(
    (word) => `secret-name.accepts.${word}` as const,
  ),
];
const punctuation: RequirementId = 'secret-name.refuses.punctuation';

/** The properties of §2.3 and §8.3 over names. */
export const nameProperties: readonly GeneratedCheck[] = [
  property<ValidName>({
    name: 'valid-names',
    title: 'Every legal name can be stored and deleted, once.',
    decides: [...acceptingRows, 'vault-delete.204.takes-effect'],
    needs,
    control,
    count: { quick: 0, standard: 55, deep: 4_000 },
    vaultRequests: 2,
    cases: (offers) => {
      const isSent = (name: ValidName) => offers('worlds') || name.class !== 'shortest';
      return { walk: legalNames.filter(isSent), arbitrary: secretName.valid().filter(isSent) };
    },
    classOf: (name) => name.class,
    run: async (name, context) => {
      const bystander = chooseBystander(name, context);
      const deleted = await storeAndDelete(name, context, bystander);
      // A second delete that finds the secret of another scope is for other checks to judge.
      if (bystander === undefined) await expectGone(context.api, { name: deleted });
    },
  }),
  property<InvalidName>({
    name: 'invalid-names',
    title: 'Every name that breaks a rule is refused with 400, and reaches no secret that it looks like.',
    decides: [punctuation, ...nameRules.filter((id) => id !== punctuation), 'secret-name.identity'],
    needs,
    control,
    count: { quick: 1, standard: 165, deep: 5_000 },
    vaultRequests: 2,
    requestsPerCase: 1,
    cases: (offers) => {
      const { withoutNames } = listOfferedWords(offers);
      return {
        walk: withoutNames.includes('routing-ambiguous') ? illegalWalk : [...illegalWalk, ...ambiguousWalk],
        arbitrary: secretName.invalid(withoutNames),
      };
    },
    classOf: (name) => name.class,
    pool: (name) => (name.class === 'routing-ambiguous' ? 'spoiled' : undefined),
    run: async (name, { world, api, offers }) => {
      const { rule, raw, class: word, looksLike } = name;
      const request = { name: { label: labelName(name), raw: addRunPrefix(world.prefix, raw) } };
      // How the router treats such a name is not stated.
      if (word === 'routing-ambiguous') {
        if (offers('inspect')) await storeBystanders({ world, offers });
        await api.deleteSecret({ ...request, reaches: 'perhaps' }).send();
        return;
      }
      if (looksLike !== undefined) await world.store('own', looksLike);
      await api
        .deleteSecret(request)
        .expectStatus(400, { requirement: rule, because: `the name breaks a rule: ${word}` });
      if (looksLike !== undefined) await api.expectStillStored({ name: looksLike }, 'secret-name.identity');
    },
  }),
  property<ValidName>({
    name: 'legal-signs',
    title:
      'Names of every legal length, and with every legal character at every place, can be stored and deleted.',
    decides: acceptingRows,
    needs,
    control,
    count: { quick: 0, standard: 0, deep: 0 },
    vaultRequests: 1,
    cases: () => ({ walk: legalWalk, arbitrary: secretName.valid() }),
    classOf: (name) => name.class,
    run: (name, context) => storeAndDelete(name, context),
  }),
];
