import { type Mutant, makeMutants } from '../mutant.js';
import { hasSecretNameShape, isSecretName, LONGEST_SECRET_NAME } from '../vault.js';
import { accepts, acceptsBeside, acceptsSigns, refusesNames } from './secret-name-rule.js';

/** Mutants of the area secret-name: lengths, letters, digits and underscores. */
export const secretNameMutants: readonly Mutant[] = [
  ...makeMutants('2.3', ['secret-name.refuses.too-long'], {
    'secret-name.accepts-256-characters': {
      everydayPlain: 'A name of 256 characters is taken for well-formed',
      override: {
        isSecretName: (name) => name.length <= LONGEST_SECRET_NAME + 1 && hasSecretNameShape(name),
      },
    },
    'secret-name.accepts-any-length': {
      plain: 'A name may have any number of characters',
      override: { isSecretName: hasSecretNameShape },
    },
    'secret-name.length-in-one-byte': {
      everydaySubtle: 'The length of a name is counted in one byte, so that 257 characters count as one',
      override: { isSecretName: (name) => name.length % 256 > 0 && hasSecretNameShape(name) },
    },
  }),
  ...makeMutants('2.3', ['secret-name.accepts.longest'], {
    'secret-name.refuses-255-characters': {
      everydayPlain: 'A name of 255 characters is refused',
      override: refusesNames(/^.{255}$/),
    },
    'secret-name.length-in-two-byte-units': {
      plain: 'The length of a name is counted in bytes of UTF-16, so that 128 characters are too many',
      override: {
        isSecretName: (name) => 2 * name.length <= LONGEST_SECRET_NAME && hasSecretNameShape(name),
      },
    },
  }),
  ...makeMutants('2.3', ['secret-name.accepts.underscores'], {
    'secret-name.refuses-97-characters': {
      everydaySubtle: 'A name of exactly 97 characters is refused',
      override: refusesNames(/^.{97}$/),
    },
    'secret-name.refuses-128-characters': {
      subtle: 'A name of exactly 128 characters is refused',
      override: refusesNames(/^.{128}$/),
    },
    'secret-name.refuses-200-characters': {
      subtle: 'A name of exactly 200 characters is refused',
      override: refusesNames(/^.{200}$/),
    },
  }),
  ...makeMutants('2.3', ['secret-name.accepts.shortest'], {
    'secret-name.refuses-one-character': {
      plain: 'A name of one letter is refused',
      override: refusesNames(/^.$/),
    },
    'secret-name.refuses-two-characters': {
      plain: 'A name of two characters is refused',
      override: refusesNames(/^..$/),
    },
    'secret-name.refuses-letter-and-digit': {
      everydaySubtle: 'A name of one letter and one digit is refused',
      alsoRed: ['vault-delete.204.deleted', 'secret-name.accepts.percent-encoded'],
      override: refusesNames(/^[a-z][0-9]$/),
    },
  }),

  ...makeMutants('2.3', ['secret-name.accepts.letters'], {
    'secret-name.refuses-first-letter-z': {
      plain: 'The range of first letters ends at y',
      override: refusesNames(/^z/),
    },
    'secret-name.refuses-last-letter-q': {
      everydaySubtle: 'A name that ends with the letter q is refused',
      override: refusesNames(/q$/),
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.upper-case'], {
    'secret-name.accepts-upper-case': {
      plain: 'Upper-case letters may stand anywhere in a name',
      override: acceptsSigns(/[A-Z]/g),
    },
    'secret-name.accepts-upper-case-first': {
      everydaySubtle: 'A name may begin with an upper-case letter',
      override: acceptsSigns(/^[A-Z]/g),
    },
    'secret-name.accepts-upper-case-inside': {
      subtle: 'Upper-case letters may stand inside a name',
      override: acceptsSigns(/(?<=.)[A-Z](?=.)/g),
    },
    'secret-name.accepts-upper-case-last': {
      everydaySubtle: 'A name may end with an upper-case letter',
      override: acceptsSigns(/[A-Z]$/g),
    },
  }),

  ...makeMutants('2.3', ['secret-name.refuses.leading-digit'], {
    'secret-name.accepts-leading-digit': {
      plain: 'A name may begin with a digit',
      override: acceptsSigns(/^[0-9]/g),
    },
    'secret-name.accepts-leading-9': {
      everydaySubtle: 'A name may begin with the digit 9',
      override: acceptsSigns(/^9/g),
    },
    'secret-name.accepts-single-digit': {
      everydaySubtle: 'A single digit is taken for a name',
      override: accepts((name) => /^[0-9]$/.test(name)),
    },
  }),
  ...makeMutants('2.3', ['secret-name.accepts.digits'], {
    'secret-name.refuses-digits': {
      plain: 'A name may hold no digit at all',
      override: refusesNames(/[0-9]/),
    },
    'secret-name.refuses-trailing-digit': {
      everydayPlain: 'A name may not end with a digit',
      alsoRed: [
        'vault-delete.204.deleted',
        'vault-delete.404.never-stored',
        'vault-delete.404.other-intern',
        'vault-delete.404.foreign-intern',
        'secret-name.accepts.shortest',
        'secret-name.accepts.longest',
        'secret-name.accepts.underscores',
        'secret-name.accepts.words',
        'secret-name.accepts.percent-encoded',
        'secret-name.identity',
      ],
      override: refusesNames(/[0-9]$/),
    },
    'secret-name.refuses-digit-0': { subtle: 'The range of digits begins at 1', override: refusesNames(/0/) },
  }),
  ...makeMutants('2.3', ['secret-name.accepts.underscores'], {
    'secret-name.refuses-digit-after-underscore': {
      subtle: 'A digit may not follow an underscore',
      override: refusesNames(/_[0-9]/),
    },
  }),

  ...makeMutants('2.3', ['secret-name.refuses.leading-underscore'], {
    'secret-name.accepts-leading-underscore': {
      everydayPlain: 'A name may begin with an underscore',
      override: acceptsBeside(/^_/),
    },
    'secret-name.accepts-lone-underscore': {
      everydaySubtle: 'A single underscore is taken for a name',
      override: accepts((name) => name === '_'),
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.trailing-underscore'], {
    'secret-name.accepts-trailing-underscore': {
      everydayPlain: 'A name may end with an underscore',
      override: acceptsBeside(/_$/),
    },
    'secret-name.accepts-trailing-underscore-after-digit': {
      everydaySubtle: 'A name may end with an underscore that follows a digit',
      override: acceptsBeside(/(?<=[0-9])_$/),
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.double-underscore'], {
    'secret-name.accepts-double-underscore': {
      plain: 'Underscores may follow one another inside a name',
      override: acceptsSigns(/_{2,}/g),
    },
    'secret-name.accepts-triple-underscore': {
      everydaySubtle: 'Three underscores in a row are accepted, two are not',
      override: acceptsSigns(/_{3}/g),
    },
    'secret-name.accepts-later-double-underscore': {
      everydaySubtle: 'Only the first underscores of a name are looked at: a later pair is accepted',
      override: accepts((name) => /^[a-z0-9]+_[a-z0-9]/.test(name) && isSecretName(name.replace(/__/g, '_'))),
    },
  }),
  ...makeMutants('2.3', ['secret-name.accepts.underscores'], {
    'secret-name.refuses-underscores': {
      plain: 'A name may hold no underscore at all',
      override: refusesNames(/_/),
    },
    'secret-name.refuses-two-underscores': {
      subtle: 'A name may hold only one underscore, though others stand apart from it',
      override: refusesNames(/_.*_/),
    },
    'secret-name.refuses-six-underscores': {
      subtle: 'A name may hold at most five underscores',
      override: refusesNames(/(?:_.*){6}/),
    },
  }),
];
