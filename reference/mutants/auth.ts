import { parseBearerKey } from '../authentication.js';
import type { Answer, Call, Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type MutantRows, subtle, tabulateAlike } from '../mutant.js';
import {
  countUp,
  dropGate,
  editAnswer,
  editGate,
  everyNth,
  type Mutation,
  refuseAt,
  setGateStatus,
  setHeaders,
  setInError,
  type When,
} from '../mutation.js';
import { isWellFormed } from '../vault.js';
import type { Operation } from '../vocabulary.js';
import type { Key, Role } from '../world.js';
import { all, encodedId, isPaid, isStreamed, withoutKey, withQuery, withTwoKeys } from './conditions.js';

const lowerPrefix = (key: string) => key.replace(/^[^-_]*/, (prefix) => prefix.toLowerCase());
const hasCookie: When = ({ headers }) => headers.cookie !== undefined;
const everywhere = ['vault-delete', 'guardrail-read', 'key-read', 'inference'] as const;

/** Mutants of the area auth: keys that are missing, unknown, nearly right, or not good for what is asked. */
export const authMutants: MutantRows = {
  'auth.missing-key-deletes': everyday.plain('vault-delete.401.missing-key')(
    'A vault delete without a key is done',
    serveKeyless('vault-delete', withoutKey),
  ),
  'auth.missing-key-reads-guardrail': everyday.plain('guardrail-read.401.missing-key')(
    'A guardrail is read without a key',
    serveKeyless('guardrail-read', withoutKey),
  ),
  'auth.missing-key-reads-key': everyday.plain('auth.missing-key')(
    'A key read without a key reports on some key',
    serveKeyless('key-read', withoutKey),
  ),
  'auth.head-without-key-served': subtle('auth.missing-key')(
    'A HEAD of the key read is served without a key',
    serveKeyless('key-read', (call) => call.method === 'HEAD' && withoutKey(call)),
  ),
  'auth.head-of-guardrail-without-key-served': subtle('guardrail-read.401.missing-key')(
    'A HEAD of the guardrail read is served without a key',
    serveKeyless('guardrail-read', (call) => call.method === 'HEAD' && withoutKey(call)),
  ),
  'auth.encoded-id-without-key-deletes': subtle('vault-delete.401.keeps')(
    'A path whose internId has an encoded character deletes without a key',
    serveKeyless('vault-delete', all(withoutKey, encodedId)),
  ),
  'auth.encoded-id-without-key-reads-guardrail': subtle('guardrail-read.401.missing-key')(
    'A guardrail whose id has an encoded character in the path is read without a key',
    serveKeyless('guardrail-read', all(withoutKey, encodedId)),
  ),
  'auth.encoded-id-of-expired-session-deletes': subtle('auth.oauth-session')(
    'A path whose internId has an encoded character deletes for an expired session',
    dropGate('vault-delete', 'session', encodedId),
  ),
  'auth.query-without-key-infers': subtle('auth.missing-key')(
    'An inference request with a query string is served without a key',
    serveKeyless('inference', all(withoutKey, withQuery)),
  ),
  'auth.any-cookie-suffices': subtle('auth.missing-key')(
    'A key read without a key is served if it has any cookie',
    serveKeyless('key-read', all(withoutKey, hasCookie)),
  ),
  'auth.cookie-of-a-session-suffices': subtle('auth.missing-key')(
    'The answer to a good key sets a cookie, with which a key read is served without one',
    {
      ...setHeaders({ operation: 'key-read', status: 200 }, { 'Set-Cookie': 'session=1; HttpOnly' }),
      ...serveKeyless('key-read', ({ headers }) => headers.cookie === 'session=1'),
    },
  ),
  'auth.head-with-disabled-key-served': subtle('auth.disabled-key')(
    'A HEAD of the key read is served with a disabled key',
    dropGate('key-read', 'key-enabled', ({ method }) => method === 'HEAD'),
  ),
  ...revealExistence('missing', 'without a key', withoutKey),
  ...revealExistence('unknown', 'with an unknown key', hasBearer),
  'auth.unknown-key-reads-key': everyday.plain('auth.unknown-key')(
    'A key read with an unknown key reports on some key',
    serveKeyless('key-read', hasBearer),
  ),
  'auth.unknown-key-infers': everyday.plain('auth.unknown-key')(
    'An inference request with an unknown key is routed',
    serveKeyless('inference', hasBearer),
  ),
  'auth.unknown-key-of-right-shape-deletes': everyday.subtle('vault-delete.401.unknown-key')(
    'A vault delete is done with any key that has the shape of one',
    serveKeyless('vault-delete', (call) => /^Bearer sk-[A-Za-z0-9]{48}$/.test(headerOf(call))),
  ),
  'auth.unknown-key-vault-403': everyday.plain('vault-delete.401.unknown-key')(
    'A vault delete with an unknown key gets 403',
    setGateStatus('vault-delete', 'authentication', 403, (call) => !withoutKey(call)),
  ),
  'auth.unknown-key-now-and-then-served': everyday.intermittent('auth.altered-key')(
    'Every third key read with an unknown key is served',
    serveKeyless('key-read', all(hasBearer, everyNth(3, 'unknown keys'))),
  ),
  'auth.key-as-a-pattern': subtle('auth.altered-key')(
    'A percent sign in a key stands for any text, as in a pattern of SQL',
    alsoAccept((header, key) => {
      const [before = '', after] = parseBearerKey(header)?.split('%') ?? [];
      return after !== undefined && key.startsWith(before) && key.endsWith(after);
    }),
  ),
  'auth.quote-in-key-500': subtle('auth.altered-key')(
    'A key with a quotation mark ends a string of SQL, and leads to 500',
    refuseAt(everywhere, 'authentication', 500, (call) => headerOf(call).includes("'")),
  ),
  'auth.long-key-400': subtle('auth.unknown-key', 'vault-delete.401.unknown-key')(
    'A key of more than 1,000 characters gets 400',
    refuseAt(everywhere, 'authentication', 400, (call) => headerOf(call).length > 1_000),
  ),
  'auth.unsigned-token-served': subtle('auth.unknown-key')(
    'A key read with a token that claims to need no signature reports on some key',
    serveKeyless('key-read', (call) => /\.[^.]+\.$/.test(headerOf(call))),
  ),
  'auth.key-prefix-suffices': everyday.subtle('auth.altered-key')(
    'The first eight or more characters of a key are taken for it',
    alsoAccept((header, key) => {
      const text = parseBearerKey(header) ?? '';
      return text.length >= 8 && key.startsWith(text);
    }),
  ),
  'auth.key-ends-at-a-tab': subtle('auth.altered-key')(
    'What follows a tab in the header is not read',
    alsoAccept((header, key) => header.split('\t', 1)[0] === `Bearer ${key}`),
  ),
  ...tabulateAlike('auth', subtle('auth.altered-key'), readKeyBy, [
    ['key-without-padding', 'Equals signs at the end of a key are cut off', (key) => key.replace(/=+$/, '')],
    ['key-up-to-a-semicolon', 'A key ends before a semicolon', (key) => key.replace(/;.*/, '')],
    ['key-of-ascii', 'Bytes beyond ASCII in a key are passed over', (key) => key.replace(/[^ -~]/g, '')],
    ['key-with-any-dash', 'Underscores in a key are read as dashes', (key) => key.replaceAll('_', '-')],
    ['key-without-dashes', 'Dashes in a key are passed over', (key) => key.replaceAll('-', '')],
    ['key-prefix-by-any-case', 'The first letters of a key are read in either case', lowerPrefix],
  ]),
  'auth.key-as-a-glob': subtle('auth.altered-key')(
    'A star at the end of a key stands for the rest of it',
    alsoAccept((header, key) => header.endsWith('*') && `Bearer ${key}`.startsWith(header.slice(0, -1))),
  ),
  'auth.key-after-letters-of-the-scheme': subtle('auth.altered-key')(
    'The letters of the scheme are trimmed off the header, and off the key that follows them',
    alsoAccept((header, key) => /^Bearer [Bear]+/.test(header) && header.replace(/^[Bear ]+/, '') === key),
  ),
  'auth.key-after-a-word': subtle('auth.altered-key')(
    'Of several words after the scheme, the last one is taken for the key',
    alsoAccept((header, key) => /^Bearer \S+ /.test(header) && header.endsWith(` ${key}`)),
  ),
  'auth.key-of-every-object': subtle('auth.unknown-key', 'vault-delete.401.unknown-key')(
    'Keys are looked up in an object of JavaScript, so that a property of every object is taken for a key',
    alsoAccept((header) => (parseBearerKey(header) ?? '') in {}),
  ),
  'auth.header-name-by-case': subtle('auth.bearer')(
    'A key read finds the key in the header Authorization, but not in authorization',
    refuseAt('key-read', 'authentication', 401, ({ rawHeaders }) => rawHeaders.includes('authorization')),
  ),
  'auth.header-twice-500': subtle('auth.bearer')(
    'A delete with two Authorization headers gets 500',
    refuseAt('vault-delete', 'authentication', 500, withTwoKeys),
  ),
  'auth.key-read-wants-another-scheme': everyday.plain('auth.bearer')(
    'The key read refuses the scheme Bearer',
    refuseAt('key-read', 'authentication', 401, (call) => headerOf(call).startsWith('Bearer ')),
  ),
  'auth.bearer-without-key-served': everyday.subtle('auth.malformed-header')(
    'A key read with the word Bearer and no key reports on some key',
    serveKeyless('key-read', (call) => /^Bearer *$/.test(headerOf(call))),
  ),
  'auth.empty-header-deletes': everyday.subtle('auth.malformed-header')(
    'A vault delete with an empty Authorization header is done',
    serveKeyless('vault-delete', ({ headers }) => headers.authorization === ''),
  ),
  'auth.bearer-as-second-scheme': subtle('auth.malformed-header')(
    'Of several credentials in one header, behind another scheme and a comma, the Bearer key is taken',
    alsoAccept((header, key) => /^(?!Bearer)\S+ \S+, ?Bearer /i.test(header) && header.endsWith(` ${key}`)),
  ),
  'auth.disabled-key-deletes': everyday.plain('auth.disabled-key')(
    'A disabled key may delete secrets',
    dropGate('vault-delete', 'key-enabled'),
  ),
  'auth.disabled-key-cached': subtle('auth.disabled-key')(
    'A disabled key is refused the first time, and then found in a cache that does not know that it is disabled',
    dropGate(everywhere, 'key-enabled', (call) => countUp(call, `calls with ${call.key?.text}`) > 1),
  ),
  'auth.disabled-key-served-once': everyday.intermittent('auth.disabled-key')(
    'The first key read with a disabled key is served, later ones are refused',
    dropGate('key-read', 'key-enabled', (call) => countUp(call, `reads with ${call.key?.text}`) === 1),
  ),
  'auth.key-without-scope-reads-guardrail': everyday.subtle('guardrail-read.management-key-only')(
    'A guardrail is read with an ordinary key without workspace scope',
    dropGate('guardrail-read', 'management-key', ({ key }) => key?.traits.scoped === false),
  ),
  'auth.original-url-skips-authentication': subtle('auth.missing-key')(
    'A key read without a key is served if X-Original-URL or X-Rewrite-URL names a path outside the interface',
    serveKeyless('key-read', all(withoutKey, namesOutsidePath)),
  ),
  'auth.count-tells-secrets': subtle('auth.no-existence-oracle')(
    'X-Total-Count of a 401 without a known key is 1 if the intern has the secret, else 0',
    countMatches((answer, count) => ({ ...answer, headers: { ...answer.headers, 'X-Total-Count': count } })),
  ),
  'auth.count-in-body-tells-secrets': subtle('auth.no-existence-oracle')(
    'The metadata of a 401 without a known key counts the secrets of the intern with that name',
    countMatches((answer, count) => setInError(answer, 'metadata', { matches: Number(count) })),
  ),
  'auth.reason-phrase-tells-secrets': subtle('auth.no-existence-oracle')(
    'The reason phrase of a 401 without a known key says whether the intern has the secret',
    countMatches((answer, count) => ({ ...answer, reasonPhrase: count === '1' ? 'Unauthorized' : 'Absent' })),
  ),
  'auth.expired-session-403': everyday.plain('auth.oauth-session')(
    'An expired session gets 403',
    setGateStatus(everywhere, 'session', 403),
  ),
  'auth.expired-session-streams': subtle('auth.oauth-session')(
    'An expired session is served streams of paid models',
    dropGate('inference', 'session', all(isStreamed, isPaid)),
  ),
  'auth.expired-session-deletes': subtle('auth.oauth-session')(
    'An expired session deletes secrets',
    dropGate('vault-delete', 'session'),
  ),
};

function readKeyBy(read: (key: string) => string): Mutation {
  return alsoAccept((header, key) => read(parseBearerKey(header) ?? '') === read(key));
}

/** Makes mutants in which some vault deletes without a known key reveal whether something exists. */
function revealExistence(word: string, how: string, which: When): MutantRows {
  const isUnknownIntern: When = ({ key }) => key === undefined;
  const isForeign: When = ({ server, parameters }) =>
    [...server.store.worlds()].some(({ interns }) => interns.foreign === parameters.internId);
  return {
    [`auth.${word}-key-tells-secrets`]: everyday.subtle('auth.no-existence-oracle')(
      `A vault delete ${how} is answered 404 where the intern has no such secret, else 401`,
      revealAbsence(which, (call) => conforming.findSecret(call) === undefined),
    ),
    [`auth.${word}-key-tells-interns`]: everyday.subtle('auth.no-existence-oracle')(
      `A vault delete ${how} is answered 404 where there is no such intern, else 401`,
      revealAbsence(which, isUnknownIntern),
    ),
    [`auth.${word}-key-tells-foreign-interns`]: subtle('auth.no-existence-oracle')(
      `The 401 of a vault delete ${how} says whether the intern is of another workspace`,
      revealAbsence(which, isForeign, () => ({ status: 401, message: 'Not in this workspace' })),
    ),
    [`auth.${word}-key-tells-secrets-in-a-header`]: subtle('auth.no-existence-oracle')(
      `The 401 of a vault delete ${how} says in X-Lookup that the intern has no such secret`,
      revealAbsence(
        which,
        (call) => conforming.findSecret(call) === undefined,
        (refusal) => ({ ...refusal, headers: { ...refusal.headers, 'X-Lookup': 'miss' } }),
      ),
    ),
  };
}

/** Answers some vault deletes without a known key with 404 if something does not exist for the owner of the intern. */
function revealAbsence(
  which: When,
  isAbsent: When,
  answer: (refusal: Refusal) => Refusal = () => ({ status: 404, message: 'Not found' }),
): Mutation {
  return editGate('vault-delete', 'authentication', (call, original) => {
    const refusal = original(call);
    const isRevealed = refusal !== undefined && isWellFormed(call) && which(call);
    return isRevealed && isAbsent({ ...call, key: findOwner(call) }) ? answer(refusal) : refusal;
  });
}

/** Changes the answer to a vault delete without a known key by how many secrets it names: 0 or 1. */
function countMatches(change: (answer: Answer, count: '0' | '1') => Answer): Mutation {
  const isUnknown: When = ({ key }) => key === undefined;
  return editAnswer({ operation: 'vault-delete', status: 401, when: isUnknown }, (answer, call) =>
    change(answer, conforming.findSecret({ ...call, key: findOwner(call) }) === undefined ? '0' : '1'),
  );
}

function hasBearer({ headers }: Call): boolean {
  return parseBearerKey(headers.authorization) !== undefined;
}

function headerOf({ headers }: Call): string {
  return headers.authorization ?? '';
}

/** Whether a header of a proxy names a path that is not below `/v1`. */
function namesOutsidePath({ headers }: Call): boolean {
  return /^(?!\/v1\/)/.test(String(headers['x-original-url'] ?? headers['x-rewrite-url'] ?? '/v1/'));
}

/** Takes a header that names no key exactly for the first key that `isNamed` accepts. */
export function alsoAccept(isNamed: (authorization: string, key: string) => boolean): Mutation {
  return {
    authenticate: (authorization, store) => {
      const exact = conforming.authenticate(authorization, store);
      if (exact !== undefined || authorization === undefined) return exact;
      for (const key of store.keys()) if (isNamed(authorization, key.text)) return key;
      return undefined;
    },
  };
}

/** Serves some calls of one operation without a known key as if they came with the good one. */
function serveKeyless(operation: Operation, when: When): Mutation {
  return {
    receive: (call) =>
      call.operation === operation && call.key === undefined && when(call)
        ? { ...call, key: findOwner(call) }
        : call,
  };
}

/** Finds the good key for what a call names: of the world with that intern or that guardrail, else of the oldest one. */
function findOwner({ operation, parameters, server }: Call): Key | undefined {
  const role: Role = operation === 'guardrail-read' ? 'management' : 'member';
  for (const world of server.store.worlds()) {
    const isNamed =
      operation === 'vault-delete'
        ? conforming.findIntern(world, parameters.internId ?? '') !== undefined
        : operation !== 'guardrail-read' || world.guardrailId === parameters.id;
    if (isNamed) return world.keys.get(role);
  }
  return undefined;
}
