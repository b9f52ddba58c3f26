import type { Answer, Call, Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { counted, type Override } from '../mutation.js';
import { makeVariants, type Variant } from '../variant.js';
import type { Operation } from '../vocabulary.js';
import { rawAnswer } from '../wire.js';
import { alsoRefused } from './gate-order.js';

const unsteady = { mayEnd: 'incomplete' } as const;
const MINUTE_MS = 60_000;
const VAULT: readonly Operation[] = ['vault-delete', 'vault-other'];
const EVERYWHERE = Object.keys(conforming.gates) as Operation[];

const VAULT_LIMIT: Refusal = {
  status: 429,
  message: 'Vault rate limit reached',
  headers: { 'Retry-After': '1' },
};
const BAD_GATEWAY: Refusal = { status: 502, message: 'An upstream connection was lost' };
const UNAVAILABLE: Refusal = { status: 503, message: 'The service is starting' };
const PAGE: Answer = {
  status: 502,
  headers: { 'Content-Type': 'text/html' },
  body: '<html><head><title>502 Bad Gateway</title></head><body>edge</body></html>',
};

/** Conforming servers in a network that disturbs a run now and then, which accuses nobody. Control calls are spared. */
export const noiseVariants: readonly Variant[] = [
  ...makeVariants(
    '7.1',
    {
      'noise-vault-429': {
        everyday: 'Every 40th vault request meets the rate limit of the vault, with Retry-After: 1',
        override: alsoRefused(VAULT, 'fault', everyNth(40, VAULT_LIMIT)),
      },
    },
    unsteady,
  ),
  ...makeVariants(
    '8.3',
    {
      'noise-vault-120-a-minute': {
        everyday: 'The vault takes 120 requests a minute from one workspace',
        override: alsoRefused(VAULT, 'fault', beyond(120)),
      },
      'noise-vault-60-a-minute': {
        description: 'The vault takes 60 requests a minute from one workspace',
        override: alsoRefused(VAULT, 'fault', beyond(60)),
      },
    },
    unsteady,
  ),
  ...makeVariants(
    '7.3',
    {
      'noise-502': {
        everyday: 'Every 60th request gets 502, and nothing is done',
        override: alsoRefused(EVERYWHERE, 'fault', everyNth(60, BAD_GATEWAY)),
      },
      'noise-502-too-late': {
        description: 'Every 60th request gets 502 after what it asks for was done',
        override: doneAndAnswered((call) => call.behaviour.refuse(call, BAD_GATEWAY)),
      },
      'noise-503': {
        description: 'Every 60th request gets 503, and nothing is done',
        override: alsoRefused(EVERYWHERE, 'fault', everyNth(60, UNAVAILABLE)),
      },
      'noise-503-retry-after': {
        everyday: 'Every 60th request gets 503 with Retry-After: 1, and nothing is done',
        override: alsoRefused(
          EVERYWHERE,
          'fault',
          everyNth(60, { ...UNAVAILABLE, headers: { 'Retry-After': '1' } }),
        ),
      },
      'noise-restart': {
        description: 'From 200 to 500 ms after the first request everything gets 503',
        override: alsoRefused(EVERYWHERE, 'fault', between(200, 500)),
      },
      'noise-slow-start': {
        description: 'For 300 ms after the first request everything gets 503',
        override: alsoRefused(EVERYWHERE, 'fault', between(0, 300)),
      },
    },
    unsteady,
  ),
  ...makeVariants(
    '8.2',
    {
      'noise-edge-page': {
        everyday: "Every 60th request gets an edge's page of HTML with 502",
        override: doneAndAnswered(() => PAGE),
      },
      'noise-connection-reset': {
        everyday: 'Every 150th request loses its connection before it is answered',
        override: {
          transmit: (response, answer, call) => {
            if (counted(call, 'answers') % 150 === 0) response.destroy();
            else return conforming.transmit(response, answer, call);
          },
        },
      },
      'noise-answer-cut-short': {
        description: 'Every 150th answer is cut off in the middle',
        override: {
          transmit: (response, answer, call) => {
            if (counted(call, 'answers') % 150 !== 0) return conforming.transmit(response, answer, call);
            const message = rawAnswer(answer);
            response.socket?.end(message.slice(0, message.length / 2));
          },
        },
      },
    },
    unsteady,
  ),
];

/** Every so many calls are refused. */
function everyNth(nth: number, refusal: Refusal): (call: Call) => Refusal | undefined {
  return (call) => (counted(call, 'calls') % nth === 0 ? refusal : undefined);
}

/** Every 60th call is done, and answered with something else. */
function doneAndAnswered(instead: (call: Call) => Answer): Override {
  return { answer: (answer, call) => (counted(call, 'calls') % 60 === 0 ? instead(call) : answer) };
}

/** Calls of one world beyond so many in a minute of the clock are refused. */
function beyond(limit: number): (call: Call) => Refusal | undefined {
  return (call) => {
    if (call.key === undefined) return undefined;
    const minute = Math.floor(call.server.now() / MINUTE_MS);
    const used = counted(call, `vault requests of ${call.key.world.id} in ${minute}`);
    return used > limit ? VAULT_LIMIT : undefined;
  };
}

/** Calls are refused for a while. Both ends are in milliseconds after the first call. */
function between(startMs: number, endMs: number): (call: Call) => Refusal | undefined {
  return ({ server }) => {
    const known = server.memory.get('the first call');
    const first = typeof known === 'number' ? known : server.now();
    server.memory.set('the first call', first);
    const passed = server.now() - first;
    return passed >= startMs && passed < endMs ? UNAVAILABLE : undefined;
  };
}
