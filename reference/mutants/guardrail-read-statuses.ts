import type { Call } from '../behaviour.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { answers, fault, noGate, restatused } from '../mutation.js';
import { announcesBody, hasQuery, isAnonymous, refusedReads } from './refused-reads.js';

/** Mutants of the area guardrail-read: a key, a fault, a query or a body is answered as §4.2 and §7.2 do not allow. */
export const guardrailReadStatusMutants: readonly Mutant[] = [
  ...makeMutants('7.2', ['guardrail-read.401.missing-key'], {
    'guardrail-read.missing-key-403': {
      everydayPlain: 'A read without authentication gets 403',
      override: restatused({ operation: 'guardrail-read', status: 401, when: isAnonymous }, 403),
    },
    'guardrail-read.missing-key-404': {
      plain: 'A read without authentication gets 404',
      override: restatused({ operation: 'guardrail-read', status: 401, when: isAnonymous }, 404),
    },
    'guardrail-read.missing-key-400': {
      plain: 'A read without authentication gets 400',
      override: restatused({ operation: 'guardrail-read', status: 401, when: isAnonymous }, 400),
    },
    'guardrail-read.missing-key-500': {
      plain: 'A read without authentication gets 500',
      override: restatused({ operation: 'guardrail-read', status: 401, when: isAnonymous }, 500),
    },
  }),
  ...makeMutants('4.2', ['guardrail-read.management-key-only'], {
    'guardrail-read.ordinary-key-served': {
      everydayPlain: 'A key that is no management key reads the guardrail',
      override: noGate('guardrail-read', 'management-key', isOrdinary),
    },
    'guardrail-read.ordinary-key-400': {
      plain: 'A key that is no management key gets 400',
      override: restatused({ operation: 'guardrail-read', status: 403, when: isOrdinary }, 400),
    },
    'guardrail-read.ordinary-key-500': {
      plain: 'A key that is no management key gets 500',
      override: restatused({ operation: 'guardrail-read', status: 403, when: isOrdinary }, 500),
    },
  }),
  ...makeMutants('7.2', ['guardrail-read.500.internal'], {
    'guardrail-read.internal-error-502': {
      everydayPlain: 'An internal error gets 502',
      override: fault('guardrail_internal_error', { status: 502 }),
    },
    'guardrail-read.internal-error-503': {
      plain: 'An internal error gets 503',
      override: fault('guardrail_internal_error', { status: 503 }),
    },
    'guardrail-read.internal-error-404': {
      plain: 'An internal error gets 404',
      override: fault('guardrail_internal_error', { status: 404 }),
    },
    'guardrail-read.internal-error-200': {
      plain: 'An internal error gets 200 and a guardrail without fields',
      override: answers({ operation: 'guardrail-read', status: 500 }, (answer) => ({
        ...answer,
        status: 200,
        body: { data: {} },
      })),
    },
  }),
  ...makeMutants('4.2', ['guardrail-read.200.query-and-body'], {
    'guardrail-read.query-500': {
      everydayPlain: 'A query string leads to 500',
      override: refusedReads('guardrail-read', 500, hasQuery),
    },
    'guardrail-read.id-from-query': {
      subtle: 'An id in the query string is looked up in place of that of the path, and gets 404',
      override: refusedReads('guardrail-read', 404, ({ path }) => /[?&]id=/.test(path)),
    },
    'guardrail-read.body-500': {
      plain: 'A body leads to 500',
      override: refusedReads('guardrail-read', 500, announcesBody),
    },
    'guardrail-read.body-415': {
      plain: 'A body leads to 415',
      override: refusedReads('guardrail-read', 415, announcesBody),
    },
  }),
];

// Whether a provisioning key can be a management key too is open.
function isOrdinary({ key }: Call): boolean {
  return key?.traits.kind === 'api';
}
