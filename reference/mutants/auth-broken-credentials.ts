import { bearerKey } from '../authentication.js';
import type { Call } from '../behaviour.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { alsoKnows, hasHeader, ownerOf, servesAs } from './credential-rule.js';

/** Mutants that take a credential which a client, a proxy or a script has broken for a good one (§5). */
export const authBrokenCredentialMutants: readonly Mutant[] = [
  ...makeMutants('5', ['auth.unknown-key'], {
    'auth.bearer-undefined-reads-key': {
      subtle: 'The key undefined equals the service key of the key read, which is not set',
      override: servesAs('key-read', (call) => (gives(call, 'undefined') ? ownerOf(call) : undefined)),
    },
    'auth.bearer-null-infers': {
      subtle: 'An inference request with the key null is routed',
      override: servesAs('inference', (call) => (gives(call, 'null') ? ownerOf(call) : undefined)),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.401.unknown-key'], {
    'auth.bearer-null-deletes': {
      subtle: 'A vault delete with the key null, None or nil is done',
      override: servesAs('vault-delete', (call) =>
        ['null', 'None', 'nil'].some((word) => gives(call, word)) ? ownerOf(call) : undefined,
      ),
    },
  }),
  ...makeMutants('5', ['auth.altered-key'], {
    'auth.key-before-comma': {
      subtle: 'What follows a comma after the key is cut off, as of a list',
      override: alsoKnows((header, key) => header.startsWith(`Bearer ${key},`)),
    },
    'auth.key-with-blank-inside': {
      subtle: 'White space inside a key is taken out of it',
      override: alsoKnows(
        (header, key) => /^Bearer \S+\s/.test(header) && `Bearer${key}` === header.replace(/\s/g, ''),
      ),
    },
    'auth.key-percent-encoded': {
      subtle: 'The percent-encoding of a key is undone',
      override: alsoKnows((header, key) => header.includes('%') && `Bearer ${key}` === decoded(header)),
    },
    'auth.key-in-base64': {
      subtle: 'A key is accepted in base64',
      override: alsoKnows(
        (header, key) => Buffer.from(bearerKey(header) ?? '', 'base64').toString('utf8') === key,
      ),
    },
  }),
  ...makeMutants('5', ['auth.malformed-header'], {
    'auth.bearer-as-second-scheme': {
      subtle:
        'Of several credentials in one header, behind another scheme and a comma, the Bearer key is taken',
      override: alsoKnows(
        (header, key) => /^(?!Bearer)\S+ \S+, ?Bearer /i.test(header) && header.endsWith(` ${key}`),
      ),
    },
  }),
  ...makeMutants('5', ['auth.missing-key'], {
    'auth.head-without-key-served': {
      subtle: 'A HEAD of the key read is served without a key',
      override: servesAs('key-read', (call) =>
        call.method === 'HEAD' && !hasHeader(call) ? ownerOf(call) : undefined,
      ),
    },
  }),
  ...makeMutants('4.2', ['guardrail-read.management-key-only'], {
    'guardrail-read.head-served-to-ordinary-keys': {
      subtle: 'A HEAD of the guardrail read is served to a key that is no management key',
      override: {
        receive: (call) => {
          const management = call.key?.world.keys.get('management');
          const isServed =
            call.operation === 'guardrail-read' && call.method === 'HEAD' && call.key?.role === 'member';
          return isServed ? { ...call, key: management } : call;
        },
      },
    },
  }),
];

function gives({ headers }: Call, word: string): boolean {
  return bearerKey(headers.authorization) === word;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
