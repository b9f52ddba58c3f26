import { conforming } from '../behaviour.js';
import type { Mutant } from '../mutant.js';
import { findsAlike, readsNameAs } from './secret-name-rule.js';

/** Mutants of the area secret-name: names that only look alike reach a stored secret. */
export const secretNameIdentityMutants: readonly Mutant[] = [
  {
    id: 'secret-name.folds-case',
    section: '2.3',
    turnsRed: ['secret-name.identity', 'secret-name.refuses.upper-case'],
    description: 'A name is put into lower case before it is looked up',
    hardness: 'plain',
    override: readsNameAs((name) => name.toLowerCase()),
  },
  {
    id: 'secret-name.trims-blanks',
    section: '2.3',
    turnsRed: ['secret-name.identity'],
    description: 'White space around a name is taken away',
    hardness: 'subtle',
    override: readsNameAs((name) => name.trim()),
  },
  {
    id: 'secret-name.trims-line-end',
    section: '2.3',
    turnsRed: ['secret-name.identity', 'secret-name.refuses.control-character'],
    description: 'The line end after a name is taken away',
    hardness: 'subtle',
    override: readsNameAs((name) => name.replace(/\r?\n$/, '')),
  },
  {
    id: 'secret-name.trims-underscores',
    section: '2.3',
    turnsRed: ['secret-name.identity', 'secret-name.refuses.trailing-underscore'],
    description: 'Underscores around a name are taken away',
    hardness: 'subtle',
    override: readsNameAs((name) => name.replace(/^_+|_+$/g, '')),
  },
  {
    id: 'secret-name.collapses-underscores',
    section: '2.3',
    turnsRed: ['secret-name.identity', 'secret-name.refuses.double-underscore'],
    description: 'Several underscores in a row are taken for one',
    hardness: 'subtle',
    override: readsNameAs((name) => name.replace(/_+/g, '_')),
  },
  {
    id: 'secret-name.hyphens-become-underscores',
    section: '2.3',
    turnsRed: ['secret-name.identity', 'secret-name.refuses.punctuation'],
    description: 'A hyphen is taken for an underscore',
    hardness: 'subtle',
    override: readsNameAs((name) => name.replaceAll('-', '_')),
  },
  {
    id: 'secret-name.blanks-become-underscores',
    section: '2.3',
    turnsRed: ['secret-name.identity', 'secret-name.refuses.punctuation'],
    description: 'A blank is taken for an underscore',
    hardness: 'subtle',
    override: readsNameAs((name) => name.replaceAll(' ', '_')),
  },
  {
    id: 'secret-name.truncates-to-255',
    section: '2.3',
    turnsRed: ['secret-name.identity', 'secret-name.refuses.too-long'],
    description: 'A name is cut after 255 characters, and what is left is looked up',
    hardness: 'subtle',
    override: readsNameAs((name) => name.slice(0, 255)),
  },
  {
    id: 'secret-name.decodes-twice',
    section: '2.3',
    turnsRed: ['secret-name.refuses.encoded-twice'],
    description: 'The percent-encoding of a name is undone twice',
    hardness: 'subtle',
    override: readsNameAs(decodedAgain),
  },
  {
    id: 'secret-name.decodes-to-the-end',
    section: '2.3',
    turnsRed: ['secret-name.refuses.encoded-twice'],
    description: 'The percent-encoding of a name is undone until none is left',
    hardness: 'subtle',
    override: readsNameAs((name) => decodedAgain(decodedAgain(decodedAgain(name)))),
  },
  {
    id: 'secret-name.normalises-compatibility-forms',
    section: '2.3',
    turnsRed: ['secret-name.identity', 'secret-name.refuses.beyond-ascii'],
    description: 'A name is brought into Unicode form NFKC: full-width letters become plain ones',
    hardness: 'subtle',
    override: readsNameAs((name) => name.normalize('NFKC')),
  },
  {
    id: 'secret-name.strips-accents',
    section: '2.3',
    turnsRed: ['secret-name.identity', 'secret-name.refuses.beyond-ascii'],
    description: 'The letters of a name lose their accents',
    hardness: 'subtle',
    override: readsNameAs((name) => name.normalize('NFD').replace(/\p{M}/gu, '')),
  },
  {
    id: 'secret-name.drops-invisible-characters',
    section: '2.3',
    turnsRed: ['secret-name.identity', 'secret-name.refuses.beyond-ascii'],
    description: 'Characters without a shape, such as the zero-width blank, are taken out of a name',
    hardness: 'subtle',
    override: readsNameAs((name) => name.replace(/\p{Cf}/gu, '')),
  },
  {
    id: 'secret-name.keeps-low-bytes',
    section: '2.3',
    turnsRed: ['secret-name.refuses.beyond-ascii'],
    description: 'Of each character of a name only the low byte is kept',
    hardness: 'subtle',
    override: readsNameAs((name) => Buffer.from(name, 'latin1').toString('latin1')),
  },
  {
    id: 'secret-name.drops-control-characters',
    section: '2.3',
    turnsRed: ['secret-name.identity', 'secret-name.refuses.control-character'],
    description: 'Control characters are taken out of a name',
    hardness: 'subtle',
    override: readsNameAs((name) => name.replace(/\p{Cc}/gu, '')),
  },
  {
    id: 'secret-name.ends-at-nul',
    section: '2.3',
    turnsRed: ['secret-name.identity', 'secret-name.refuses.control-character'],
    description: 'A name ends at its first NUL, as a string of C',
    hardness: 'subtle',
    override: readsNameAs((name) => before(name, '\0')),
  },
  {
    id: 'secret-name.ends-at-semicolon',
    section: '2.3',
    turnsRed: ['secret-name.identity', 'secret-name.refuses.punctuation'],
    description: 'A name ends at a semicolon, as where path parameters are cut off',
    hardness: 'subtle',
    override: readsNameAs((name) => before(name, ';')),
  },
  {
    id: 'secret-name.ends-at-question-mark',
    section: '2.3',
    turnsRed: ['secret-name.identity', 'secret-name.refuses.punctuation'],
    description: 'A name ends at an encoded question mark, as if a query began there',
    hardness: 'subtle',
    override: readsNameAs((name) => before(name, '?')),
  },
  {
    id: 'secret-name.strips-json-suffix',
    section: '2.3',
    turnsRed: ['secret-name.identity'],
    description: 'The suffix .json is taken away from a name',
    hardness: 'subtle',
    override: readsNameAs((name) => name.replace(/\.json$/, '')),
  },
  {
    id: 'secret-name.plus-is-a-blank',
    section: '2.3',
    turnsRed: ['secret-name.refuses.punctuation'],
    description: 'A plus sign is taken for a blank, as in a form, and then trimmed',
    hardness: 'subtle',
    override: readsNameAs((name) => name.replaceAll('+', ' ').trim()),
  },
  {
    id: 'secret-name.strips-quotes',
    section: '2.3',
    turnsRed: ['secret-name.refuses.punctuation'],
    description: 'Quotation marks around a name, or at one end, are taken away',
    hardness: 'subtle',
    override: readsNameAs((name) => name.replace(/^["']|["']$/g, '')),
  },
  {
    id: 'secret-name.star-is-a-wildcard',
    section: '2.3',
    turnsRed: ['secret-name.identity', 'secret-name.refuses.punctuation'],
    description: 'A star at the end of a name stands for any ending',
    hardness: 'subtle',
    override: {
      ...findsAlike((stored, asked) => asked.endsWith('*') && stored.startsWith(asked.slice(0, -1))),
      isSecretName: (name) => conforming.isSecretName(name.replace(/\*$/, '')),
    },
  },
  {
    id: 'secret-name.underscores-do-not-count',
    section: '2.3',
    turnsRed: ['secret-name.identity'],
    description: 'A name reaches a secret whose name differs from it in underscores only',
    hardness: 'subtle',
    override: findsAlike((stored, asked) => stored.replaceAll('_', '') === asked.replaceAll('_', '')),
  },
  {
    id: 'secret-name.compares-64-characters',
    section: '2.3',
    turnsRed: ['secret-name.identity'],
    description: 'A name reaches a secret whose name begins with the same 64 characters',
    hardness: 'subtle',
    override: findsAlike((stored, asked) => asked.length > 64 && stored.slice(0, 64) === asked.slice(0, 64)),
  },
  {
    id: 'secret-name.compares-254-characters',
    section: '2.3',
    turnsRed: ['secret-name.identity'],
    description: 'A name reaches a secret whose name differs from it in the 255th character only',
    hardness: 'subtle',
    override: findsAlike(
      (stored, asked) => asked.length === 255 && stored.slice(0, 254) === asked.slice(0, 254),
    ),
  },
  {
    id: 'secret-name.unique-prefix-suffices',
    section: '2.3',
    turnsRed: ['secret-name.identity'],
    description: 'The beginning of a name reaches the secret',
    hardness: 'subtle',
    override: findsAlike((stored, asked) => stored.startsWith(asked)),
  },
];

function decodedAgain(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function before(name: string, sign: string): string {
  const [start = ''] = name.split(sign);
  return start;
}
