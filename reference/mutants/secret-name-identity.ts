import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { findsAlike, readsNameAs } from './secret-name-rule.js';

/** Mutants of the area secret-name: names that only look alike reach a stored secret. */
export const secretNameIdentityMutants: readonly Mutant[] = [
  ...makeMutants('2.3', ['secret-name.identity', 'secret-name.refuses.upper-case'], {
    'secret-name.folds-case': {
      plain: 'A name is put into lower case before it is looked up',
      override: readsNameAs((name) => name.toLowerCase()),
    },
  }),
  ...makeMutants('2.3', ['secret-name.identity'], {
    'secret-name.trims-blanks': {
      subtle: 'White space around a name is taken away',
      override: readsNameAs((name) => name.trim()),
    },
  }),
  ...makeMutants('2.3', ['secret-name.identity', 'secret-name.refuses.control-character'], {
    'secret-name.trims-line-end': {
      subtle: 'The line end after a name is taken away',
      override: readsNameAs((name) => name.replace(/\r?\n$/, '')),
    },
  }),
  ...makeMutants('2.3', ['secret-name.identity', 'secret-name.refuses.trailing-underscore'], {
    'secret-name.trims-underscores': {
      subtle: 'Underscores around a name are taken away',
      override: readsNameAs((name) => name.replace(/^_+|_+$/g, '')),
    },
  }),
  ...makeMutants('2.3', ['secret-name.identity', 'secret-name.refuses.double-underscore'], {
    'secret-name.collapses-underscores': {
      subtle: 'Several underscores in a row are taken for one',
      override: readsNameAs((name) => name.replace(/_+/g, '_')),
    },
  }),
  ...makeMutants('2.3', ['secret-name.identity', 'secret-name.refuses.punctuation'], {
    'secret-name.hyphens-become-underscores': {
      subtle: 'A hyphen is taken for an underscore',
      override: readsNameAs((name) => name.replaceAll('-', '_')),
    },
    'secret-name.blanks-become-underscores': {
      subtle: 'A blank is taken for an underscore',
      override: readsNameAs((name) => name.replaceAll(' ', '_')),
    },
  }),
  ...makeMutants('2.3', ['secret-name.identity', 'secret-name.refuses.too-long'], {
    'secret-name.truncates-to-255': {
      subtle: 'A name is cut after 255 characters, and what is left is looked up',
      override: readsNameAs((name) => name.slice(0, 255)),
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.encoded-twice'], {
    'secret-name.decodes-twice': {
      everydaySubtle: 'The percent-encoding of a name is undone twice',
      alsoRed: ['secret-name.identity'],
      override: readsNameAs(decodedAgain),
    },
    'secret-name.decodes-to-the-end': {
      subtle: 'The percent-encoding of a name is undone until none is left',
      override: readsNameAs((name) => decodedAgain(decodedAgain(decodedAgain(name)))),
    },
  }),
  ...makeMutants('2.3', ['secret-name.identity', 'secret-name.refuses.beyond-ascii'], {
    'secret-name.normalises-compatibility-forms': {
      subtle: 'A name is brought into Unicode form NFKC: full-width letters become plain ones',
      override: readsNameAs((name) => name.normalize('NFKC')),
    },
    'secret-name.strips-accents': {
      subtle: 'The letters of a name lose their accents',
      override: readsNameAs((name) => name.normalize('NFD').replace(/\p{M}/gu, '')),
    },
    'secret-name.drops-invisible-characters': {
      subtle: 'Characters without a shape, such as the zero-width blank, are taken out of a name',
      override: readsNameAs((name) => name.replace(/\p{Cf}/gu, '')),
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.beyond-ascii'], {
    'secret-name.keeps-low-bytes': {
      everydaySubtle: 'Of each character of a name only the low byte is kept',
      alsoRed: ['secret-name.identity'],
      override: readsNameAs((name) => Buffer.from(name, 'latin1').toString('latin1')),
    },
  }),
  ...makeMutants('2.3', ['secret-name.identity', 'secret-name.refuses.control-character'], {
    'secret-name.drops-control-characters': {
      subtle: 'Control characters are taken out of a name',
      override: readsNameAs((name) => name.replace(/\p{Cc}/gu, '')),
    },
    'secret-name.ends-at-nul': {
      subtle: 'A name ends at its first NUL, as a string of C',
      override: readsNameAs((name) => before(name, '\0')),
    },
  }),
  ...makeMutants('2.3', ['secret-name.identity', 'secret-name.refuses.punctuation'], {
    'secret-name.ends-at-semicolon': {
      subtle: 'A name ends at a semicolon, as where path parameters are cut off',
      override: readsNameAs((name) => before(name, ';')),
    },
    'secret-name.ends-at-question-mark': {
      subtle: 'A name ends at an encoded question mark, as if a query began there',
      override: readsNameAs((name) => before(name, '?')),
    },
  }),
  ...makeMutants('2.3', ['secret-name.identity'], {
    'secret-name.strips-json-suffix': {
      everydaySubtle: 'The suffix .json is taken away from a name',
      alsoRed: ['secret-name.refuses.punctuation'],
      override: readsNameAs((name) => name.replace(/\.json$/, '')),
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.punctuation'], {
    'secret-name.plus-is-a-blank': {
      subtle: 'A plus sign is taken for a blank, as in a form, and then trimmed',
      override: readsNameAs((name) => name.replaceAll('+', ' ').trim()),
    },
    'secret-name.strips-quotes': {
      everydaySubtle: 'Quotation marks around a name, or at one end, are taken away',
      alsoRed: ['secret-name.identity'],
      override: readsNameAs((name) => name.replace(/^["']|["']$/g, '')),
    },
  }),
  ...makeMutants('2.3', ['secret-name.identity', 'secret-name.refuses.punctuation'], {
    'secret-name.star-is-a-wildcard': {
      subtle: 'A star at the end of a name stands for any ending',
      override: {
        ...findsAlike((stored, asked) => asked.endsWith('*') && stored.startsWith(asked.slice(0, -1))),
        isSecretName: (name) => conforming.isSecretName(name.replace(/\*$/, '')),
      },
    },
  }),
  ...makeMutants('2.3', ['secret-name.identity'], {
    'secret-name.underscores-do-not-count': {
      subtle: 'A name reaches a secret whose name differs from it in underscores only',
      override: findsAlike((stored, asked) => stored.replaceAll('_', '') === asked.replaceAll('_', '')),
    },
    'secret-name.compares-64-characters': {
      everydaySubtle: 'A name reaches a secret whose name begins with the same 64 characters',
      override: findsAlike(
        (stored, asked) => asked.length > 64 && stored.slice(0, 64) === asked.slice(0, 64),
      ),
    },
    'secret-name.compares-254-characters': {
      subtle: 'A name reaches a secret whose name differs from it in the 255th character only',
      override: findsAlike(
        (stored, asked) => asked.length === 255 && stored.slice(0, 254) === asked.slice(0, 254),
      ),
    },
    'secret-name.unique-prefix-suffices': {
      subtle: 'The beginning of a name reaches the secret',
      override: findsAlike((stored, asked) => stored.startsWith(asked)),
    },
  }),
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
