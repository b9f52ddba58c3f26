import { parseBearerKey } from '../authentication.js';
import type { Call, Effect, Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { countUp, editGate, type Mutation, setGateStatus } from '../mutation.js';
import { hasHeader, withoutKey } from './conditions.js';
import { alsoAccept, findOwner, serveKeyless } from './credential-mutations.js';

/** Mutants of the area auth: keys that are missing, unknown or nearly right. */
export const authMutants: readonly Mutant[] = [
  ...makeMutants('vault-delete.401.missing-key', {
    'auth.missing-key-deletes': everyday.plain(
      'A vault delete without a key is done',
      serveKeyless('vault-delete', withoutKey),
    ),
  }),
  ...makeMutants('guardrail-read.401.missing-key', {
    'auth.missing-key-reads-guardrail': everyday.plain(
      'A guardrail is read without a key',
      serveKeyless('guardrail-read', withoutKey),
    ),
  }),
  ...makeMutants('auth.missing-key', {
    'auth.missing-key-reads-key': everyday.plain(
      'A key read without a key reports on some key',
      serveKeyless('key-read', withoutKey),
    ),
    'auth.head-without-key-served': subtle(
      'A HEAD of the key read is served without a key',
      serveKeyless('key-read', (call) => call.method === 'HEAD' && withoutKey(call)),
    ),
  }),
  ...(
    [
      ['missing', 'without a key', withoutKey],
      ['unknown', 'with an unknown key', hasBearer],
    ] as const
  ).flatMap(([word, how, which]) =>
    makeMutants('auth.no-existence-oracle', {
      [`auth.${word}-key-tells-secrets`]: everyday.subtle(
        `A vault delete ${how} is answered 404 where the intern has no such secret, else 401`,
        revealAbsence(which, (call) => conforming.findSecret(call) === undefined),
      ),
      [`auth.${word}-key-tells-interns`]: everyday.subtle(
        `A vault delete ${how} is answered 404 where there is no such intern, else 401`,
        revealAbsence(which, ({ key }) => key === undefined),
      ),
      [`auth.${word}-key-tells-interns-in-words`]: subtle(
        `The 401 of a vault delete ${how} says whether there is such an intern`,
        revealAbsence(which, ({ key }) => key === undefined, { status: 401, message: 'No such intern' }),
      ),
    }),
  ),
  ...makeMutants('auth.unknown-key', {
    'auth.unknown-key-reads-key': everyday.plain(
      'A key read with an unknown key reports on some key',
      serveKeyless('key-read', hasBearer),
      ['auth.altered-key'],
    ),
    'auth.unknown-key-infers': everyday.plain(
      'An inference request with an unknown key is routed',
      serveKeyless('inference', hasBearer),
      ['auth.altered-key'],
    ),
  }),
  ...makeMutants('vault-delete.401.unknown-key', {
    'auth.unknown-key-of-right-shape-deletes': everyday.subtle(
      'A vault delete is done with any key that has the shape of one',
      serveKeyless('vault-delete', ({ headers }) =>
        /^Bearer sk-[A-Za-z0-9]{48}$/.test(headers.authorization ?? ''),
      ),
    ),
    'auth.unknown-key-vault-403': everyday.plain(
      'A vault delete with an unknown key gets 403',
      setGateStatus('vault-delete', 'authentication', 403, hasHeader),
      [
        'vault-delete.204.deleted',
        'vault-delete.404.foreign-intern',
        'auth.altered-key',
        'auth.malformed-header',
        'auth.other-scheme',
      ],
    ),
  }),
  ...makeMutants('auth.altered-key', {
    'auth.unknown-key-now-and-then-served': everyday.intermittent(
      'Every third key read with an unknown key is served',
      serveEveryThirdUnknownKey(),
    ),
    'auth.key-case-insensitive': plain(
      'Keys are compared without regard to case',
      alsoAccept((header, key) => parseBearerKey(header)?.toLowerCase() === key.toLowerCase()),
    ),
    'auth.key-as-a-pattern': subtle(
      'A percent sign in a key stands for any text, as in a pattern of SQL',
      alsoAccept((header, key) => {
        const [before = '', after] = parseBearerKey(header)?.split('%') ?? [];
        return after !== undefined && key.startsWith(before) && key.endsWith(after);
      }),
    ),
    'auth.key-prefix-suffices': everyday.subtle(
      'The first eight or more characters of a key are taken for it',
      alsoAccept((header, key) => {
        const text = parseBearerKey(header) ?? '';
        return text.length >= 8 && key.startsWith(text);
      }),
    ),
    'auth.key-cut-to-length': subtle(
      'What follows a key is cut off before it is looked up',
      alsoAccept((header, key) => parseBearerKey(header)?.startsWith(key) === true),
    ),
  }),
  ...makeMutants('auth.bearer', {
    'auth.key-read-wants-another-scheme': everyday.plain(
      'The key read refuses the scheme Bearer',
      editGate('key-read', 'authentication', (call, original) =>
        call.headers.authorization?.startsWith('Bearer ')
          ? { status: 401, message: 'Send the key with the scheme Key' }
          : original(call),
      ),
      ['key-info.200.read'],
    ),
  }),
  ...makeMutants('auth.malformed-header', {
    'auth.bearer-without-key-served': everyday.subtle(
      'A key read with the word Bearer and no key reports on some key',
      serveKeyless('key-read', ({ headers }) => /^Bearer *$/.test(headers.authorization ?? '')),
    ),
    'auth.empty-header-deletes': everyday.subtle(
      'A vault delete with an empty Authorization header is done',
      serveKeyless('vault-delete', ({ headers }) => headers.authorization === ''),
    ),
    'auth.bearer-as-second-scheme': subtle(
      'Of several credentials in one header, behind another scheme and a comma, the Bearer key is taken',
      alsoAccept((header, key) => /^(?!Bearer)\S+ \S+, ?Bearer /i.test(header) && header.endsWith(` ${key}`)),
    ),
  }),
];

/**
 * Some vault deletes without a known key are answered 404 where something does not exist. It is looked for with the key
 * that would be good for the intern, or with none where no workspace has the intern.
 */
function revealAbsence(
  which: (call: Call) => boolean,
  isAbsent: (call: Call) => boolean,
  told: Refusal = { status: 404, message: 'Not found' },
): Mutation {
  return editGate('vault-delete', 'authentication', (call, original) => {
    const refusal = original(call);
    const { behaviour, parameters } = call;
    const isWellFormed =
      behaviour.isInternId(parameters.internId ?? '') && behaviour.isSecretName(parameters.name ?? '');
    const isTold =
      refusal !== undefined && isWellFormed && which(call) && isAbsent({ ...call, key: findOwner(call) });
    return isTold ? told : refusal;
  });
}

function serveEveryThirdUnknownKey(): Mutation {
  const served = editGate('key-read', 'authentication', (call, original) => {
    const refusal = original(call);
    const isServed = hasBearer(call) && refusal !== undefined && countUp(call, 'unknown keys') % 3 === 0;
    return isServed ? undefined : refusal;
  });
  const read: Effect = (call) =>
    conforming.effects['key-read']({ ...call, key: call.key ?? findOwner(call) });
  return { ...served, effects: { ...conforming.effects, 'key-read': read } };
}

function hasBearer({ headers }: Call): boolean {
  return parseBearerKey(headers.authorization) !== undefined;
}
