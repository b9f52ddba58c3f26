import { bearerKey } from '../authentication.js';
import type { Call, Effect } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { counted, gate, type Override } from '../mutation.js';
import {
  alsoKnows,
  hasHeader,
  missingKey,
  ownerOf,
  servesAs,
  servesWithoutKey,
  unknownKey,
} from './credential-rule.js';

/** Mutants of the area auth: keys that are missing, unknown or nearly right. */
export const authMutants: readonly Mutant[] = [
  ...makeMutants('7.1', ['vault-delete.401.missing-key'], {
    'auth.missing-key-deletes': {
      everydayPlain: 'A vault delete without a key is done',
      override: servesWithoutKey('vault-delete'),
    },
  }),
  ...makeMutants('7.2', ['guardrail-read.401.missing-key'], {
    'auth.missing-key-reads-guardrail': {
      everydayPlain: 'A guardrail is read without a key',
      override: servesWithoutKey('guardrail-read'),
    },
  }),
  ...makeMutants('5', ['auth.missing-key'], {
    'auth.missing-key-reads-key': {
      everydayPlain: 'A key read without a key reports on some key',
      override: servesWithoutKey('key-read'),
    },
    'auth.missing-key-infers': {
      plain: 'An inference request without a key is routed',
      override: servesWithoutKey('inference'),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.401.missing-key'], {
    'auth.missing-key-vault-400': {
      plain: 'A vault delete without a key is answered 400, as a missing parameter',
      override: missingKey('vault-delete', 400),
    },
  }),
  ...(
    [
      ['missing', 'without a key', (call: Call) => !hasHeader(call)],
      ['unknown', 'with an unknown key', hasBearer],
    ] as const
  ).flatMap(([word, how, which]) =>
    makeMutants('5', ['auth.no-existence-oracle'], {
      [`auth.${word}-key-tells-secrets`]: {
        everydaySubtle: `A vault delete ${how} is answered 404 where the intern has no such secret, else 401`,
        override: tellsAbsence(which, (call) => conforming.findSecret(call) === undefined),
      },
      [`auth.${word}-key-tells-interns`]: {
        everydaySubtle: `A vault delete ${how} is answered 404 where there is no such intern, else 401`,
        override: tellsAbsence(which, ({ key }) => key === undefined),
      },
    }),
  ),
  ...makeMutants('5', ['auth.missing-key'], {
    'auth.missing-key-inference-400': {
      plain: 'An inference request without a key is answered 400',
      override: missingKey('inference', 400),
    },
  }),

  ...makeMutants('5', ['auth.unknown-key'], {
    'auth.unknown-key-reads-key': {
      everydayPlain: 'A key read with an unknown key reports on some key',
      alsoRed: ['auth.altered-key'],
      override: servesAs('key-read', (call) => (hasBearer(call) ? ownerOf(call) : undefined)),
    },
    'auth.unknown-key-infers': {
      everydayPlain: 'An inference request with an unknown key is routed',
      alsoRed: ['auth.altered-key'],
      override: servesAs('inference', (call) => (hasBearer(call) ? ownerOf(call) : undefined)),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.401.unknown-key'], {
    'auth.unknown-key-of-right-shape-deletes': {
      everydaySubtle: 'A vault delete is done with any key that has the shape of one',
      override: servesAs('vault-delete', (call) =>
        /^Bearer sk-[A-Za-z0-9]{48}$/.test(call.headers.authorization ?? '') ? ownerOf(call) : undefined,
      ),
    },
  }),
  ...makeMutants('5', ['auth.altered-key'], {
    'auth.unknown-key-now-and-then-served': {
      everydayIntermittent: 'Every third key read with an unknown key is served',
      override: servesEveryThirdUnknownKey(),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.401.unknown-key'], {
    'auth.unknown-key-vault-403': {
      everydayPlain: 'A vault delete with an unknown key is answered 403',
      alsoRed: [
        'vault-delete.204.deleted',
        'vault-delete.404.foreign-intern',
        'auth.altered-key',
        'auth.malformed-header',
        'auth.other-scheme',
      ],
      override: unknownKey('vault-delete', 403),
    },
  }),
  ...makeMutants('5', ['auth.unknown-key'], {
    'auth.unknown-key-guardrail-403': {
      plain: 'A guardrail read with an unknown key is answered 403',
      override: unknownKey('guardrail-read', 403),
    },
    'auth.unknown-key-read-404': {
      plain: 'A key read with an unknown key is answered 404',
      override: unknownKey('key-read', 404),
    },
  }),

  ...makeMutants('5', ['auth.altered-key'], {
    'auth.key-case-insensitive': {
      plain: 'Keys are compared without regard to case',
      override: alsoKnows((header, key) => bearerKey(header)?.toLowerCase() === key.toLowerCase()),
    },
    'auth.key-prefix-suffices': {
      everydaySubtle: 'The first eight or more characters of a key are taken for it',
      override: alsoKnows((header, key) => {
        const text = bearerKey(header) ?? '';
        return text.length >= 8 && key.startsWith(text);
      }),
    },
    'auth.key-cut-to-length': {
      subtle: 'What follows a key is cut off before it is looked up',
      override: alsoKnows((header, key) => bearerKey(header)?.startsWith(key) === true),
    },
    'auth.key-first-20-characters': {
      subtle: 'Only the first 20 characters of a key are compared',
      override: alsoKnows((header, key) => bearerKey(header)?.slice(0, 20) === key.slice(0, 20)),
    },
    'auth.key-last-20-characters': {
      subtle: 'Only the last 20 characters of a key are compared',
      override: alsoKnows((header, key) => bearerKey(header)?.slice(-20) === key.slice(-20)),
    },
    'auth.key-last-character-ignored': {
      subtle: 'The last character of a key may be any other',
      override: alsoKnows(
        (header, key) =>
          bearerKey(header)?.length === key.length && bearerKey(header)?.slice(0, -1) === key.slice(0, -1),
      ),
    },
    'auth.key-without-last-character': {
      subtle: 'A key is accepted without its last character',
      override: alsoKnows((header, key) => bearerKey(header) === key.slice(0, -1)),
    },
    'auth.key-without-prefix': {
      subtle: 'A key is accepted without the characters before its first hyphen',
      override: alsoKnows((header, key) => bearerKey(header) === key.slice(key.indexOf('-') + 1)),
    },
    'auth.key-in-any-order': {
      subtle: 'Keys are compared by the characters they hold, so that two may change places',
      override: alsoKnows((header, key) => sorted(bearerKey(header) ?? '') === sorted(key)),
    },
  }),
];

/**
 * Some vault deletes without a known key are answered 404 where something does not exist. It is looked for with the key
 * that would be good for the intern, or with none where no workspace has the intern.
 */
function tellsAbsence(which: (call: Call) => boolean, isAbsent: (call: Call) => boolean): Override {
  return gate('vault-delete', 'authentication', (call, original) => {
    const refusal = original(call);
    const { behaviour, parameters } = call;
    const isWellFormed =
      behaviour.isInternId(parameters.internId ?? '') && behaviour.isSecretName(parameters.name ?? '');
    const isTold =
      refusal !== undefined && isWellFormed && which(call) && isAbsent({ ...call, key: ownerOf(call) });
    return isTold ? { status: 404, message: 'Not found' } : refusal;
  });
}

function servesEveryThirdUnknownKey(): Override {
  const served = gate('key-read', 'authentication', (call, original) => {
    const refusal = original(call);
    const isServed = hasBearer(call) && refusal !== undefined && counted(call, 'unknown keys') % 3 === 0;
    return isServed ? undefined : refusal;
  });
  const read: Effect = (call) => conforming.effects['key-read']({ ...call, key: call.key ?? ownerOf(call) });
  return { ...served, effects: { ...conforming.effects, 'key-read': read } };
}

function hasBearer({ headers }: Call): boolean {
  return bearerKey(headers.authorization) !== undefined;
}

function sorted(text: string): string {
  return [...text].sort().join('');
}
