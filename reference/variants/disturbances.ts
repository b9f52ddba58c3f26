import { type Answer, type Call, type Gate, makeGate, type Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { DONE } from '../mutants/vault-mutations.js';
import {
  alsoRefuse,
  closeConnection,
  countUp,
  dropGate,
  editAnswer,
  editInformation,
  everyNth,
  readAged,
  remember,
  transmitAs,
} from '../mutation.js';
import { everyday, permitted, type VariantRows } from '../variant.js';
import type { Operation } from '../vocabulary.js';
import { formatAnswer } from '../wire.js';

const VAULT: readonly Operation[] = ['vault-delete', 'vault-other'];
const EVERYWHERE = Object.keys(conforming.gates) as Operation[];

const VAULT_LIMIT: Refusal = {
  status: 429,
  message: 'Vault rate limit reached',
  headers: { 'Retry-After': '1' },
};

const BAD_GATEWAY: Refusal = { status: 502, message: 'An upstream connection was lost' };
const UNKNOWN_KEY: Refusal = { status: 401, message: 'Missing or unknown API key' };
const UNAVAILABLE: Refusal = { status: 503, message: 'The service is starting' };

const PAGE: Answer = {
  status: 502,
  headers: { 'Content-Type': 'text/html' },
  body: '<html><head><title>502 Bad Gateway</title></head><body>edge</body></html>',
};

const GATEWAY_ERROR: Answer = {
  status: 502,
  headers: { 'Content-Type': 'application/json' },
  body: { message: 'An invalid response was received from the upstream server' },
};

// As long as `run` takes at most: at the rate that a limit leaves, a run takes longer than the others.
const LIMITED_RUN_S = 240;

const SETTLING_MS = 400;
const BURST: Refusal = {
  status: 429,
  message: 'Too many requests at once',
  metadata: { error_type: 'rate_limit_exceeded' },
  headers: {
    'Retry-After': '1',
    'X-RateLimit-Limit': '15',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': '1',
  },
};

const LIMIT: Refusal = { status: 429, message: 'Too many requests' };

type Group = (call: Call) => string | undefined;
const nameWorld: Group = ({ key }) => key?.world.id;
const nameKey: Group = ({ key }) => key?.text;
const nameAll: Group = () => 'all';

/** Conforming servers of which one operation is in trouble for as long as a run takes, as the document foresees (§7). */
export const disturbancesVariants: VariantRows = markUnsteady({
  'vault-delete-down': permitted('7.1')(
    'Every vault delete gets 503, whoever asks',
    alsoRefuse('vault-delete', () => ({ status: 503, message: 'The vault is not configured' })),
  ),
  'delete-settles': permitted('7.1')(
    'A deleted secret can be deleted again for 400 ms, as where copies follow late',
    {
      ...editAnswer({ operation: 'vault-delete', status: 404, when: isDeletedLately }, () => DONE),
      removeSecret: (call, place) => {
        conforming.removeSecret(call, place);
        call.server.memory.set(nameDeletion(call), call.server.now());
      },
    },
  ),
  'values-settle': permitted('2.1')(
    'What a guardrail and a key read says may be 400 ms old, as where a cache answers',
    {
      guardrailView: (call, guardrail) =>
        readAged(call, String(guardrail.id), SETTLING_MS, () => ({ ...guardrail })),
      ...editInformation((information, { text }, call) =>
        readAged(call, text, SETTLING_MS, () => ({ ...information })),
      ),
    },
  ),
  'values-cached': permitted('2.1')('What a guardrail and a key read says may be 2 s old', {
    guardrailView: (call, guardrail) => readAged(call, String(guardrail.id), 2_000, () => ({ ...guardrail })),
    ...editInformation((information, { text }, call) =>
      readAged(call, text, 2_000, () => ({ ...information })),
    ),
  }),
  'guardrail-revalidates': permitted('2.1')(
    'A guardrail read repeats what the last one within 400 ms found: its cache is renewed after each answer',
    {
      guardrailView: (call, guardrail) => {
        const read = (agedMs: number) =>
          readAged(call, `cached ${guardrail.id}`, agedMs, () => ({ ...guardrail }));
        const cached = read(SETTLING_MS);
        read(0);
        return cached;
      },
    },
  ),
  'provisioning-key-settles': permitted('7.1')(
    'A provisioning key is taken for an ordinary one for 400 ms after it was made',
    dropGate('vault-delete', 'no-provisioning-key', isKeyNew),
  ),
  'keys-settle': permitted('5.2')(
    'A key is unknown for 400 ms after it was made',
    alsoRefuse(EVERYWHERE, (call) => (isKeyNew(call) ? UNKNOWN_KEY : undefined)),
  ),
  'noise-vault-429': everyday('7.1')(
    'Every 40th vault request meets the rate limit of the vault, with Retry-After: 1',
    alsoRefuse(VAULT, refuseEveryNth(40, VAULT_LIMIT)),
  ),
  'key-read-down': permitted('7.3')(
    'Every key read gets 503',
    alsoRefuse('key-read', () => ({ status: 503, message: 'Unavailable' })),
  ),
  'noise-502': everyday('7.3')(
    'Every 60th request gets 502, and nothing is done',
    alsoRefuse(EVERYWHERE, refuseEveryNth(60, BAD_GATEWAY)),
  ),
  'noise-503-retry-after': everyday('7.3')(
    'Every 60th request gets 503 with Retry-After: 1, and nothing is done',
    alsoRefuse(EVERYWHERE, refuseEveryNth(60, { ...UNAVAILABLE, headers: { 'Retry-After': '1' } })),
  ),
  'noise-restart': permitted('7.3')(
    'From 200 to 500 ms after the first request everything gets 503',
    alsoRefuse(EVERYWHERE, (call) => (isWithin(call, 'the first call', 200, 500) ? UNAVAILABLE : undefined)),
  ),
  'noise-vault-120-a-minute': everyday('8.3')(
    'The vault takes 120 requests a minute from one workspace',
    alsoRefuse(VAULT, beyond(120, 60_000, VAULT_LIMIT)),
  ),
  'limited-vault-of-a-workspace': permitted('8.3')(
    'The vault takes 15 requests in 2 seconds from one workspace',
    alsoRefuse(VAULT, beyond(15, 2_000, { status: 429, message: 'Vault rate limit reached' })),
    { maxTimeS: LIMITED_RUN_S },
  ),
  'noise-edge-page': everyday('8.2')(
    "Every 60th request gets an edge's page of HTML with 502",
    editAnswer({ when: everyNth(60, 'calls') }, () => PAGE),
  ),
  'noise-outage': permitted('7.3')(
    "From 1.5 to 5.5 s after the first request everything gets a gateway's page with 502",
    editAnswer({ when: (call) => isWithin(call, 'the first call', 1_500, 5_500) }, () => PAGE),
  ),
  'noise-gateway-json': permitted('8.2')(
    "Every 61st request gets a gateway's own error in JSON with 502",
    editAnswer({ when: everyNth(61, 'calls') }, () => GATEWAY_ERROR),
  ),
  'noise-connection-reset': everyday('8.2')(
    'Every 150th request loses its connection before it is answered',
    closeConnection(everyNth(150, 'answers')),
  ),
  'balancer-node-resets': permitted('8.2')(
    'A balancer takes turns between ten nodes, of which one closes every connection without an answer',
    closeConnection(everyNth(10, 'answers')),
    { maxTimeS: LIMITED_RUN_S },
  ),
  'balancer-node-unreachable': permitted('7.3')(
    'A balancer takes turns between ten nodes, and answers 502 for the one that it cannot reach',
    alsoRefuse(EVERYWHERE, refuseEveryNth(10, BAD_GATEWAY)),
    { maxTimeS: LIMITED_RUN_S },
  ),
  'noise-answer-cut-short': permitted('8.2')(
    'Every 150th answer is cut off in the middle',
    transmitAs({ when: everyNth(150, 'answers') }, (response, answer) => {
      const message = formatAnswer(answer);
      response.socket?.end(message.slice(0, message.length / 2));
    }),
  ),
  'limited-bursts-of-a-key': permitted('8.2')(
    'Beyond 15 requests for inference within a second, a key gets 429 with the headers of a platform limit',
    alsoRefuse('inference', beyond(15, 1_000, BURST, nameKey)),
  ),
  'limited-by-a-gateway': permitted('8.2')(
    "Beyond 20 requests in a fifth of a second everything gets a gateway's own 429",
    {
      ...alsoRefuse(EVERYWHERE, beyond(20, 200, LIMIT, nameAll)),
      envelope: (call, refusal) =>
        refusal === LIMIT ? { message: 'Too Many Requests' } : conforming.envelope(call, refusal),
    },
    { maxTimeS: LIMITED_RUN_S },
  ),
});

/** Lets these runs end incomplete, since a disturbance may leave requirements inconclusive. */
function markUnsteady(rows: VariantRows): VariantRows {
  return Object.fromEntries(
    Object.entries(rows).map(([id, row]) => [id, { ...row, mayEnd: 'incomplete' as const }]),
  );
}

function refuseEveryNth(nth: number, refusal: Refusal): Gate['refuse'] {
  return makeGate('fault', everyNth(nth, 'calls'), refusal).refuse;
}

/** Refuses calls beyond a limit in a window of the clock, counted for each workspace or other group. */
function beyond(limit: number, windowMs: number, refusal: Refusal, groupOf = nameWorld): Gate['refuse'] {
  return (call) => {
    const group = groupOf(call);
    if (group === undefined) return undefined;
    const window = Math.floor(call.server.now() / windowMs);
    return countUp(call, `requests of ${group} in window ${window}`) > limit ? refusal : undefined;
  };
}

/** Whether a call comes so many milliseconds after the first that was asked about under a name. */
function isWithin(call: Call, what: string, startMs: number, endMs: number): boolean {
  const { now } = call.server;
  const passed = now() - remember(call, what, now);
  return passed >= startMs && passed < endMs;
}

/** Whether the key of a call was made less than 400 ms ago, with its world. */
function isKeyNew({ server, key }: Call): boolean {
  return server.now() - Date.parse(String(key?.world.guardrail.created_at)) < SETTLING_MS;
}

const nameDeletion = ({ key, parameters }: Call): string =>
  `deletion of ${parameters.name} at ${parameters.internId} in ${key?.world.id}`;

function isDeletedLately(call: Call): boolean {
  const what = nameDeletion(call);
  return call.server.memory.has(what) && isWithin(call, what, 0, SETTLING_MS);
}
