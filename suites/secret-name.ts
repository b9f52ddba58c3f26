import {
  ambiguous,
  firstLegalNames,
  makeLongName,
  percentEncoded,
  words,
} from '../generators/name-catalogue.js';
import { addRunPrefix } from '../generators/secret-name.js';
import { type Check, type CheckId, check } from '../judge/check.js';
import type { Need } from '../spec/need.js';

// §2.3 and §8.3: the grammar of secret names, where a few names tell most; further ones are generated.

const control = 'vault-delete';
// These store names of their own choice, which another check may choose too.
const sideEffects = 'names';
const anyName: readonly Need[] = ['any-name'];
const followsRules = 'the name follows the rules';

/** Checks that names are names: each is stored and deleted. */
function checkAccepted(id: CheckId, names: readonly string[], needs: readonly Need[] = []): Check {
  return check(id, { control, sideEffects, needs }, async ({ world, api }) => {
    for (const name of names.map((text) => addRunPrefix(world.prefix, text))) {
      await world.store('own', name);
      await api.deleteSecret({ name }).expectStatus(204, { because: followsRules });
    }
  });
}

/** Checks that words are names like any other, each found where it is stored and only there. */
function checkWords(id: CheckId, some: readonly string[]): Check {
  return check(id, { control, sideEffects, needs: anyName }, async ({ world, api }) => {
    for (const name of some) {
      await api.deleteSecret({ name }).expectStatus(404, { because: 'no secret of that name was stored' });
      await world.store('own', name);
      await api.deleteSecret({ name }).expectStatus(204, { because: followsRules });
    }
  });
}

/** Checks that encoded names are the names that they stand for once decoded. */
function checkDecoded(id: CheckId, encoded: readonly string[]): Check {
  return check(id, { control, sideEffects }, async ({ world, api }) => {
    for (const text of encoded) {
      const { prefix } = world;
      const isLong = text.length > 40;
      // The prefix stands for some of the letters, so that a name of full length stays legal.
      const raw = prefix + (isLong ? text.slice(3 * prefix.length) : text);
      await world.store('own', decodeURIComponent(raw));
      await api
        .deleteSecret({ name: { label: isLong ? '255 encoded letters' : text, raw } })
        .expectStatus(204, { because: 'decoded once it is the name' });
    }
  });
}

/** Checks that names which resemble a stored one do not reach it; legal ones are not found, others other checks judge. */
function checkDistinct(word: string, stored: string, others: readonly string[], areLegal: boolean): Check {
  const id = `secret-name.identity/${word}` as const;
  return check(id, { control, sideEffects, needs: anyName }, async ({ world, api }) => {
    await world.store('own', stored);
    for (const name of others) {
      const call = api.deleteSecret({ name });
      if (areLegal) await call.expectStatus(404, { because: 'only a name like it is stored' });
      else await call.send();
    }
    await api.stillStored({ name: stored }, 'secret-name.identity');
  });
}

const full = makeLongName(255);

/** The checks of §2.3 and §8.3. */
export const secretNameChecks: readonly Check[] = [
  checkAccepted('secret-name.accepts.shortest', firstLegalNames.shortest, anyName),
  checkAccepted('secret-name.accepts.longest', firstLegalNames.longest),
  checkAccepted('secret-name.accepts.letters/first-and-last', firstLegalNames.letters),
  checkAccepted('secret-name.accepts.digits', firstLegalNames.digits),
  checkAccepted('secret-name.accepts.underscores', firstLegalNames.underscores),
  // A check that asks much is disturbed often; the first goes into the opening of a run, where every request counts.
  ...[0, 2, 10, 18, 26].map((from, at, starts) =>
    checkWords(
      at === 0 ? 'secret-name.accepts.words' : `secret-name.accepts.words/${at + 1}`,
      words.slice(from, starts[at + 1]),
    ),
  ),
  checkDecoded('secret-name.accepts.percent-encoded', percentEncoded.slice(0, 2)),
  checkDecoded('secret-name.accepts.percent-encoded/2', percentEncoded.slice(2)),

  checkDistinct(
    'neighbours',
    'foo_bar',
    ['foobar', 'foo_ba', 'foo_barr', 'oo_bar', 'foo_bar_1', 'foo', 'f', 'bar_foo'],
    true,
  ),
  checkDistinct(
    'long-neighbours',
    full,
    [254, 200, 128, 100, 64, 32].map((at) => `${makeLongName(at)}0${full.slice(at + 1)}`),
    true,
  ),
  // As numbers some of them are the same.
  checkDistinct(
    'numbers',
    'v9007199254740993',
    ['v9007199254740992', 'v09007199254740993', 'v009007199254740993'],
    true,
  ),
  // What a fresh name cannot show, since it has no underscore and is short.
  checkDistinct(
    'underscores',
    'foo_bar',
    [
      ...['foo__bar', '_foo_bar', 'foo_bar_', 'foo-bar', 'foo.bar', 'foo bar', 'foo%5Fbar', 'foo＿bar'],
      ...['FOO_BAR', 'Foo_Bar', 'foo_%'],
    ],
    false,
  ),
  checkDistinct('length', full, [`${full}x`, `${full}1`, `${full}xyz`], false),

  check(
    'secret-name.routing',
    { control, sideEffects: 'settings', needs: ['store', 'role:member', 'worlds'] },
    async ({ world, api }) => {
      await world.store('own', 'foo');
      for (const raw of ambiguous)
        await api
          .deleteSecret({ name: { label: raw === '' ? 'no name' : raw, raw }, reaches: 'perhaps' })
          .send();
    },
  ),
];
