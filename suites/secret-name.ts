import { ours } from '../generators/secret-name.js';
import type { CheckContext, RawPart } from '../judge/api.js';
import { type Check, type CheckId, check } from '../judge/check.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';

// §2.3 and §8.3: the grammar of secret names, at every border.

const control = 'vault-delete';
// These store names of their own choice, which another check may choose too.
const altersWorld = 'names';

// A check that asks much is disturbed often: lists are told in parts, each a check of its own. The first goes into the
// opening of a run, where every request counts.
const namesPerCheck = 8;
const namesOfFirst = 2;

function inParts<Name>(
  id: RequirementId,
  names: readonly Name[],
  word: string | undefined,
  make: (id: CheckId, part: readonly Name[]) => Check,
): readonly Check[] {
  const others = names.slice(namesOfFirst);
  const parts = [
    names.slice(0, namesOfFirst),
    ...Array.from({ length: Math.ceil(others.length / namesPerCheck) }, (_, at) =>
      others.slice(at * namesPerCheck, (at + 1) * namesPerCheck),
    ),
  ];
  return parts.map((part, at) => {
    const words = [...(word === undefined ? [] : [word]), ...(at === 0 ? [] : [String(at + 1)])];
    return make(words.length === 0 ? id : `${id}/${words.join('-')}`, part);
  });
}

/** What a list of names may say of itself. */
interface ListOptions {
  /** Tells several lists of one requirement apart. */
  readonly word?: string;
  readonly needs?: readonly Need[];
}

/** Checks that names are names: each is stored and deleted. */
function accepts(
  id: RequirementId,
  names: readonly string[],
  { word, needs = [] }: ListOptions = {},
): readonly Check[] {
  return inParts(id, names, word, (address, part) =>
    check(address, { control, altersWorld, needs }, async ({ world, api }) => {
      for (const name of part.map((text) => ours(world.prefix, text))) {
        await world.store('own', name);
        await api.deleteSecret({ name }).answers(204, { because: 'the name follows the rules' });
      }
    }),
  );
}

/** A check that look-alikes of a stored name do not reach it. */
function distinguishes(word: string, stored: string, lookAlikes: readonly (string | RawPart)[]): Check {
  return check(
    `secret-name.identity/${word}`,
    { control, altersWorld, needs: ['any-name'] },
    async ({ world, api }: CheckContext) => {
      await world.store('own', stored);
      // What each of them is answered is other checks' subject.
      for (const name of lookAlikes) await api.deleteSecret({ name }).send();
      await api.stillStored({ name: stored }, 'secret-name.identity');
    },
  );
}

/** A check that legal names which resemble a stored one are not found, and do not reach it. */
function distinguishesNeighbours(word: string, stored: string, neighbours: readonly string[]): Check {
  return check(
    `secret-name.identity/${word}`,
    { control, altersWorld, needs: ['any-name'] },
    async ({ world, api }: CheckContext) => {
      await world.store('own', stored);
      for (const name of neighbours)
        await api.deleteSecret({ name }).answers(404, { because: 'only a name like it is stored' });
      await api.stillStored({ name: stored }, 'secret-name.identity');
    },
  );
}

const letters = [...'abcdefghijklmnopqrstuvwxyz'];
const digits = [...'0123456789'];
const percent = (label: string, raw: string): RawPart => ({ label, raw });
const long = (length: number): string => 'plumbline'.repeat(Math.ceil(length / 9)).slice(0, length);

/** Words that a careless lookup finds in every object, or that a store, a database or a file system may keep for itself. */
const words = (
  'null constructor prototype valueof tostring hasownproperty isprototypeof undefined true false nan length name then default delete select index ' +
  'none nil infinity yes off drop where order table con prn aux nul com1 lpt1 e10 x1f l2147483647 l2147483648 l9223372036854775807 l9223372036854775808'
).split(' ');

const encodedNames = ['%61bc', '%62'.repeat(255), 'ab%63', '%61%62%63', 'a%6Ac', 'a%6ac', 'a%5Fc', 'a%31'];

/** The checks of §2.3 and §8.3. */
export const secretNameChecks: readonly Check[] = [
  ...accepts('secret-name.accepts.shortest', ['a', 'a0', 'z', 'ab', 'z9'], { needs: ['any-name'] }),
  ...accepts('secret-name.accepts.longest', [
    long(255),
    long(254),
    `a${'0'.repeat(254)}`,
    `${'a_'.repeat(127)}z`,
  ]),
  ...accepts(
    'secret-name.accepts.letters',
    ['a', 'm', 'q', 'z'].flatMap((letter) => [`${letter}x`, `x${letter}`]),
    { word: 'first-and-last' },
  ),
  ...accepts('secret-name.accepts.letters', [letters.join(''), letters.toReversed().join('')], {
    word: 'inside',
  }),
  ...accepts(
    'secret-name.accepts.digits',
    ['0', '1', '5', '9'].flatMap((digit) => [`na${digit}me`, `name${digit}`]),
  ),
  ...accepts('secret-name.accepts.digits', [`a${digits.join('')}`, 'a1b2c3', 'k8s', 'a_1', 'a1_2'], {
    word: 'mixed',
  }),
  ...accepts('secret-name.accepts.underscores', [
    'a_b',
    'ab_c',
    'a_bc',
    'a_b_c',
    'a_b_c_d_e_f_g_h',
    'api_key_1',
    'a0_0',
    'a_0',
  ]),
  ...inParts('secret-name.accepts.words', words, undefined, (id, part) =>
    check(id, { control, altersWorld, needs: ['any-name'] }, async ({ world, api }) => {
      for (const name of part) {
        await api.deleteSecret({ name }).answers(404, { because: 'no secret of that name was stored' });
        await world.store('own', name);
        await api.deleteSecret({ name }).answers(204, { because: 'the name follows the rules' });
      }
    }),
  ),

  ...inParts('secret-name.accepts.percent-encoded', encodedNames, undefined, (id, part) =>
    check(id, { control, altersWorld }, async ({ world, api }) => {
      for (const raw of part) {
        const { prefix } = world;
        // The prefix stands for some of the letters, so that a name of full length stays legal.
        const left = raw.length > 40 ? raw.slice(3 * prefix.length) : raw;
        await world.store('own', prefix + decodeURIComponent(left));
        await api
          .deleteSecret({ name: percent(raw.length > 40 ? '255 encoded letters' : raw, prefix + left) })
          .answers(204, { because: 'decoded once it is the name' });
      }
    }),
  ),

  distinguishesNeighbours('neighbours', 'foo_bar', [
    'foobar',
    'foo_ba',
    'foo_barr',
    'oo_bar',
    'foo_bar_1',
    'foo',
    'f',
    'bar_foo',
  ]),
  distinguishesNeighbours(
    'long-neighbours',
    long(255),
    [254, 200, 128, 100, 64, 32].map((at) => `${long(at)}0${long(255).slice(at + 1)}`),
  ),
  // As numbers some of them are the same.
  distinguishesNeighbours('numbers', 'v9007199254740993', [
    'v9007199254740992',
    'v09007199254740993',
    'v009007199254740993',
  ]),
  distinguishes('case', 'foo_bar', ['FOO_BAR', 'Foo_Bar', 'foo_baR', 'foo_BAR']),
  distinguishes('white-space', 'foo_bar', [
    ' foo_bar',
    'foo_bar ',
    'foo_bar\n',
    'foo_bar\r\n',
    '\tfoo_bar',
    'foo_bar\0',
    'foo_bar\u200b',
  ]),
  distinguishes('underscores', 'foo_bar', [
    'foo__bar',
    '_foo_bar',
    'foo_bar_',
    'foo-bar',
    'foo.bar',
    'foo bar',
    'foo%5Fbar',
  ]),
  distinguishes('beyond-ascii', 'foo_bar', [
    'fоо_bar',
    'ｆoo_bar',
    'foo_bar\u0301',
    'foo＿bar',
    'foo_b\u00e4r',
  ]),
  distinguishes('suffixes', 'foo_bar', [
    'foo_bar.json',
    'foo_bar;v=1',
    'foo_bar,x',
    'foo_bar*',
    'foo_bar?',
    'foo_bar#x',
    'foo_ba*',
    'foo_%',
  ]),
  distinguishes('length', long(255), [`${long(255)}x`, `${long(255)}1`, `${long(255)}xyz`]),

  check(
    'secret-name.routing',
    { control, altersWorld: 'settings', needs: ['store', 'role:member', 'worlds'] },
    async ({ world, api }) => {
      await world.store('own', 'foo');
      const ambiguous = [
        '',
        '.',
        '..',
        '%2E',
        '%2e%2e',
        'foo%2Fbar',
        'foo/',
        'foo//',
        '/foo',
        '%2Ffoo',
        'foo%2F..',
        'x%2F..%2Ffoo',
        '..%2Ffoo',
        'foo%5Cbar',
      ];
      for (const raw of ambiguous)
        await api
          .deleteSecret({ name: percent(raw === '' ? 'no name' : raw, raw), reaches: 'perhaps' })
          .send();
    },
  ),
];
