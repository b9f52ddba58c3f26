import { plainRequests } from '../judge/call.js';
import { type Check, check } from '../judge/check.js';
import { runDuringFaults } from './requests.js';

// A plain request is served while other operations are in trouble.

const faultsOfVault = ['vault_unreachable', 'vault_not_configured', 'vault_timeout'] as const;
const faultsOfOthers = [
  ['key-info', [...faultsOfVault, 'guardrail_internal_error', 'model_down']],
  ['guardrail-read', [...faultsOfVault, 'model_down']],
  ['vault-delete', ['model_down', 'guardrail_internal_error']],
  ['inference', [...faultsOfVault, 'guardrail_internal_error']],
] as const;

export const plainRequestChecks: readonly Check[] = faultsOfOthers.map(([operation, faults]) => {
  const { requirement, success } = plainRequests[operation];
  return check(`${requirement}/during-faults`, { needs: [`fault:${faults[0]}`] }, (context) =>
    runDuringFaults(context, faults, async (fault) => {
      const because = `${fault} is a fault of another operation`;
      const call = await context.api.makePlain(operation);
      await call.expectStatus(success, { because, continueOnFailure: true });
    }),
  );
});
