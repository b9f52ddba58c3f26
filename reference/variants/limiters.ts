import type { Call, Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { counted } from '../mutation.js';
import { makeVariants, type Variant } from '../variant.js';
import type { Operation } from '../vocabulary.js';
import { alsoRefused } from './gate-order.js';

// As long as `run` takes at most: at the rate that the limit leaves, a run takes longer than the others.
const unsteady = { mayEnd: 'incomplete', maxTimeS: 240 } as const;
const RATE = 100;
const BURST = 20;
const VAULT_REQUESTS = 15;
const VAULT_WINDOW_MS = 2_000;
const EVERYWHERE = Object.keys(conforming.gates) as Operation[];

const LIMIT: Refusal = { status: 429, message: 'Too many requests' };
const VAULT_LIMIT: Refusal = { status: 429, message: 'Vault rate limit reached' };

/** Conforming servers behind a rate limit, which refuses whatever is beyond it. Control calls are spared. */
export const limiterVariants: readonly Variant[] = [
  ...makeVariants(
    '8.2',
    {
      'limited-to-100-a-second': {
        description: 'Beyond 100 requests a second, and 20 at once, everything gets 429 in the envelope',
        override: alsoRefused(EVERYWHERE, 'fault', beyondBucket),
      },
      'limited-by-a-gateway': {
        description: "Beyond 100 requests a second, and 20 at once, everything gets a gateway's own 429",
        override: {
          ...alsoRefused(EVERYWHERE, 'fault', beyondBucket),
          envelope: (call, refusal) =>
            refusal === LIMIT ? { message: 'Too Many Requests' } : conforming.envelope(call, refusal),
        },
      },
    },
    unsteady,
  ),
  ...makeVariants(
    '8.3',
    {
      'limited-vault-of-a-workspace': {
        description: 'The vault takes 15 requests in 2 seconds from one workspace',
        override: alsoRefused(['vault-delete', 'vault-other'], 'fault', beyondWindow),
      },
    },
    unsteady,
  ),
];

interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

/** Calls for which the token bucket of the server is empty are refused. */
function beyondBucket({ server: { memory, now: clock } }: Call): Refusal | undefined {
  const now = clock();
  const { tokens, at } = (memory.get('the bucket') ?? { tokens: BURST, at: now }) as Bucket;
  const left = Math.min(BURST, tokens + ((now - at) / 1_000) * RATE);
  memory.set('the bucket', { tokens: left < 1 ? left : left - 1, at: now } satisfies Bucket);
  return left < 1 ? LIMIT : undefined;
}

/** Calls of one workspace beyond so many in a window of the clock are refused. */
function beyondWindow(call: Call): Refusal | undefined {
  if (call.key === undefined) return undefined;
  const window = Math.floor(call.server.now() / VAULT_WINDOW_MS);
  const used = counted(call, `vault requests of ${call.key.world.id} in window ${window}`);
  return used > VAULT_REQUESTS ? VAULT_LIMIT : undefined;
}
