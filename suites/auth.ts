import { randomUUID } from 'node:crypto';
import { alteredKey, unknownKey } from '../generators/credential.js';
import type { CheckContext, Credential } from '../judge/api.js';
import type { Call } from '../judge/call.js';
import { type Check, check } from '../judge/check.js';
import { Disturbed } from '../judge/finding.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import type { Operation, Role } from '../spec/vocabulary.js';
import { type Answered, isAnswered } from '../targets/exchange.js';
import { freshName } from '../targets/fresh-name.js';

// §5: who may call, on every operation.

/** An operation as these checks ask it: with any credential, and with the right one. */
interface Subject {
  readonly operation: Operation;
  readonly needs: readonly Need[];
  /** The role whose key the operation is meant for. */
  readonly good: Role;
  readonly call: (context: CheckContext, as: Credential | Role, name: string) => Call;
}

const subjects: readonly Subject[] = [
  {
    operation: 'guardrail-read',
    needs: ['guardrail', 'role:management'],
    good: 'management',
    call: ({ api }, as) => api.readGuardrail({ as }),
  },
  {
    operation: 'key-info',
    needs: ['role:member'],
    good: 'member',
    call: ({ api }, as) => api.readKey({ as }),
  },
  {
    operation: 'inference',
    needs: ['inference', 'role:member'],
    good: 'member',
    call: ({ api }, as) => api.infer({ as }),
  },
  {
    operation: 'vault-delete',
    needs: ['store', 'role:member'],
    good: 'member',
    call: ({ api }, as, name) => api.deleteSecret({ as, name }),
  },
];

/** The good key, given in other ways than §5.1 says: that they are refused is not said. */
const otherwiseGiven = (key: string): readonly Credential[] => [
  { label: 'the scheme Basic', header: `Basic ${key}` },
  { label: 'the scheme Basic, encoded', header: `Basic ${Buffer.from(`${key}:`).toString('base64')}` },
  { label: 'the scheme Token', header: `Token ${key}` },
  { label: 'the scheme BearerX', header: `BearerX ${key}` },
  { label: 'no scheme', header: key },
  { label: 'no blank after Bearer', header: `Bearer${key}` },
  { label: 'a colon after Bearer', header: `Bearer: ${key}` },
  { label: 'the scheme Digest', header: `Digest ${key}` },
];

/** A check that an operation refuses credentials, and still serves the good key. */
function refuses(
  requirement: RequirementId,
  { operation, needs, good, call }: Subject,
  credentials: (key: string) => readonly (Credential | Role)[],
  options: { readonly needs?: readonly Need[]; readonly allowed?: readonly number[] } = {},
): Check {
  const isVault = operation === 'vault-delete';
  return check(
    `${requirement}/${operation}`,
    {
      control: operation,
      needs: [...needs, ...(options.needs ?? [])],
      also: isVault ? ['vault-delete.401.keeps'] : [],
    },
    async (context) => {
      const name = isVault ? await context.world.store('own') : '';
      for (const as of credentials(context.world.key(good)))
        await call(context, as, name).answers(options.allowed ?? 401);
      if (isVault) await context.api.stillStored({ name }, 'vault-delete.401.keeps');
      else await call(context, good, name).holds(200);
    },
  );
}

/**
 * A check that nobody without a known key learns what is stored. Only statuses are compared, since messages may tell of
 * the request. A server that checks the syntax of the path first tells nothing: it is good in all of these. Where two
 * answers differ the first request is repeated, so that a server that changes its mind for other reasons (a ban after
 * some wrong keys) is not accused.
 */
const noExistenceOracle: Check = check(
  'auth.no-existence-oracle',
  { control: 'vault-delete' },
  async ({ api, world }) => {
    const name = await world.store('own');
    const isKey = (text: string) => world.isKey(text);
    const unknown = alteredKey('unknown-same-shape', world.key('member'), isKey) ?? unknownKey(isKey);
    for (const as of [
      { label: 'no Authorization header' },
      { label: 'an unknown key of the same shape', header: `Bearer ${unknown}` },
    ]) {
      const stored = (await sendSettled(api.deleteSecret({ as, name }))).answer.status;
      // That it is served at all is judged elsewhere, and what follows would not be of a stored secret.
      if (stored < 300) return;
      const intern = { label: 'an unknown intern', raw: randomUUID() };
      for (const request of [{ name: freshName() }, { name, intern }]) {
        const call = api.deleteSecret({ as, ...request });
        const exchange = await sendSettled(call);
        const isAlike = exchange.answer.status === stored;
        const again = isAlike ? stored : (await sendSettled(api.deleteSecret({ as, name }))).answer.status;
        if (again !== stored) throw new Disturbed(`the same request got ${stored}, then ${again}`);
        call.judges(exchange, 'auth.no-existence-oracle', {
          holds: isAlike,
          expected: `${stored}, as for a secret that is stored`,
          actual: String(exchange.answer.status),
        });
      }
    }
  },
);

/** Sends a request to compare its status with another's. Throws Disturbed where the server is in trouble. */
async function sendSettled(call: Call): Promise<Answered> {
  const exchange = await call.send();
  const isTrouble = (status: number) => status === 408 || status === 429 || status >= 500;
  if (!isAnswered(exchange) || isTrouble(exchange.answer.status)) throw new Disturbed(call.told(exchange));
  return exchange;
}

/** A check that who gets no answer to a GET gets none to a HEAD either, which need not be routed at all. */
function refusesHead(
  requirement: RequirementId,
  operation: 'guardrail-read' | 'key-info',
  as: Role | Credential,
) {
  return check(`${requirement}/head`, { control: operation }, async ({ api }) => {
    const options = { as, method: 'HEAD', reaches: 'perhaps' } as const;
    const call = operation === 'key-info' ? api.readKey(options) : api.readGuardrail(options);
    await call.isRefused({ because: 'the same GET is refused' });
  });
}

/** The checks of §5, and of the 401 rows of §7. */
export const authChecks: readonly Check[] = [
  check('auth.bearer', { control: 'key-info', isControl: true }, async ({ api }) => {
    await api.readKey().answers(200);
  }),
  check('auth.host-spelling', { control: 'key-info' }, async ({ api }) => {
    const at = { label: 'the global hostname in upper case', host: api.globalHost().toUpperCase() };
    await api.readKey({ at, reaches: 'perhaps' }).answers(200, { because: 'host names compare so' });
    await api.readKey().holds(200);
  }),
  refusesHead('auth.missing-key', 'key-info', { label: 'no Authorization header' }),
  refusesHead('guardrail-read.management-key-only', 'guardrail-read', 'member'),
  noExistenceOracle,
  ...subjects.map((subject) =>
    refuses('auth.other-scheme', subject, (key) => {
      const all = otherwiseGiven(key);
      // The guardrail read alone goes into the opening of a run, where every request counts.
      return subject.operation === 'guardrail-read' ? all.slice(0, 1) : all;
    }),
  ),
  ...subjects.map((subject) =>
    refuses('auth.oauth-session', subject, () => ['expired_session'], {
      needs: ['role:expired_session'],
      // On the guardrail read such a key has two things wrong: it is no management key either.
      allowed: subject.operation === 'guardrail-read' ? [401, 403, 404] : [401],
    }),
  ),
];
