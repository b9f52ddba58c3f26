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
    id: 'auth.scheme-basic',
    section: '5',
    turnsRed: ['auth.malformed-header'],
    description: 'A key is accepted as the user name of the scheme Basic',
    hardness: 'subtle',
    override: alsoKnows((header, key) => {
      const encoded = /^Basic +(\S+)$/i.exec(header)?.[1] ?? '';
      return Buffer.from(encoded, 'base64').toString('latin1') === `${key}:`;
    }),
  },
  {
    id: 'auth.scheme-basic-not-encoded',
    section: '5',
    turnsRed: ['auth.malformed-header'],
    description: 'A key is accepted as it stands after the scheme Basic',
    hardness: 'subtle',
    override: alsoKnows((header, key) => header === `Basic ${key}`),
  },
  {
    id: 'auth.scheme-token',
    section: '5',
    turnsRed: ['auth.malformed-header'],
    description: 'A key is accepted after the scheme Token',
    hardness: 'subtle',
    override: alsoKnows((header, key) => header === `Token ${key}`),
  },
  {
    id: 'auth.scheme-any',
    section: '5',
    turnsRed: ['auth.malformed-header'],
    description: 'A key is accepted after any scheme',
    hardness: 'plain',
    override: alsoKnows((header, key) => /^\w+ +(\S+)$/.exec(header)?.[1] === key),
  },
  {
    id: 'auth.scheme-begins-with-bearer',
    section: '5',
    turnsRed: ['auth.malformed-header'],
    description: 'A key is accepted after any scheme whose name begins with Bearer',
    hardness: 'subtle',
    override: alsoKnows((header, key) => /^Bearer\w* +(\S+)$/.exec(header)?.[1] === key),
  },
  {
    id: 'auth.scheme-missing',
    section: '5',
    turnsRed: ['auth.malformed-header'],
    description: 'A key is accepted without a scheme',
    hardness: 'plain',
    override: alsoKnows((header, key) => header === key),
  },
  {
    id: 'auth.scheme-without-blank',
    section: '5',
    turnsRed: ['auth.malformed-header'],
    description: 'The first six characters of the header are skipped, whatever parts them from the key',
    hardness: 'subtle',
    override: alsoKnows((header, key) => header.slice('Bearer'.length) === key),
  },
  {
    id: 'auth.scheme-with-colon',
    section: '5',
    turnsRed: ['auth.malformed-header'],
    description: 'A colon may follow the word Bearer',
    hardness: 'subtle',
    override: alsoKnows((header, key) => header === `Bearer: ${key}`),
  },
  {
    id: 'auth.key-in-quotes',
    section: '5',
    turnsRed: ['auth.malformed-header'],
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
