import type { Api, CheckContext, RequestOptions } from '../judge/api.js';
import type { Call } from '../judge/call.js';
import { type Check, check } from '../judge/check.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import type { Operation, Role } from '../spec/vocabulary.js';

// What holds of every operation alike.

/** What the plain request of an operation needs, and the role whose key it is meant for. */
const plain: Readonly<Record<Operation, { readonly needs: readonly Need[]; readonly good: Role }>> = {
  'guardrail-read': { needs: ['guardrail', 'role:management'], good: 'management' },
  'key-info': { needs: ['role:member'], good: 'member' },
  inference: { needs: ['inference', 'role:member'], good: 'member' },
  'vault-delete': { needs: ['store', 'role:member'], good: 'member' },
};

/** The plain request of an operation; of a delete the name of a stored secret is given. */
function callPlainly(operation: Operation, api: Api, options: RequestOptions, name: string): Call {
  switch (operation) {
    case 'vault-delete':
      return api.deleteSecret({ ...options, name });
    case 'guardrail-read':
      return api.readGuardrail(options);
    case 'key-info':
      return api.readKey(options);
    case 'inference':
      return api.infer(options);
  }
}

/** A refusal that a requirement states for every operation. */
interface Refusal {
  readonly requirement: RequirementId;
  /** The row that says that a delete refused so keeps the secret. */
  readonly keeps: RequirementId;
  readonly needs?: readonly Need[];
  readonly because?: string;
  /** What may refuse it. */
  readonly statuses: (operation: Operation) => readonly number[];
  readonly requests: (context: CheckContext, operation: Operation, good: Role) => readonly RequestOptions[];
}

/** Checks that each operation refuses some requests, and still serves the plain one. */
export function refuseEverywhere(
  { requirement, keeps, needs = [], because, statuses, requests }: Refusal,
  operations: readonly Operation[],
): readonly Check[] {
  return operations.map((operation) => {
    const isVault = operation === 'vault-delete';
    const { needs: own, good } = plain[operation];
    return check(
      `${requirement}/${operation}`,
      { control: operation, needs: [...own, ...needs], also: isVault ? [keeps] : [] },
      async (context) => {
        const { world, api } = context;
        const name = isVault ? await world.store('own') : '';
        for (const options of requests(context, operation, good))
          await callPlainly(operation, api, options, name).expectStatus(
            statuses(operation),
            because === undefined ? {} : { because },
          );
        if (isVault) await api.stillStored({ name }, keeps);
        else await callPlainly(operation, api, {}, name).expectControl(200);
      },
    );
  });
}
