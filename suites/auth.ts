import { randomUUID } from 'node:crypto';
import { type Alteration, alteredKey, type KeyTest, unknownKey } from '../generators/credential.js';
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
    operation: 'vault-delete',
    needs: ['store', 'role:member'],
    good: 'member',
    call: ({ api }, as, name) => api.deleteSecret({ as, name }),
  },
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
];

const missing = (): readonly Credential[] => [{ label: 'no Authorization header' }];

const keyless = (): readonly Credential[] => [
  { label: 'an empty Authorization header', header: '' },
  { label: 'Bearer and no key', header: 'Bearer' },
  { label: 'Basic and nothing', header: 'Basic' },
  { label: 'Basic and neither user nor password', header: `Basic ${Buffer.from(':').toString('base64')}` },
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

const unknown = (key: string, isKey: KeyTest): readonly Credential[] => [
  { label: 'an unknown key', header: `Bearer ${unknownKey(isKey)}` },
  {
    label: 'an unknown key of the same shape',
    header: `Bearer ${alteredKey('unknown-same-shape', key, isKey) ?? unknownKey(isKey)}`,
  },
];

const alterations: readonly (readonly [Alteration, string])[] = [
  ['extended', 'a key with one character more'],
  ['truncated', 'a key with one character less'],
  ['last-changed', 'a key with another last character'],
  ['two-swapped', 'a key with two characters swapped'],
  ['other-case', 'a key in the other case'],
  ['lower-case', 'a key in lower case'],
  ['in-quotes', 'a key in quotes'],
  ['first-half', 'the first half of a key'],
];

const changed = (key: string, isKey: KeyTest): readonly Credential[] =>
  alterations.flatMap(([how, label]) => {
    const altered = alteredKey(how, key, isKey);
    return altered === undefined ? [] : [{ label, header: `Bearer ${altered}` }];
  });

/** A check that an operation refuses credentials with 401, and still serves the good key. */
function refuses(
  requirement: RequirementId,
  subject: Subject,
  credentials: (key: string, isKey: KeyTest) => readonly (Credential | Role)[],
  options: { readonly needs?: readonly Need[]; readonly allowed?: readonly number[] } = {},
): Check {
  const { operation, good, call } = subject;
  const isVault = operation === 'vault-delete';
  return check(
    `${requirement}/${operation}`,
    {
      control: operation,
      needs: [...subject.needs, ...(options.needs ?? [])],
      also: isVault ? ['vault-delete.401.keeps'] : [],
    },
    async (context) => {
      const name = isVault ? await context.world.store('own') : '';
      const { world } = context;
      const isKey = (text: string) => world.isKey(text);
      for (const as of credentials(world.key(good), isKey)) {
        await call(context, as, name).answers(options.allowed ?? 401);
      }
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
    for (const as of [...missing(), ...unknown(world.key('member'), isKey).slice(-1)]) {
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

const of = (...operations: readonly Operation[]) =>
  subjects.filter(({ operation }) => operations.includes(operation));
const others = of('key-info', 'inference', 'guardrail-read');

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
  ...of('vault-delete').flatMap((subject) => [
    refuses('vault-delete.401.missing-key', subject, missing),
    refuses('vault-delete.401.unknown-key', subject, unknown),
  ]),
  ...of('guardrail-read').map((subject) => refuses('guardrail-read.401.missing-key', subject, missing)),
  ...of('key-info', 'inference').map((subject) => refuses('auth.missing-key', subject, missing)),
  ...others.map((subject) => refuses('auth.unknown-key', subject, unknown)),
  ...subjects.map((subject) => refuses('auth.altered-key', subject, changed)),
  ...subjects.map((subject) => refuses('auth.malformed-header', subject, keyless)),
  // Depth quick sends the first of these only: the cheapest.
  ...[...others, ...of('vault-delete')].map((subject) =>
    refuses('auth.other-scheme', subject, otherwiseGiven),
  ),
  noExistenceOracle,
  // On the guardrail read a disabled key has two things wrong: it is no management key either.
  ...subjects.map((subject) =>
    refuses('auth.disabled-key', subject, () => ['disabled'], {
      needs: ['role:disabled'],
      allowed: subject.operation === 'guardrail-read' ? [401, 403, 404] : [401],
    }),
  ),
];
