import { otherSchemes } from '../generators/credential.js';
import { makeUnknown } from '../generators/inputs.js';
import type { Credential } from '../judge/api.js';
import type { Call } from '../judge/call.js';
import { type Check, check } from '../judge/check.js';
import { Disturbed } from '../judge/finding.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Operation, Role } from '../spec/vocabulary.js';
import { type Answered, isAnswered } from '../targets/exchange.js';
import { freshName } from '../targets/world.js';
import { refuseEverywhere } from './every-operation.js';
import { makeCredential, makePart } from './requests.js';

// §5: who may call, on every operation.

const operations: readonly Operation[] = ['guardrail-read', 'key-info', 'inference', 'vault-delete'];
const keeps: RequirementId = 'vault-delete.401.keeps';

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
    for (const word of ['none', 'unknown-same-shape'] as const) {
      const as = makeCredential(word, 'member', world);
      const stored = (await sendSettled(api.deleteSecret({ as, name }))).answer.status;
      // That it is served at all is judged elsewhere, and what follows would not be of a stored secret.
      if (stored < 300) return;
      const intern = makePart(makeUnknown('intern'), world.intern('own'));
      for (const request of [{ name: freshName() }, { name, intern }]) {
        const call = api.deleteSecret({ as, ...request });
        const exchange = await sendSettled(call);
        const isAlike = exchange.answer.status === stored;
        const again = isAlike ? stored : (await sendSettled(api.deleteSecret({ as, name }))).answer.status;
        if (again !== stored) throw new Disturbed(`the same request got ${stored}, then ${again}`);
        call.expect(exchange, 'auth.no-existence-oracle', {
          ok: isAlike,
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
  if (!isAnswered(exchange) || isTrouble(exchange.answer.status))
    throw new Disturbed(call.describe(exchange));
  return exchange;
}

/** A check that who gets no answer to a GET gets none to a HEAD either, which need not be routed at all. */
function refusesHead(
  requirement: RequirementId,
  operation: 'guardrail-read' | 'key-info',
  as: Role | Credential,
): Check {
  return check(`${requirement}/head`, { control: operation }, async ({ api }) => {
    const options = { as, method: 'HEAD', reaches: 'perhaps' } as const;
    const call = operation === 'key-info' ? api.readKey(options) : api.readGuardrail(options);
    await call.expectAnyRefusal({ because: 'the same GET is refused' });
  });
}

/** The checks of §5, and of the 401 rows of §7. */
export const authChecks: readonly Check[] = [
  check('auth.bearer', { control: 'key-info', isControl: true }, async ({ api }) => {
    await api.readKey().expectStatus(200);
  }),
  refusesHead('auth.missing-key', 'key-info', { label: 'no Authorization header' }),
  refusesHead('guardrail-read.management-key-only', 'guardrail-read', 'member'),
  noExistenceOracle,
  // The guardrail read alone goes into the opening of a run, where every request counts.
  ...refuseEverywhere(
    {
      requirement: 'auth.other-scheme',
      keeps,
      statuses: () => [401],
      requests: ({ world }, operation, good) =>
        otherSchemes
          .slice(0, operation === 'guardrail-read' ? 1 : undefined)
          .map((word) => ({ as: makeCredential(word, good, world) })),
    },
    operations,
  ),
  ...refuseEverywhere(
    {
      requirement: 'auth.oauth-session',
      keeps,
      needs: ['role:expired_session'],
      // On the guardrail read such a key has two things wrong: it is not a management key either.
      statuses: (operation) => (operation === 'guardrail-read' ? [401, 403, 404] : [401]),
      requests: () => [{ as: 'expired_session' }],
    },
    operations,
  ),
];
