import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { gate, noGate } from '../mutation.js';
import { withQuery } from './vault-delete-builders.js';

/** Mutants of the two reads that are wrong only where two circumstances meet (§4.2, §7.2, §7.3). */
export const readPairMutants: readonly Mutant[] = [
  ...makeMutants('7.2', ['guardrail-read.404.other-workspace'], {
    'guardrail-read.other-workspace-served-by-upper-case-id': {
      subtle: 'A management key reads the guardrail of another workspace if its id is in upper case',
      override: {
        findGuardrail: (call) => {
          const own = conforming.findGuardrail(call);
          const id = call.parameters.id ?? '';
          if (own !== undefined || !/[A-F]/.test(id)) return own;
          const worlds = [...call.server.store.worlds()];
          return worlds.find(({ guardrailId }) => guardrailId === id.toLowerCase())?.guardrail;
        },
      },
    },
  }),
  ...makeMutants('4.2', ['guardrail-read.management-key-only'], {
    'guardrail-read.ordinary-key-served-with-query': {
      subtle: 'A key that is no management key reads the guardrail if the request has a query string',
      override: noGate('guardrail-read', 'management-key', withQuery),
    },
    'guardrail-read.ordinary-key-served-by-upper-case-id': {
      subtle: 'A key that is no management key reads the guardrail if the id is in upper case',
      override: noGate('guardrail-read', 'management-key', ({ parameters }) =>
        /[A-F]/.test(parameters.id ?? ''),
      ),
    },
  }),
  ...makeMutants('7.2', ['guardrail-read.500.internal'], {
    'guardrail-read.internal-error-with-query-404': {
      subtle: 'An internal error gets 404 if the request has a query string',
      override: gate('guardrail-read', 'fault', (call, original) => {
        const refusal = original(call);
        return refusal !== undefined && withQuery(call) ? { ...refusal, status: 404 } : refusal;
      }),
    },
  }),
  ...makeMutants('7.3', ['auth.disabled-key'], {
    'auth.disabled-key-reads-key-with-query': {
      subtle:
        'A disabled key may read its limits if the request has a query string, which passes by the cache',
      override: noGate('key-read', 'key-enabled', withQuery),
    },
  }),
];
