import { bearerKey } from '../authorization.js';
import { conforming } from '../behaviour.js';
import type { Call } from '../call.js';
import type { Effect } from '../effects.js';
import type { Mutant, Override } from '../mutant.js';
import { counted, gate } from '../override.js';
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
  {
    id: 'auth.missing-key-deletes',
    section: '7.1',
    turnsRed: ['vault-delete.401.missing-key'],
    description: 'A vault delete without a key is done',
    hardness: 'plain',
    override: servesWithoutKey('vault-delete'),
  },
  {
    id: 'auth.missing-key-reads-guardrail',
    section: '7.2',
    turnsRed: ['guardrail-read.401.missing-key'],
    description: 'A guardrail is read without a key',
    hardness: 'plain',
    override: servesWithoutKey('guardrail-read'),
  },
  {
    id: 'auth.missing-key-reads-key',
    section: '5',
    turnsRed: ['auth.missing-key'],
    description: 'A key read without a key reports on some key',
    hardness: 'plain',
    override: servesWithoutKey('key-read'),
  },
  {
    id: 'auth.missing-key-infers',
    section: '5',
    turnsRed: ['auth.missing-key'],
    description: 'An inference request without a key is routed',
    hardness: 'plain',
    override: servesWithoutKey('inference'),
  },
  {
    id: 'auth.missing-key-vault-403',
    section: '7.1',
    turnsRed: ['vault-delete.401.missing-key'],
    description: 'A vault delete without a key is answered 403',
    hardness: 'plain',
    override: missingKey('vault-delete', 403),
  },
  {
    id: 'auth.missing-key-vault-400',
    section: '7.1',
    turnsRed: ['vault-delete.401.missing-key'],
    description: 'A vault delete without a key is answered 400, as a missing parameter',
    hardness: 'plain',
    override: missingKey('vault-delete', 400),
  },
  {
    id: 'auth.missing-key-vault-404',
    section: '7.1',
    turnsRed: ['vault-delete.401.missing-key'],
    description: 'A vault delete without a key is answered 404, to hide the vault',
    hardness: 'plain',
    override: missingKey('vault-delete', 404),
  },
  ...(
    [
      ['missing', 'without a key', (call: Call) => !hasHeader(call)],
      ['unknown', 'with an unknown key', hasBearer],
    ] as const
  ).flatMap(([word, how, which]): readonly Mutant[] => [
    {
      id: `auth.${word}-key-tells-secrets`,
      section: '5',
      turnsRed: ['auth.no-existence-oracle'],
      description: `A vault delete ${how} is answered 404 where the intern has no such secret, else 401`,
      hardness: 'subtle',
      override: tellsAbsence(which, (call) => conforming.findSecret(call) === undefined),
    },
    {
      id: `auth.${word}-key-tells-interns`,
      section: '5',
      turnsRed: ['auth.no-existence-oracle'],
      description: `A vault delete ${how} is answered 404 where there is no such intern, else 401`,
      hardness: 'subtle',
      override: tellsAbsence(which, ({ key }) => key === undefined),
    },
  ]),
  {
    id: 'auth.missing-key-guardrail-403',
    section: '7.2',
    turnsRed: ['guardrail-read.401.missing-key'],
    description: 'A guardrail read without a key is answered 403',
    hardness: 'plain',
    override: missingKey('guardrail-read', 403),
  },
  {
    id: 'auth.missing-key-guardrail-404',
    section: '7.2',
    turnsRed: ['guardrail-read.401.missing-key'],
    description: 'A guardrail read without a key is answered 404',
    hardness: 'plain',
    override: missingKey('guardrail-read', 404),
  },
  {
    id: 'auth.missing-key-read-403',
    section: '5',
    turnsRed: ['auth.missing-key'],
    description: 'A key read without a key is answered 403',
    hardness: 'plain',
    override: missingKey('key-read', 403),
  },
  {
    id: 'auth.missing-key-inference-400',
    section: '5',
    turnsRed: ['auth.missing-key'],
    description: 'An inference request without a key is answered 400',
    hardness: 'plain',
    override: missingKey('inference', 400),
  },

  {
    id: 'auth.unknown-key-reads-key',
    section: '5',
    turnsRed: ['auth.unknown-key'],
    description: 'A key read with an unknown key reports on some key',
    hardness: 'plain',
    override: servesAs('key-read', (call) => (hasBearer(call) ? ownerOf(call) : undefined)),
  },
  {
    id: 'auth.unknown-key-infers',
    section: '5',
    turnsRed: ['auth.unknown-key'],
    description: 'An inference request with an unknown key is routed',
    hardness: 'plain',
    override: servesAs('inference', (call) => (hasBearer(call) ? ownerOf(call) : undefined)),
  },
  {
    id: 'auth.unknown-key-of-right-shape-deletes',
    section: '7.1',
    turnsRed: ['vault-delete.401.unknown-key'],
    description: 'A vault delete is done with any key that has the shape of one',
    hardness: 'subtle',
    override: servesAs('vault-delete', (call) =>
      /^Bearer sk-[A-Za-z0-9]{48}$/.test(call.headers.authorization ?? '') ? ownerOf(call) : undefined,
    ),
  },
  {
    id: 'auth.unknown-key-now-and-then-served',
    section: '5',
    turnsRed: ['auth.altered-key'],
    description: 'Every third key read with an unknown key is served',
    hardness: 'intermittent',
    override: servesEveryThirdUnknownKey(),
  },
  {
    id: 'auth.unknown-key-vault-403',
    section: '7.1',
    turnsRed: ['vault-delete.401.unknown-key'],
    description: 'A vault delete with an unknown key is answered 403',
    hardness: 'plain',
    override: unknownKey('vault-delete', 403),
  },
  {
    id: 'auth.unknown-key-guardrail-403',
    section: '5',
    turnsRed: ['auth.unknown-key'],
    description: 'A guardrail read with an unknown key is answered 403',
    hardness: 'plain',
    override: unknownKey('guardrail-read', 403),
  },
  {
    id: 'auth.unknown-key-read-404',
    section: '5',
    turnsRed: ['auth.unknown-key'],
    description: 'A key read with an unknown key is answered 404',
    hardness: 'plain',
    override: unknownKey('key-read', 404),
  },

  {
    id: 'auth.key-case-insensitive',
    section: '5',
    turnsRed: ['auth.altered-key'],
    description: 'Keys are compared without regard to case',
    hardness: 'plain',
    override: alsoKnows((header, key) => bearerKey(header)?.toLowerCase() === key.toLowerCase()),
  },
  {
    id: 'auth.key-prefix-suffices',
    section: '5',
    turnsRed: ['auth.altered-key'],
    description: 'The first eight or more characters of a key are taken for it',
    hardness: 'subtle',
    override: alsoKnows((header, key) => {
      const text = bearerKey(header) ?? '';
      return text.length >= 8 && key.startsWith(text);
    }),
  },
  {
    id: 'auth.key-cut-to-length',
    section: '5',
    turnsRed: ['auth.altered-key'],
    description: 'What follows a key is cut off before it is looked up',
    hardness: 'subtle',
    override: alsoKnows((header, key) => bearerKey(header)?.startsWith(key) === true),
  },
  {
    id: 'auth.key-first-20-characters',
    section: '5',
    turnsRed: ['auth.altered-key'],
    description: 'Only the first 20 characters of a key are compared',
    hardness: 'subtle',
    override: alsoKnows((header, key) => bearerKey(header)?.slice(0, 20) === key.slice(0, 20)),
  },
  {
    id: 'auth.key-last-20-characters',
    section: '5',
    turnsRed: ['auth.altered-key'],
    description: 'Only the last 20 characters of a key are compared',
    hardness: 'subtle',
    override: alsoKnows((header, key) => bearerKey(header)?.slice(-20) === key.slice(-20)),
  },
  {
    id: 'auth.key-last-character-ignored',
    section: '5',
    turnsRed: ['auth.altered-key'],
    description: 'The last character of a key may be any other',
    hardness: 'subtle',
    override: alsoKnows(
      (header, key) =>
        bearerKey(header)?.length === key.length && bearerKey(header)?.slice(0, -1) === key.slice(0, -1),
    ),
  },
  {
    id: 'auth.key-without-last-character',
    section: '5',
    turnsRed: ['auth.altered-key'],
    description: 'A key is accepted without its last character',
    hardness: 'subtle',
    override: alsoKnows((header, key) => bearerKey(header) === key.slice(0, -1)),
  },
  {
    id: 'auth.key-without-prefix',
    section: '5',
    turnsRed: ['auth.altered-key'],
    description: 'A key is accepted without the characters before its first hyphen',
    hardness: 'subtle',
    override: alsoKnows((header, key) => bearerKey(header) === key.slice(key.indexOf('-') + 1)),
  },
  {
    id: 'auth.key-in-any-order',
    section: '5',
    turnsRed: ['auth.altered-key'],
    description: 'Keys are compared by the characters they hold, so that two may change places',
    hardness: 'subtle',
    override: alsoKnows((header, key) => sorted(bearerKey(header) ?? '') === sorted(key)),
  },
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
