import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { answers, type Override } from '../mutation.js';
import { findsAlike, illegalNames, legalNames } from './secret-name-rule.js';
import { DONE, keeps, nameOf } from './vault-delete-builders.js';

/** Mutants to which some names mean something: in a language, a database, a file system, or as numbers (§2.3). */
export const secretNameWordMutants: readonly Mutant[] = [
  ...makeMutants('4.1', ['vault-delete.204.takes-effect'], {
    'secret-name.constructor-and-prototype-stay': {
      subtle:
        'The names constructor and prototype are guarded against pollution: a delete answers 204, and they stay',
      override: keeps((_call, { name }) => name === 'constructor' || name === 'prototype'),
    },
  }),
  ...makeMutants('2.3', ['secret-name.accepts.words'], {
    'secret-name.numbers-in-words-404': {
      subtle: 'The names nan, inf and infinity are read as numbers and not found',
      override: legalNames(404, /^(?:nan|inf|infinity)$/),
    },
    'secret-name.yaml-booleans-404': {
      subtle: 'The names yes, no, on and off are read as true and false and not found',
      override: legalNames(404, /^(?:yes|no|on|off)$/),
    },
    'secret-name.device-names-500': {
      subtle: 'The names con, prn, aux, nul, com1 and lpt1, which are devices to the file system, answer 500',
      override: legalNames(500, /^(?:con|prn|aux|nul|com1|lpt1)$/),
    },
    'secret-name.trailing-number-in-31-bits': {
      subtle: 'A name whose trailing number is above 2147483647 answers 500',
      override: legalNames(
        500,
        /[a-z_](?:[1-9]\d{10,}|214748364[89]|21474836[5-9]\d|2147483[7-9]\d{2}|[3-9]\d{9})$/,
      ),
    },
  }),
  ...makeMutants('2.3', ['secret-name.identity'], {
    'secret-name.trailing-number-in-53-bits': {
      subtle: 'Names are compared by their trailing numbers as 64-bit floats, which take 2^53 + 1 for 2^53',
      override: findsAlike((stored, asked) => {
        const [one, other] = [numbered(stored), numbered(asked)];
        return one !== undefined && one.word === other?.word && one.number === other.number;
      }),
    },
    'secret-name.leading-zeros-do-not-count': {
      subtle: 'Names are compared without the zeros before their trailing numbers: v01 reaches v1',
      override: findsAlike((stored, asked) => withoutZeros(stored) === withoutZeros(asked)),
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.leading-digit'], {
    'secret-name.record-number-204': {
      subtle: 'A name of digits up to 2147483647 is taken for the number of a record, and answers 204',
      override: found((name) => /^\d{2,10}$/.test(name) && Number(name) <= 2_147_483_647),
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.leading-underscore'], {
    'secret-name.proto-is-always-there': {
      subtle: 'The name __proto__, which every object has, answers 204',
      override: found((name) => name === '__proto__'),
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.upper-case'], {
    'secret-name.methods-of-objects-are-always-there': {
      subtle: 'The names toString, valueOf and hasOwnProperty, which every object has, answer 204',
      override: found((name) => /^(?:toString|valueOf|hasOwnProperty)$/.test(name)),
    },
    'secret-name.null-in-capitals-404': {
      subtle: 'The names NULL, None and True are read as no name, for which there is nothing, and answer 404',
      override: illegalNames(404, /^(?:NULL|Null|None|True|False|TRUE|FALSE)$/),
    },
  }),
];

interface Numbered {
  readonly word: string;
  readonly number: number;
}

function numbered(name: string): Numbered | undefined {
  const [, word, digits] = /^(.*?)(\d+)$/.exec(name) ?? [];
  return word === undefined || digits === undefined || digits.startsWith('0')
    ? undefined
    : { word, number: Number(digits) };
}

function withoutZeros(name: string): string {
  return name.replace(/(?<!\d)0+(?=\d+$)/, '');
}

/** Some illegal names count as stored for an intern of the workspace. */
function found(isFound: (name: string) => boolean): Override {
  return answers({ operation: 'vault-delete', status: 400, when: isOf(isFound) }, () => DONE);
}

function isOf(isFound: (name: string) => boolean) {
  return (call: Call): boolean => {
    const { key, parameters } = call;
    if (key?.role !== 'member' || !isFound(nameOf(call))) return false;
    return conforming.findIntern(key.world, parameters.internId ?? '') !== undefined;
  };
}
