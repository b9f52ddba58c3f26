import type { Call, Refusal, SecretPlace } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { editGate, type Mutation } from '../mutation.js';
import { hasSecretNameShape, isSecretName, LONGEST_SECRET_NAME } from '../vault.js';

const NOT_A_NAME: Refusal = { status: 400, message: 'name is not a valid secret name' };

/** Mutants of the area secret-name: lengths, letters, digits and underscores. */
export const secretNameRuleMutants: readonly Mutant[] = [
  ...makeMutants('secret-name.refuses.too-long', {
    'secret-name.accepts-256-characters': everyday.plain('A name of 256 characters is accepted', {
      isSecretName: (name) => name.length <= LONGEST_SECRET_NAME + 1 && hasSecretNameShape(name),
    }),
    'secret-name.length-in-one-byte': everyday.subtle(
      'The length of a name is counted in one byte, so that 257 characters count as one',
      { isSecretName: (name) => name.length % 256 > 0 && hasSecretNameShape(name) },
    ),
  }),
  ...makeMutants('secret-name.accepts.longest', {
    'secret-name.refuses-255-characters': everyday.plain(
      'A name of 255 characters is refused',
      refuseNames(/^.{255}$/),
    ),
    'secret-name.length-in-two-byte-units': plain(
      'The length of a name is counted in bytes of UTF-16, so that 128 characters are too many',
      {
        isSecretName: (name) => 2 * name.length <= LONGEST_SECRET_NAME && hasSecretNameShape(name),
      },
    ),
  }),
  ...makeMutants('secret-name.accepts.underscores', {
    'secret-name.refuses-97-characters': everyday.subtle(
      'A name of exactly 97 characters is refused',
      refuseNames(/^.{97}$/),
    ),
    'secret-name.refuses-digit-after-underscore': subtle(
      'A digit may not follow an underscore',
      refuseNames(/_[0-9]/),
    ),
    'secret-name.refuses-underscores': plain('A name may hold no underscore at all', refuseNames(/_/)),
    'secret-name.refuses-six-underscores': subtle(
      'A name may hold at most five underscores',
      refuseNames(/(?:_.*){6}/),
    ),
    'secret-name.refuses-underscore-as-second-character': subtle(
      'The second character of a name may not be an underscore',
      { isSecretName: (name) => conforming.isSecretName(name) && name[1] !== '_' },
    ),
  }),
  ...makeMutants('secret-name.accepts.shortest', {
    'secret-name.refuses-one-character': plain('A name of one letter is refused', refuseNames(/^.$/)),
    'secret-name.refuses-letter-and-digit': everyday.subtle(
      'A name of one letter and one digit is refused',
      refuseNames(/^[a-z][0-9]$/),
      ['vault-delete.204.deleted', 'secret-name.accepts.percent-encoded'],
    ),
  }),
  ...makeMutants('secret-name.accepts.letters', {
    'secret-name.refuses-first-letter-z': plain('The range of first letters ends at y', refuseNames(/^z/)),
    'secret-name.refuses-last-letter-q': everyday.subtle(
      'A name that ends with the letter q is refused',
      refuseNames(/q$/),
    ),
  }),
  ...makeMutants('secret-name.refuses.upper-case', {
    'secret-name.accepts-upper-case-first': everyday.subtle(
      'A name may begin with an upper-case letter',
      acceptSigns(/^[A-Z]/g),
    ),
    'secret-name.accepts-upper-case-inside': subtle(
      'Upper-case letters may stand inside a name',
      acceptSigns(/(?<=.)[A-Z](?=.)/g),
    ),
    'secret-name.accepts-upper-case-last': everyday.subtle(
      'A name may end with an upper-case letter',
      acceptSigns(/[A-Z]$/g),
    ),
    'secret-name.accepts-upper-case-after-128': subtle(
      'Upper-case letters may stand in a name after its first 128 characters',
      acceptName((name) => isNameWith(name, 128, (rest) => rest.toLowerCase())),
    ),
  }),
  ...makeMutants('secret-name.refuses.leading-digit', {
    'secret-name.accepts-leading-digit': plain('A name may begin with a digit', acceptSigns(/^[0-9]/g)),
    'secret-name.accepts-leading-9': everyday.subtle('A name may begin with the digit 9', acceptSigns(/^9/g)),
    'secret-name.accepts-single-digit': everyday.subtle(
      'A single digit is taken for a name',
      acceptName((name) => /^[0-9]$/.test(name)),
    ),
  }),
  ...makeMutants('secret-name.accepts.digits', {
    'secret-name.refuses-digits': plain('A name may hold no digit at all', refuseNames(/[0-9]/)),
    'secret-name.refuses-trailing-digit': everyday.plain(
      'A name may not end with a digit',
      refuseNames(/[0-9]$/),
      [
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
    ),
    'secret-name.refuses-digit-0': subtle('The range of digits begins at 1', refuseNames(/0/)),
  }),
  ...makeMutants('secret-name.refuses.leading-underscore', {
    'secret-name.accepts-leading-underscore': everyday.plain(
      'A name may begin with an underscore',
      acceptBeside(/^_/),
    ),
    'secret-name.accepts-lone-underscore': everyday.subtle(
      'A single underscore is taken for a name',
      acceptName((name) => name === '_'),
    ),
  }),
  ...makeMutants('secret-name.refuses.trailing-underscore', {
    'secret-name.accepts-trailing-underscore': everyday.plain(
      'A name may end with an underscore',
      acceptBeside(/_$/),
    ),
    'secret-name.accepts-trailing-underscore-after-digit': everyday.subtle(
      'A name may end with an underscore that follows a digit',
      acceptBeside(/(?<=[0-9])_$/),
    ),
    'secret-name.accepts-trailing-underscore-at-255': subtle(
      'A name of 255 characters may end with an underscore, for it is checked without its last character',
      acceptName((name) => name.length === 255 && isNameWith(name, 254, () => 'x')),
    ),
  }),
  ...makeMutants('secret-name.refuses.double-underscore', {
    'secret-name.accepts-double-underscore': plain(
      'Underscores may follow one another inside a name',
      acceptSigns(/_{2,}/g),
    ),
    'secret-name.accepts-triple-underscore': everyday.subtle(
      'Three underscores in a row are accepted, two are not',
      acceptSigns(/_{3}/g),
    ),
    'secret-name.accepts-later-double-underscore': everyday.subtle(
      'Only the first underscores of a name are looked at: a later pair is accepted',
      acceptName((name) => /^[a-z0-9]+_[a-z0-9]/.test(name) && isSecretName(name.replace(/__/g, '_'))),
    ),
    'secret-name.accepts-double-underscore-after-64': subtle(
      'Two underscores in a row are looked for in the first 64 characters of a name only',
      acceptName((name) => isNameWith(name, 64, (rest) => rest.replace(/_+/g, '_'))),
    ),
  }),
  ...makeMutants('secret-name.refuses.punctuation', {
    'secret-name.accepts-hyphen-as-second-character': subtle(
      'The second character of a name may be a hyphen',
      acceptName((name) => /^[a-z]-/.test(name) && isNameWith(name, 1, (rest) => `x${rest.slice(1)}`)),
    ),
    'secret-name.accepts-dot-after-100': subtle(
      'Dots may stand in a name after its first 100 characters',
      acceptName((name) => isNameWith(name, 100, (rest) => rest.replaceAll('.', 'x'))),
    ),
  }),
  ...makeMutants('secret-name.refuses.control-character', {
    'secret-name.checks-first-line-only': subtle(
      'A name is checked up to its first line feed; whatever follows is accepted',
      acceptName((name) => {
        const [first = '', ...more] = name.split('\n');
        return more.length > 0 && more.join('') !== '' && conforming.isSecretName(first);
      }),
    ),
  }),
];

// The ways in which mutants depart from the rule of secret names (§2.3).

/** Names are accepted that are none, in addition to those that are. */
export function acceptName(isAccepted: (name: string) => boolean): Mutation {
  return { isSecretName: (name) => conforming.isSecretName(name) || isAccepted(name) };
}

/** A name is accepted when it would be one with an `x` in place of what matches. */
export function acceptSigns(signs: RegExp | string): Mutation {
  return acceptName((name) => conforming.isSecretName(name.replaceAll(signs, 'x')));
}

/** A name is accepted when it would be one without what matches. */
export function acceptBeside(superfluous: RegExp): Mutation {
  return acceptName((name) => conforming.isSecretName(name.replace(superfluous, '')));
}

/** Legal names are refused that match. */
function refuseNames(pattern: RegExp): Mutation {
  return { isSecretName: (name) => conforming.isSecretName(name) && !pattern.test(name) };
}

/** A name is changed before it is checked and looked up; the change must leave legal names alone. */
export function readNameAs(change: (name: string) => string): Mutation {
  return {
    isSecretName: (name) => conforming.isSecretName(change(name)),
    findSecret: (call) => {
      const parameters = { ...call.parameters, name: change(call.parameters.name ?? '') };
      return conforming.findSecret({ ...call, parameters });
    },
  };
}

/** Where no secret has the name, one is taken whose name is like it. */
export function findAlike(isAlike: (stored: string, asked: string) => boolean): Mutation {
  return { findSecret: (call) => conforming.findSecret(call) ?? alikePlace(call, isAlike) };
}

function alikePlace(
  { behaviour, key, parameters }: Call,
  isAlike: (stored: string, asked: string) => boolean,
): SecretPlace | undefined {
  const scope = key && behaviour.findIntern(key.world, parameters.internId ?? '');
  if (key === undefined || scope === undefined) return undefined;
  for (const name of key.world.secrets[scope].keys()) {
    if (isAlike(name, parameters.name ?? '')) return { scope, name };
  }
  return undefined;
}

/** Some illegal names are refused with another status than 400. */
export function setIllegalStatus(status: number, which: RegExp): Mutation {
  return editGate('vault-delete', 'secret-name', (call, original) => {
    const refusal = original(call);
    return refusal !== undefined && which.test(call.parameters.name ?? '') ? { ...refusal, status } : refusal;
  });
}

/** Legal names are refused when they are sent in a form that matches, percent-encoding included. */
export function refuseForms(form: RegExp): Mutation {
  return editGate('vault-delete', 'secret-name', (call, original) =>
    form.test(sentName(call)) ? NOT_A_NAME : original(call),
  );
}

/** Legal names that match are refused in some other way than as no names. */
export function refuseLegalNames(status: number, which: RegExp): Mutation {
  return editGate('vault-delete', 'secret-exists', (call, original) =>
    which.test(call.parameters.name ?? '') ? { status, message: 'Refused' } : original(call),
  );
}

/** The name as it stands in the path. */
function sentName({ path }: Call): string {
  const [target = ''] = path.split('?');
  return target.slice(target.lastIndexOf('/') + 1);
}

/** Whether a text is a name once what stands from a position on is changed. */
function isNameWith(name: string, from: number, change: (rest: string) => string): boolean {
  return conforming.isSecretName(name.slice(0, from) + change(name.slice(from)));
}
