import { bearerKey } from '../authorization.js';
import type { Call } from '../call.js';
import type { Mutant } from '../mutant.js';
import { gate } from '../override.js';
import { alsoKnows, hasHeader, ownerOf, servesAs, unauthenticated } from './credential-rule.js';

/** Mutants of the area auth: a key that is sent in some other way than as §5.1 says. */
export const authHeaderMutants: readonly Mutant[] = [
  {
    id: 'auth.key-read-wants-another-scheme',
    section: '5',
    turnsRed: ['auth.bearer'],
    description: 'The key read refuses the scheme Bearer',
    hardness: 'plain',
    override: gate('key-read', 'authentication', (call, original) =>
      call.headers.authorization?.startsWith('Bearer ')
        ? { status: 401, message: 'Send the key with the scheme Key' }
        : original(call),
    ),
  },
  {
    id: 'auth.key-in-quotes',
    section: '5',
    turnsRed: ['auth.altered-key'],
    description: 'A key is accepted in quotation marks',
    hardness: 'subtle',
    override: alsoKnows((header, key) => header === `Bearer "${key}"`),
  },
  {
    id: 'auth.bearer-without-key-served',
    section: '5',
    turnsRed: ['auth.malformed-header'],
    description: 'A key read with the word Bearer and no key reports on some key',
    hardness: 'subtle',
    override: servesAs('key-read', (call) =>
      /^Bearer *$/.test(call.headers.authorization ?? '') ? ownerOf(call) : undefined,
    ),
  },
  {
    id: 'auth.empty-header-deletes',
    section: '5',
    turnsRed: ['auth.malformed-header'],
    description: 'A vault delete with an empty Authorization header is done',
    hardness: 'subtle',
    override: servesAs('vault-delete', (call) =>
      call.headers.authorization === '' ? ownerOf(call) : undefined,
    ),
  },
  {
    id: 'auth.malformed-header-403',
    section: '5',
    turnsRed: ['auth.malformed-header'],
    description: 'A key read with an Authorization header of another form is answered 403',
    hardness: 'plain',
    override: unauthenticated('key-read', 403, isMalformed),
  },
  {
    id: 'auth.malformed-header-500',
    section: '5',
    turnsRed: ['auth.malformed-header'],
    description: 'A guardrail read with an Authorization header of another form is answered 500',
    hardness: 'plain',
    override: unauthenticated('guardrail-read', 500, isMalformed),
  },
];

function isMalformed(call: Call): boolean {
  return hasHeader(call) && bearerKey(call.headers.authorization) === undefined;
}
