import { bearerKey } from '../authentication.js';
import type { Call } from '../behaviour.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { gate } from '../mutation.js';
import { alsoKnows, hasHeader, ownerOf, servesAs, unauthenticated } from './credential-rule.js';

/** Mutants of the area auth: a key that is sent in some other way than as §5.1 says. */
export const authHeaderMutants: readonly Mutant[] = [
  ...makeMutants('5', ['auth.bearer'], {
    'auth.key-read-wants-another-scheme': {
      everydayPlain: 'The key read refuses the scheme Bearer',
      alsoRed: ['key-info.200.read'],
      override: gate('key-read', 'authentication', (call, original) =>
        call.headers.authorization?.startsWith('Bearer ')
          ? { status: 401, message: 'Send the key with the scheme Key' }
          : original(call),
      ),
    },
  }),
  ...makeMutants('5', ['auth.altered-key'], {
    'auth.key-in-quotes': {
      subtle: 'A key is accepted in quotation marks',
      override: alsoKnows((header, key) => header === `Bearer "${key}"`),
    },
  }),
  ...makeMutants('5', ['auth.malformed-header'], {
    'auth.bearer-without-key-served': {
      everydaySubtle: 'A key read with the word Bearer and no key reports on some key',
      override: servesAs('key-read', (call) =>
        /^Bearer *$/.test(call.headers.authorization ?? '') ? ownerOf(call) : undefined,
      ),
    },
    'auth.empty-header-deletes': {
      everydaySubtle: 'A vault delete with an empty Authorization header is done',
      override: servesAs('vault-delete', (call) =>
        call.headers.authorization === '' ? ownerOf(call) : undefined,
      ),
    },
    'auth.malformed-header-403': {
      plain: 'A key read with an Authorization header of another form is answered 403',
      override: unauthenticated('key-read', 403, isMalformed),
    },
    'auth.malformed-header-500': {
      plain: 'A guardrail read with an Authorization header of another form is answered 500',
      override: unauthenticated('guardrail-read', 500, isMalformed),
    },
  }),
];

function isMalformed(call: Call): boolean {
  return hasHeader(call) && bearerKey(call.headers.authorization) === undefined;
}
