import { type Check, check } from '../../judge/check.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Fault } from '../../spec/vocabulary.js';
import { NotShown } from '../../targets/world.js';
import { askForFault } from './ask-for-fault.js';
import { batchRefusals, type RefusalCase } from './vault-batch.js';

// §7.1: what the vault delete answers while the service is in trouble, one trouble after another.

const rateLimited: readonly RefusalCase[] = [
  { fault: 'vault_rate_limited' },
  { fault: 'vault_rate_limited', intern: 'sibling', of: 'sibling' },
];
const scopeLookup: readonly RefusalCase[] = [
  { fault: 'scope_lookup_failed' },
  { fault: 'scope_lookup_failed', intern: 'sibling', of: 'sibling' },
];
const unavailable: readonly RefusalCase[] = [
  { fault: 'vault_writes_disabled' },
  { fault: 'vault_not_configured' },
  { as: 'write_disabled', query: '?force=true' },
  { as: 'write_disabled' },
  { as: 'write_disabled' },
];

/** A trouble after which the secret may be there or gone, so that each has one of its own. */
interface LateTrouble {
  readonly fault: Fault;
  readonly status: 408 | 502 | 504;
  readonly requirement: RequirementId;
}

const late: readonly LateTrouble[] = [
  { fault: 'route_deadline', status: 408, requirement: 'vault-delete.408.timeout' },
  { fault: 'vault_unreachable', status: 502, requirement: 'vault-delete.502.unreachable' },
  { fault: 'vault_bad_response', status: 502, requirement: 'vault-delete.502.bad-response' },
  { fault: 'vault_timeout', status: 504, requirement: 'vault-delete.504.timeout' },
];
// The longest wait for an answer to a body that does not arrive; no answer by then decides nothing.
const stalledForMs = 5_000;

const over = 'vault-delete.204.deleted';

/** The troubles of §7.1. */
export const vaultTroubleBatches: readonly Check[] = [
  check('vault-delete.408.timeout/stalled-body', { control: 'vault-delete' }, async ({ world, api }) => {
    const call = api.deleteSecret({ name: await world.store('own') });
    const exchange = await call.sendStalled(stalledForMs);
    if (exchange.answer === undefined) throw new NotShown(`${exchange.lost}, which decides nothing`);
    if ([204, 400].includes(exchange.answer.status))
      throw new NotShown('the target ignores or refuses bodies');
    call.judges({ ...exchange, answer: exchange.answer }, 'vault-delete.408.timeout', {
      holds: exchange.answer.status === 408,
      expected: '408 (400 or 204 where bodies are refused or ignored)',
      actual: String(exchange.answer.status),
    });
  }),
  batchRefusals('vault-delete.500.keeps/chain', [
    { keeps: 'vault-delete.429.keeps', cases: rateLimited },
    { keeps: 'vault-delete.500.keeps', cases: scopeLookup },
  ]),
  // Beside no other: a server that deletes in spite of its 429 would answer the next request otherwise.
  batchRefusals('vault-delete.429.keeps/chain', [
    { keeps: 'vault-delete.429.keeps', cases: [{ fault: 'vault_rate_limited', query: '?force=true' }] },
  ]),
  batchRefusals('vault-delete.503.keeps/chain', [{ keeps: 'vault-delete.503.keeps', cases: unavailable }]),
  check(
    'vault-delete.408.timeout/chain',
    {
      control: 'vault-delete',
      decidesAny: true,
      also: [...late.slice(1).map(({ requirement }) => requirement), over],
      shows: (offers) =>
        late.filter(({ fault }) => offers(`fault:${fault}`)).map(({ requirement }) => requirement),
    },
    async ({ world, api, offers }) => {
      const offered = late.filter(({ fault }) => offers(`fault:${fault}`));
      const chain = offered.map(({ fault }) => fault);
      for (const { fault, status, requirement } of offered) {
        const name = await world.store('own');
        await askForFault(world, fault, chain);
        await api.deleteSecret({ name }).answers(status, { requirement, goesOn: true });
      }
      await world.setFaults();
      await api
        .deleteSecret({ name: await world.store('own') })
        .answers(204, { requirement: over, because: 'the trouble is over' });
    },
  ),
];
