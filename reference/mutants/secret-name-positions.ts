import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { accepts } from './secret-name-rule.js';

/** Mutants that check a rule of secret names only at some positions of a name (§2.3). */
export const secretNamePositionMutants: readonly Mutant[] = [
  ...makeMutants('2.3', ['secret-name.refuses.double-underscore'], {
    'secret-name.accepts-double-underscore-after-64': {
      subtle: 'Two underscores in a row are looked for in the first 64 characters of a name only',
      override: accepts((name) => isNameWith(name, 64, (rest) => rest.replace(/_+/g, '_'))),
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.upper-case'], {
    'secret-name.accepts-upper-case-after-128': {
      subtle: 'Upper-case letters may stand in a name after its first 128 characters',
      override: accepts((name) => isNameWith(name, 128, (rest) => rest.toLowerCase())),
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.trailing-underscore'], {
    'secret-name.accepts-trailing-underscore-at-255': {
      subtle:
        'A name of 255 characters may end with an underscore, for it is checked without its last character',
      override: accepts((name) => name.length === 255 && isNameWith(name, 254, () => 'x')),
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.punctuation'], {
    'secret-name.accepts-hyphen-as-second-character': {
      subtle: 'The second character of a name may be a hyphen',
      override: accepts((name) => /^[a-z]-/.test(name) && isNameWith(name, 1, (rest) => `x${rest.slice(1)}`)),
    },
    'secret-name.accepts-dot-after-100': {
      subtle: 'Dots may stand in a name after its first 100 characters',
      override: accepts((name) => isNameWith(name, 100, (rest) => rest.replaceAll('.', 'x'))),
    },
  }),
  ...makeMutants('2.3', ['secret-name.accepts.underscores'], {
    'secret-name.refuses-underscore-as-second-character': {
      subtle: 'The second character of a name may not be an underscore',
      override: { isSecretName: (name) => conforming.isSecretName(name) && name[1] !== '_' },
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.control-character'], {
    'secret-name.checks-first-line-only': {
      subtle: 'A name is checked up to its first line feed; whatever follows is accepted',
      override: accepts((name) => {
        const [first = '', ...more] = name.split('\n');
        return more.length > 0 && more.join('') !== '' && conforming.isSecretName(first);
      }),
    },
  }),
];

/** Whether a text is a name once what stands from a position on is changed. */
function isNameWith(name: string, from: number, change: (rest: string) => string): boolean {
  return conforming.isSecretName(name.slice(0, from) + change(name.slice(from)));
}
