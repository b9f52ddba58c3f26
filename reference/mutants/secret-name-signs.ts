import { type Mutant, makeMutants } from '../mutant.js';
import { accepts, acceptsBeside, acceptsSigns } from './secret-name-rule.js';

/** Mutants of the area secret-name: characters that no name may hold. */
export const secretNameSignMutants: readonly Mutant[] = [
  ...makeMutants('2.3', ['secret-name.refuses.punctuation'], {
    'secret-name.accepts-hyphen': { plain: 'A name may hold hyphens', override: acceptsSigns(/-/g) },
    'secret-name.accepts-dot': {
      plain: 'A name may hold dots between its other characters',
      override: acceptsSigns(/(?<=\w)\.(?=\w)/g),
    },
    'secret-name.accepts-blank': {
      plain: 'A name may hold blanks between its other characters',
      override: acceptsSigns(/(?<=\w) (?=\w)/g),
    },
    'secret-name.accepts-colon': {
      subtle: 'The range of digits ends one character late: a name may hold colons',
      override: acceptsSigns(/:/g),
    },
    'secret-name.accepts-backtick': {
      subtle: 'The range of letters begins one character early: a name may hold backticks',
      override: acceptsSigns(/`/g),
    },
    'secret-name.accepts-brace': {
      subtle: 'The range of letters ends one character late: a name may hold opening braces',
      override: acceptsSigns(/\{/g),
    },
    'secret-name.accepts-range-from-upper-a-to-z': {
      subtle: 'Brackets, carets and backticks, which ASCII has between Z and a, are taken for letters',
      override: acceptsSigns(/[[\]^`]/g),
    },
    'secret-name.accepts-tilde': {
      subtle: 'A name may hold tildes, as every other unreserved character of a URI',
      override: acceptsSigns(/~/g),
    },
    'secret-name.accepts-at-sign': { subtle: 'A name may hold at signs', override: acceptsSigns(/@/g) },
    'secret-name.accepts-sub-delimiters': {
      subtle: "The characters !$&'()*+,;= may stand inside a name",
      override: acceptsSigns(/(?<=\w)[!$&'()*+,;=](?=\w)/g),
    },
    'secret-name.accepts-sign-at-the-end': {
      subtle:
        'The rule has no end: whatever follows a name after a question mark or a number sign is accepted',
      override: acceptsBeside(/[?#].*$/),
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.encoded-twice'], {
    'secret-name.accepts-percent-sign': {
      everydaySubtle:
        'A percent sign and two hexadecimal digits, still there after decoding, are taken for a letter',
      override: acceptsSigns(/%[0-9a-f]{2}/gi),
    },
  }),

  ...makeMutants('2.3', ['secret-name.refuses.control-character'], {
    'secret-name.accepts-trailing-line-feed': {
      everydaySubtle: 'A name may be followed by one line feed, as where $ also matches before it',
      override: acceptsBeside(/\n$/),
    },
    'secret-name.looks-at-any-line': {
      subtle: 'Of several lines it is enough that one is a name',
      override: accepts((name) => name.split('\n').some((line) => /^[a-z][a-z0-9]*$/.test(line))),
    },
    'secret-name.accepts-delete-character': {
      subtle: 'The control character DEL may stand in a name',
      override: acceptsSigns(/\u007f/g),
    },
    'secret-name.accepts-nul': {
      subtle: 'The control character NUL may stand in a name',
      override: acceptsSigns('\0'),
    },
    'secret-name.accepts-tab': { subtle: 'Tabs may stand in a name', override: acceptsSigns('\t') },
    'secret-name.accepts-control-characters': {
      subtle: 'Control characters that are no white space may stand in a name',
      override: acceptsSigns(/(?!\s)\p{Cc}/gu),
    },
  }),

  ...makeMutants('2.3', ['secret-name.refuses.beyond-ascii'], {
    'secret-name.accepts-every-alphabet': {
      subtle: 'Lower-case letters of every alphabet may stand in a name',
      override: acceptsSigns(/\p{Ll}/gu),
    },
    'secret-name.accepts-every-digit': {
      everydaySubtle: 'Decimal digits of every script may stand in a name',
      override: acceptsSigns(/(?<=.)\p{Nd}/gu),
    },
    'secret-name.accepts-full-width': {
      subtle: 'Full-width letters, digits and underscores may stand in a name',
      override: acceptsSigns(/[\uff10-\uff19\uff3f\uff41-\uff5a]/g),
    },
    'secret-name.accepts-kelvin-sign': {
      subtle: 'The Kelvin sign and the long s, which match k and s without regard to case, are accepted',
      override: acceptsSigns(/[\u212a\u017f]/g),
    },
    'secret-name.accepts-combining-marks': {
      subtle: 'Letters of a name may carry combining marks',
      override: acceptsSigns(/(?<=.)\p{M}/gu),
    },
    'secret-name.accepts-beyond-the-basic-plane': {
      subtle: 'Characters of two UTF-16 units may stand in a name',
      override: acceptsSigns(/[\u{10000}-\u{10ffff}]/gu),
    },
  }),
];
