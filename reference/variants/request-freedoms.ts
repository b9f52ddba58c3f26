import { setTimeout as wait } from 'node:timers/promises';
import type { Call, Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { gate } from '../mutation.js';
import { makeVariants, type Variant } from '../variant.js';
import type { Operation } from '../vocabulary.js';
import { alsoRefused } from './gate-order.js';

const DOCUMENTED: readonly Operation[] = ['vault-delete', 'guardrail-read', 'key-read'];
const READS: readonly Operation[] = ['guardrail-read', 'key-read'];

/** Variants that refuse or ignore what a request need not have: a query, a body, an origin (§7.1, §7.3). */
export const requestVariants: readonly Variant[] = [
  ...makeVariants('7.1', {
    'query-refused': {
      everyday: 'Any query string, an empty one too, is refused with 400, on the delete and on the reads',
      override: alsoRefused(DOCUMENTED, 'request-body', ({ path }) =>
        path.includes('?') ? malformed('This route takes no query') : undefined,
      ),
    },
  }),
  ...makeVariants('4.3', {
    'query-refused-on-reads': {
      description: 'A query string is refused with 400 on the reads and ignored on the delete',
      override: alsoRefused(READS, 'request-body', ({ path }) =>
        /\?./.test(path) ? malformed('This route takes no query') : undefined,
      ),
    },
  }),
  ...makeVariants('4.1', {
    'body-refused': {
      everyday: 'Any body, a stalled one too, is refused with 400, on the delete and on the reads',
      override: alsoRefused(DOCUMENTED, 'request-body', (call) =>
        announcesBody(call) ? malformed('This route takes no body') : undefined,
      ),
    },
    'body-refused-on-delete': {
      description: 'Any body that arrives is refused with 400 on the delete and ignored on the reads',
      override: gate('vault-delete', 'request-body', (call, original) =>
        call.body.state === 'complete' ? malformed('This route takes no body') : original(call),
      ),
    },
    'announced-body-refused': {
      description: 'A Content-Type without a body is refused with 400, on the delete and on the reads',
      override: alsoRefused(DOCUMENTED, 'request-body', (call) =>
        call.body.state === 'none' && call.headers['content-type'] !== undefined
          ? malformed('The body is missing')
          : undefined,
      ),
    },
    'rewriting-headers-refused': {
      description: 'X-Original-URL and X-Rewrite-URL are refused with 400, on the delete and on the reads',
      override: alsoRefused(DOCUMENTED, 'request-body', ({ headers }) =>
        (headers['x-original-url'] ?? headers['x-rewrite-url']) === undefined
          ? undefined
          : malformed('This header is not allowed'),
      ),
    },
    'bodies-ignored': {
      description: 'Bodies are ignored, malformed and stalled ones too',
      override: gate('vault-delete', 'request-body', () => undefined),
    },
  }),
  ...makeVariants('7.1', {
    'malformed-json-ignored': {
      everyday: 'A body that is no JSON is ignored; a stalled one gets 408',
      override: gate('vault-delete', 'request-body', (call, original) =>
        call.body.state === 'stalled' ? original(call) : undefined,
      ),
    },
    'stalled-body-refused': {
      everyday: 'A stalled body is refused with 400',
      override: gate('vault-delete', 'request-body', (call, original) =>
        call.body.state === 'stalled' ? malformed('The body is not whole') : original(call),
      ),
    },
  }),
  ...makeVariants('8.3', {
    'stalled-body-answered-late': {
      description: 'A stalled body gets its 408 after 6 s: the deadline is not shown',
      override: {
        transmit: async (response, answer, call) => {
          if (call.body.state === 'stalled') await wait(6_000, undefined, { ref: false });
          await conforming.transmit(response, answer, call);
        },
      },
    },
  }),
  ...makeVariants('7.3', {
    'origin-refused': {
      everyday: 'A request with an Origin is blocked by CORS with 400, on every route',
      override: alsoRefused([...DOCUMENTED, 'inference', 'vault-other'], 'request-body', ({ headers }) =>
        headers.origin === undefined ? undefined : malformed('This origin is not allowed'),
      ),
    },
    'origin-allowed': {
      description: 'Any origin is allowed, with the headers of CORS, and OPTIONS gets 204 everywhere',
      override: {
        effects: {
          ...conforming.effects,
          'wrong-method': (call) => preflight(call) ?? conforming.effects['wrong-method'](call),
          'no-route': (call) => preflight(call) ?? conforming.effects['no-route'](call),
        },
        answer: (answer) => ({
          ...answer,
          headers: {
            ...answer.headers,
            'Access-Control-Allow-Origin': '*',
            'Access-Control-Expose-Headers': 'X-RateLimit-Limit, Retry-After',
          },
        }),
      },
    },
  }),
];

function malformed(message: string): Refusal {
  return { status: 400, message };
}

function announcesBody({ headers }: Call): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function preflight({ method }: Call) {
  return method === 'OPTIONS' ? { status: 204, headers: { Allow: 'GET, POST, DELETE' } } : undefined;
}
