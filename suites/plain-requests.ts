import { plainRequests } from '../judge/call.js';
import { type Check, check } from '../judge/check.js';
import type { Fault, Operation } from '../spec/vocabulary.js';
import { runDuringFaults } from './requests.js';

// A plain request is served while other operations are in trouble.

const operations: readonly Operation[] = ['key-info', 'guardrail-read', 'vault-delete', 'inference'];
const faultsOfVault = ['vault_unreachable', 'vault_not_configured', 'vault_timeout'] as const;
const faultsOfOthers: Readonly<Record<Operation, readonly [Fault, ...Fault[]]>> = {
  'vault-delete': ['model_down', 'guardrail_internal_error'],
  'guardrail-read': [...faultsOfVault, 'model_down'],
  'key-info': [...faultsOfVault, 'guardrail_internal_error', 'model_down'],
  inference: [...faultsOfVault, 'guardrail_internal_error'],
};

function serveDuringFaults(operation: Operation): Check {
  const { requirement, success } = plainRequests[operation];
  const faults = faultsOfOthers[operation];
  return check(`${requirement}/during-faults`, { needs: [`fault:${faults[0]}`] }, (context) =>
    runDuringFaults(context, faults, async (fault) => {
      const because = `${fault} is a fault of another operation`;
      const call = await context.api.makePlain(operation);
      await call.expectStatus(success, { because, continueOnFailure: true });
    }),
  );
}

export const plainRequestChecks: readonly Check[] = operations.map(serveDuringFaults);
