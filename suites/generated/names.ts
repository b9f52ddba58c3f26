import { foreignSigns } from '../../generators/foreign-signs.js';
import {
  type InvalidName,
  invalidName,
  invalidNameClasses,
  nameLabel,
  ours,
  secretName,
  type ValidName,
  validName,
} from '../../generators/secret-name.js';
import type { CheckContext } from '../../judge/api.js';
import type { GeneratedCheck } from '../../judge/check.js';
import { property } from '../../judge/property.js';
import type { RequirementId } from '../../spec/ledger.js';
import { storeBystanders } from './vault.js';
import { namesNotSent } from './words.js';

const needs = ['store', 'role:member'] as const;
const letters = [...'abcdefghijklmnopqrstuvwxyz'];
const digits = [...'0123456789'];

const inside = [...letters, ...digits, '_'];

/** Every legal length, and among them every legal character at every place where it may stand. */
const validWalk: readonly ValidName[] = Array.from({ length: 255 }, (_, less) => ofLength(less + 1)).map(
  validName,
);

/** A name of a length whose first, second and last characters go through all that may stand there. */
function ofLength(length: number): string {
  const first = letters[length % letters.length] ?? 'a';
  if (length === 1) return first;
  const last = [...letters, ...digits][length % 36] ?? 'a';
  const middle = Array.from({ length: length - 2 }, (_, at) => inside[(length + at) % inside.length] ?? 'a');
  return `${first}${middle.join('')}${last}`;
}

/** The first lengths that are too long, and every other ASCII character at every place where it may not stand. */
const invalidWalk: readonly InvalidName[] = [
  ...[256, 257, 258, 259, 260].map((length) => invalidName('too-long', 'a'.repeat(length))),
  ...letters
    .map((letter) => letter.toUpperCase())
    .flatMap((sign) => everywhere(sign).map((name) => invalidName('upper-case', name))),
  ...digits.flatMap((digit) => [`${digit}name`, digit].map((name) => invalidName('leading-digit', name))),
  invalidName('upper-case', 'A'),
  invalidName('leading-underscore', '_'),
  invalidName('punctuation', '-'),
  invalidName('leading-underscore', '_name'),
  // Every object of JavaScript has it.
  invalidName('leading-underscore', '__proto__'),
  invalidName('trailing-underscore', 'name_'),
  invalidName('double-underscore', 'na__me'),
  ...[31, 64, 127, 200, 253].flatMap((at) => [
    invalidName('upper-case', spoiltAt(at, 'A')),
    invalidName('double-underscore', spoiltAt(at - 1, '__')),
    invalidName('punctuation', spoiltAt(at, '-')),
    invalidName('control-character', spoiltAt(at, '\n')),
    invalidName('beyond-ascii', spoiltAt(at, '\u0430')),
  ]),
  ...foreignSigns.punctuation.flatMap((sign) =>
    everywhere(sign).map((name) => invalidName('punctuation', name)),
  ),
  ...foreignSigns.control.flatMap((sign) =>
    everywhere(sign).map((name) => invalidName('control-character', name)),
  ),
];

/** What a router may take for the folder of all names, or for the beginning of some. */
const oddWalk: readonly InvalidName[] = ['', '.', '%2e', '%2F', 'by%2Fname'].map((raw) => ({
  class: 'routing-ambiguous',
  rule: 'secret-name.routing',
  raw,
}));

/** A name of full length with something at a place. */
function spoiltAt(at: number, put: string): string {
  return 'a'.repeat(at) + put + 'a'.repeat(255 - at - put.length);
}

/** A sign first, second, and last behind more than a careless rule looks at. */
function everywhere(sign: string): readonly string[] {
  return [`${sign}name`, `n${sign}ame`, `${'name'.repeat(40)}${sign}`];
}

/** So that no seed leaves a class without a case. */
const oneOfEachClass = ['a', 'name', 'name1', 'na_me', 'a'.repeat(255)].map(validName);

/** Stores a name and deletes it. */
async function deletes({ text }: ValidName, { world, api }: CheckContext): Promise<string> {
  // Where it carries a prefix it may be a name of another class.
  const { rule, text: name } = validName(ours(world.prefix, text));
  await world.store('own', name);
  await api.deleteSecret({ name }).answers(204, { requirement: rule, because: 'the name follows the rules' });
  return name;
}

/** What becomes of it is the routing's affair: it is sent, and nothing is asserted of its answer. */
function isRoutingAmbiguous(name: InvalidName): boolean {
  return name.class === 'routing-ambiguous';
}

const acceptingRows: readonly [RequirementId, ...RequirementId[]] = [
  'secret-name.accepts.letters',
  'secret-name.accepts.shortest',
  'secret-name.accepts.longest',
  'secret-name.accepts.digits',
  'secret-name.accepts.underscores',
];

/** §2.3 and §8.3 for names that nobody listed. */
export const nameProperties: readonly GeneratedCheck[] = [
  property<ValidName>({
    name: 'valid-names',
    title: 'Every legal name can be stored and deleted, once.',
    decides: [...acceptingRows, 'vault-delete.204.takes-effect'],
    needs,
    control: 'vault-delete',
    count: { quick: 0, standard: 100, deep: 4_000 },
    vaultRequests: 2,
    cases: (offers) => {
      const isSent = (name: ValidName) => offers('worlds') || name.class !== 'shortest';
      return {
        walk: oneOfEachClass.filter(isSent),
        arbitrary: secretName.valid().filter(isSent),
        classes: [...(offers('worlds') ? ['shortest'] : []), 'longest', 'letters', 'digits', 'underscores'],
      };
    },
    classOf: (name) => name.class,
    run: async (name, context) => {
      const deleted = await deletes(name, context);
      await context.api
        .deleteSecret({ name: deleted })
        .answers(404, { requirement: 'vault-delete.204.takes-effect', because: 'it was deleted before' });
    },
  }),
  property<InvalidName>({
    name: 'invalid-names',
    title: 'Every name that breaks a rule is refused with 400, and reaches no secret that it looks like.',
    decides: [
      'secret-name.refuses.punctuation',
      'secret-name.refuses.too-long',
      'secret-name.refuses.upper-case',
      'secret-name.refuses.leading-digit',
      'secret-name.refuses.leading-underscore',
      'secret-name.refuses.trailing-underscore',
      'secret-name.refuses.double-underscore',
      'secret-name.refuses.control-character',
      'secret-name.refuses.beyond-ascii',
      'secret-name.refuses.encoded-twice',
      'secret-name.refuses.not-utf-8',
      'secret-name.identity',
    ],
    needs,
    control: 'vault-delete',
    count: { quick: 1, standard: 180, deep: 5_000 },
    vaultRequests: 2,
    requestsAbout: 1,
    cases: (offers) => ({
      walk: [...invalidWalk, ...(namesNotSent(offers).includes('routing-ambiguous') ? [] : oddWalk)],
      arbitrary: secretName.invalid(namesNotSent(offers)),
      classes: invalidNameClasses.filter((word) => !namesNotSent(offers).includes(word)),
    }),
    classOf: (name) => name.class,
    pool: (name) => (isRoutingAmbiguous(name) ? 'spoiled' : undefined),
    run: async (name, { world, api, offers }) => {
      const { rule, raw, class: word, looksLike } = name;
      const request = { name: { label: nameLabel(name), raw: ours(world.prefix, raw) } };
      if (isRoutingAmbiguous(name)) {
        if (offers('inspect')) await storeBystanders(world, offers);
        await api.deleteSecret({ ...request, reaches: 'perhaps' }).send();
        return;
      }
      if (looksLike !== undefined) await world.store('own', looksLike);
      await api
        .deleteSecret(request)
        .answers(400, { requirement: rule, because: `the name breaks a rule: ${word}` });
      if (looksLike !== undefined) await api.stillStored({ name: looksLike }, 'secret-name.identity');
    },
  }),
  property<ValidName>({
    name: 'legal-signs',
    title:
      'Names of every legal length, and with every legal character at every place, can be stored and deleted.',
    decides: acceptingRows,
    needs,
    control: 'vault-delete',
    count: { quick: 0, standard: 0, deep: 0 },
    vaultRequests: 1,
    cases: () => ({ walk: validWalk, arbitrary: secretName.valid(), classes: [] }),
    classOf: (name) => name.class,
    run: async (name, context) => {
      await deletes(name, context);
    },
  }),
];
