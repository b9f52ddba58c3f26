import type { Refusal } from '../answer.js';
import type { Variant } from '../variant.js';
import type { Operation } from '../vocabulary.js';
import { alsoRefused } from './gate-order.js';

const mayEnd = 'incomplete';

/** Conforming servers of which one operation is in trouble for as long as a run takes, as the document foresees (§7). */
export const downVariants: readonly Variant[] = [
  {
    id: 'vault-delete-down',
    section: '7.1',
    description: 'Every vault delete gets 503, whoever asks',
    override: down('vault-delete', { status: 503, message: 'The vault is not configured' }),
    mayEnd,
  },
  {
    id: 'vault-delete-down-with-a-key',
    section: '7.1',
    description: 'Every vault delete by a known key gets 502',
    override: alsoRefused(['vault-delete'], 'fault', ({ key }) =>
      key === undefined ? undefined : { status: 502, message: 'The vault cannot be reached' },
    ),
    mayEnd,
  },
  {
    id: 'guardrail-read-down',
    section: '7.2',
    description: 'Every guardrail read gets 500',
    override: down('guardrail-read', { status: 500, message: 'Internal error' }),
    mayEnd,
  },
  {
    id: 'key-read-down',
    section: '7.3',
    description: 'Every key read gets 503',
    override: down('key-read', { status: 503, message: 'Unavailable' }),
    mayEnd,
  },
];

function down(operation: Operation, refusal: Refusal): Variant['override'] {
  return alsoRefused([operation], 'fault', () => refusal);
}
