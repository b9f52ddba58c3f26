import { foreignSigns } from '../../generators/foreign-signs.js';
import {
  type InvalidName,
  invalidName,
  nameLabel,
  secretName,
  type ValidName,
  validName,
} from '../../generators/secret-name.js';
import type { CheckContext, GeneratedCheck } from '../../judge/check.js';
import { property } from '../../judge/property.js';
import type { RequirementId } from '../../spec/ledger.js';

const needs = ['store', 'role:member'] as const;
const letters = [...'abcdefghijklmnopqrstuvwxyz'];
const digits = [...'0123456789'];

/** Every legal length, and every legal character at every place where it may stand. */
const validWalk: readonly ValidName[] = [
  ...Array.from({ length: 255 }, (_, less) => 'ab0_'.repeat(64).slice(0, less).concat('z')),
  ...letters.map((letter) => `${letter}name`),
  ...[...letters, ...digits, '_'].map((sign) => `na${sign}me`),
  ...[...letters, ...digits].map((sign) => `name${sign}`),
].map(validName);

/** The first lengths that are too long, and every other ASCII character at every place where it may not stand. */
const invalidWalk: readonly InvalidName[] = [
  ...[256, 257, 258, 259, 260].map((length) => invalidName('too-long', 'a'.repeat(length))),
  ...letters
    .map((letter) => letter.toUpperCase())
    .flatMap((sign) => everywhere(sign).map((name) => invalidName('upper-case', name))),
  ...digits.map((digit) => invalidName('leading-digit', `${digit}name`)),
  invalidName('leading-underscore', '_name'),
  invalidName('trailing-underscore', 'name_'),
  invalidName('double-underscore', 'na__me'),
  ...foreignSigns.punctuation.flatMap((sign) =>
    everywhere(sign).map((name) => invalidName('punctuation', name)),
  ),
  ...foreignSigns.control.flatMap((sign) =>
    everywhere(sign).map((name) => invalidName('control-character', name)),
  ),
];

function everywhere(sign: string): readonly string[] {
  return [`${sign}name`, `na${sign}me`, `name${sign}`];
}

/** So that no seed leaves a class without a case. */
const oneOfEachClass = ['a', 'name', 'name1', 'na_me', 'a'.repeat(255)].map(validName);

/** Stores a name and deletes it. */
async function deletes({ rule, text }: ValidName, { world, api }: CheckContext): Promise<void> {
  await world.store('own', text);
  await api
    .deleteSecret({ name: text })
    .answers(204, { requirement: rule, because: 'the name follows the rules' });
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
    cases: () => ({
      walk: oneOfEachClass,
      arbitrary: secretName.valid(),
      classes: ['shortest', 'longest', 'letters', 'digits', 'underscores'],
    }),
    classOf: (name) => name.class,
    run: async (name, context) => {
      await deletes(name, context);
      await context.api
        .deleteSecret({ name: name.text })
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
    count: { quick: 4, standard: 180, deep: 5_000 },
    vaultRequests: 2,
    cases: (offers) => ({
      walk: invalidWalk,
      arbitrary: secretName.invalid({ isRouted: !offers('worlds') }),
      classes: [
        ...[
          'too-long',
          'upper-case',
          'leading-digit',
          'leading-underscore',
          'trailing-underscore',
          'double-underscore',
        ],
        ...[
          'punctuation',
          'control-character',
          'white-space-around',
          'beyond-ascii',
          'look-alike',
          'encoded-twice',
          'not-utf-8',
        ],
        ...(offers('worlds') ? ['routing-ambiguous'] : []),
      ],
    }),
    classOf: (name) => name.class,
    spoilsWorld: isRoutingAmbiguous,
    run: async (name, { world, api }) => {
      const { rule, raw, class: word, looksLike } = name;
      const request = { name: { label: nameLabel(name), raw } };
      if (isRoutingAmbiguous(name)) {
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
    run: deletes,
  }),
];
