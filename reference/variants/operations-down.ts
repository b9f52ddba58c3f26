import type { Refusal } from '../behaviour.js';
import { makeVariants, type Variant } from '../variant.js';
import type { Operation } from '../vocabulary.js';
import { alsoRefused } from './gate-order.js';

const unsteady = { mayEnd: 'incomplete' } as const;

/** Conforming servers of which one operation is in trouble for as long as a run takes, as the document foresees (§7). */
export const downVariants: readonly Variant[] = [
  ...makeVariants(
    '7.1',
    {
      'vault-delete-down': {
        description: 'Every vault delete gets 503, whoever asks',
        override: down('vault-delete', { status: 503, message: 'The vault is not configured' }),
      },
      'vault-delete-down-with-a-key': {
        description: 'Every vault delete by a known key gets 502',
        override: alsoRefused(['vault-delete'], 'fault', ({ key }) =>
          key === undefined ? undefined : { status: 502, message: 'The vault cannot be reached' },
        ),
      },
    },
    unsteady,
  ),
  ...makeVariants(
    '7.2',
    {
      'guardrail-read-down': {
        description: 'Every guardrail read gets 500',
        override: down('guardrail-read', { status: 500, message: 'Internal error' }),
      },
    },
    unsteady,
  ),
  ...makeVariants(
    '7.3',
    {
      'key-read-down': {
        description: 'Every key read gets 503',
        override: down('key-read', { status: 503, message: 'Unavailable' }),
      },
    },
    unsteady,
  ),
];

function down(operation: Operation, refusal: Refusal): Variant['override'] {
  return alsoRefused([operation], 'fault', () => refusal);
}
