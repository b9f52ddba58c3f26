import { type Answer, type Call, JSON_MEDIA_TYPE } from '../behaviour.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { answers, type Override } from '../mutation.js';
import type { Operation } from '../vocabulary.js';
import { DONE } from './vault-delete-builders.js';

/** Mutants of which an operation never succeeds, and that are more than a service that is down (§4, §7). */
export const neverSucceedsMutants: readonly Mutant[] = [
  ...makeMutants('7.1', ['vault-delete.204.deleted'], {
    'vault-delete.known-keys-404': {
      plain: 'Every delete by a known key is refused with 404',
      override: failsForKeys('vault-delete', 404),
    },
  }),
  ...makeMutants('4.3', ['key-info.200.read', 'key-info.status-documented'], {
    'key-info.known-keys-redirected': {
      plain: 'Every read by a known key is redirected to a page for signing in',
      override: answers({ operation: 'key-read', when: ({ key }) => key !== undefined }, () => ({
        status: 302,
        headers: { Location: '/login' },
      })),
    },
  }),
  ...makeMutants('7.2', ['guardrail-read.status-documented', 'guardrail-read.200.read'], {
    'guardrail-read.down-504': {
      plain: 'Every read by a known key gets 504, which the document does not give for it',
      override: failsForKeys('guardrail-read', 504),
    },
  }),
  ...makeMutants('2.4', ['envelope.error', 'vault-delete.204.deleted'], {
    'envelope.vault-down-without-envelope': {
      plain: 'The vault is down, and its 503 is no envelope',
      override: failsForKeys('vault-delete', 503, () => ({ message: 'Service Unavailable' })),
    },
  }),
  ...makeMutants('1', ['secrecy.body'], {
    'secrecy.vault-down-tells-values': {
      plain: 'The vault is down, and its 503 holds the values that are stored for the intern',
      override: failsForKeys('vault-delete', 503, ({ key }) => ({
        error: {
          code: 503,
          message: `Not deleted: ${[...(key?.world.secrets.own.values() ?? [])].join(' ')}`,
        },
      })),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.401.missing-key'], {
    'vault-delete.down-but-not-without-key': {
      plain: 'The vault is down for those with a key, and a delete without one is answered 204',
      override: answers({ operation: 'vault-delete' }, (_answer, { key, headers }) =>
        key === undefined && headers.authorization === undefined ? DONE : failure(503),
      ),
    },
  }),
  ...makeMutants('1', ['inference.routed'], {
    'inference.free-model-503': {
      plain: 'Free models get 503 although paid ones are served',
      override: answers(
        {
          operation: 'inference',
          status: 200,
          when: ({ inference }) => inference?.model.endsWith(':free') === true,
        },
        () => failure(503),
      ),
    },
  }),
];

/** Whatever is asked by a known key gets a status, with a body of its own or in the envelope. */
function failsForKeys(operation: Operation, status: number, body?: (call: Call) => Answer['body']): Override {
  return answers({ operation, when: ({ key }) => key !== undefined }, (_answer, call) => ({
    ...failure(status),
    ...(body === undefined ? {} : { body: body(call) }),
  }));
}

function failure(status: number): Answer {
  return {
    status,
    headers: { 'Content-Type': JSON_MEDIA_TYPE },
    body: { error: { code: status, message: 'This request is not served' } },
  };
}
