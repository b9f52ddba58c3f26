import type { CheckContext } from '../judge/api.js';
import { type AllowedAnswer, plainRequests } from '../judge/call.js';
import { type Check, check } from '../judge/check.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Fault, Operation } from '../spec/vocabulary.js';
import type { WireForm } from '../targets/exchange.js';
import { makePlainCall, runDuringFaults } from './requests.js';

// A plain request is served while other operations are in trouble, and in other forms that HTTP allows (RFC 9112).

const operations: readonly Operation[] = ['key-info', 'guardrail-read', 'vault-delete', 'inference'];

const missingKey: Readonly<Record<Operation, RequirementId>> = {
  'vault-delete': 'vault-delete.401.missing-key',
  'guardrail-read': 'guardrail-read.401.missing-key',
  'key-info': 'auth.missing-key',
  inference: 'auth.missing-key',
};

const faultsOfOthers: Readonly<Record<Operation, readonly [Fault, ...Fault[]]>> = {
  'vault-delete': ['model_down', 'guardrail_internal_error'],
  'guardrail-read': ['vault_unreachable', 'model_down'],
  'key-info': ['vault_unreachable', 'guardrail_internal_error', 'model_down'],
  inference: ['vault_unreachable', 'guardrail_internal_error'],
};

/** Statuses by which a server, or a firewall before it, may say that it does not accept a form. */
const refusalsOfForms: Readonly<Record<WireForm, readonly number[]>> = {
  'http-1.0': [400, 426, 505],
  'without-user-agent': [403],
};

/** Stores a secret if the operation deletes one, and returns its name. */
async function storeFor(operation: Operation, { world }: CheckContext): Promise<string> {
  return operation === 'vault-delete' ? world.store('own') : '';
}

function successOf(operation: Operation): 200 | 204 {
  return operation === 'vault-delete' ? 204 : 200;
}

/** Checks that an operation is served while faults of others are set. */
function serveDuringFaults(operation: Operation): Check {
  const { requirement } = plainRequests[operation];
  const faults = faultsOfOthers[operation];
  const needs = [`fault:${faults[0]}`] as const;
  return check(`${requirement}/during-faults`, { control: operation, needs }, (context) =>
    runDuringFaults(context, faults, async (fault) => {
      const name = await storeFor(operation, context);
      const because = `${fault} is a fault of another operation`;
      await makePlainCall(operation, context.api, name).expectStatus(successOf(operation), {
        because,
        continueOnFailure: true,
      });
    }),
  );
}

/** Checks that an operation is served, and a caller without a key refused, if the request has another form. */
function serveForm(operation: Operation, form: WireForm): Check {
  const { requirement } = plainRequests[operation];
  const refused = missingKey[operation];
  const id = `${requirement}/${form.replace('.', '-')}` as const;
  return check(id, { control: operation, also: [refused] }, async (context) => {
    const name = await storeFor(operation, context);
    // A firewall may refuse such a form.
    const options = { form, reaches: 'perhaps' } as const;
    const withoutKey = { ...options, as: { label: 'no Authorization header' } };
    await makePlainCall(operation, context.api, name, withoutKey).expectAnyRefusal({ requirement: refused });
    const success = [successOf(operation), { requirement }] as const;
    const refusals = refusalsOfForms[form].map((status) => [status, { requirement, isOpen: true }] as const);
    await makePlainCall(operation, context.api, name, options).expectOneOf({
      allowed: new Map<number, AllowedAnswer>([success, ...refusals]),
      due: { requirement, because: 'it is served in its usual form' },
      maySucceed: true,
    });
  });
}

/** Plain requests while other operations are in trouble, and in other forms. */
export const plainRequestChecks: readonly Check[] = [
  ...operations.map(serveDuringFaults),
  ...operations.map((operation) => serveForm(operation, 'http-1.0')),
  ...operations.map((operation) => serveForm(operation, 'without-user-agent')),
];
