import { type Answer, JSON_MEDIA_TYPE } from '../answer.js';
import type { Call } from '../call.js';
import type { Mutant, Override } from '../mutant.js';
import { answers } from '../override.js';
import type { Operation } from '../vocabulary.js';
import { DONE } from './vault-delete-builders.js';

/** Mutants of which an operation never succeeds, and that are more than a service that is down (§4, §7). */
export const neverSucceedsMutants: readonly Mutant[] = [
  {
    id: 'vault-delete.known-keys-404',
    section: '7.1',
    turnsRed: ['vault-delete.204.deleted'],
    description: 'Every delete by a known key is refused with 404',
    hardness: 'plain',
    override: failsForKeys('vault-delete', 404),
  },
  {
    id: 'key-info.known-keys-redirected',
    section: '4.3',
    turnsRed: ['key-info.200.read', 'key-info.status-documented'],
    description: 'Every read by a known key is redirected to a page for signing in',
    hardness: 'plain',
    override: answers({ operation: 'key-read', when: ({ key }) => key !== undefined }, () => ({
      status: 302,
      headers: { Location: '/login' },
    })),
  },
  {
    id: 'guardrail-read.down-504',
    section: '7.2',
    turnsRed: ['guardrail-read.status-documented', 'guardrail-read.200.read'],
    description: 'Every read by a known key gets 504, which the document does not give for it',
    hardness: 'plain',
    override: failsForKeys('guardrail-read', 504),
  },
  {
    id: 'envelope.vault-down-without-envelope',
    section: '2.4',
    turnsRed: ['envelope.error', 'vault-delete.204.deleted'],
    description: 'The vault is down, and its 503 is no envelope',
    hardness: 'plain',
    override: failsForKeys('vault-delete', 503, () => ({ message: 'Service Unavailable' })),
  },
  {
    id: 'secrecy.vault-down-tells-values',
    section: '1',
    turnsRed: ['secrecy.body'],
    description: 'The vault is down, and its 503 holds the values that are stored for the intern',
    hardness: 'plain',
    override: failsForKeys('vault-delete', 503, ({ key }) => ({
      error: { code: 503, message: `Not deleted: ${[...(key?.world.secrets.own.values() ?? [])].join(' ')}` },
    })),
  },
  {
    id: 'vault-delete.down-but-not-without-key',
    section: '7.1',
    turnsRed: ['vault-delete.401.missing-key'],
    description: 'The vault is down for those with a key, and a delete without one is answered 204',
    hardness: 'plain',
    override: answers({ operation: 'vault-delete' }, (_answer, { key, headers }) =>
      key === undefined && headers.authorization === undefined ? DONE : failure(503),
    ),
  },
  {
    id: 'inference.free-model-503',
    section: '1',
    turnsRed: ['inference.routed'],
    description: 'Free models get 503 although paid ones are served',
    hardness: 'plain',
    override: answers(
      {
        operation: 'inference',
        status: 200,
        when: ({ inference }) => inference?.model.endsWith(':free') === true,
      },
      () => failure(503),
    ),
  },
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
