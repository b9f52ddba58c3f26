import type { Call } from '../call.js';
import type { Mutant } from '../mutant.js';
import { answers, fault, noGate, restatused } from '../override.js';
import { findGuardrail } from '../visibility.js';
import { guardrailOfAnyWorld } from './guardrail-of-any-world.js';
import { announcesBody, hasQuery, isAnonymous, refusedReads } from './refused-reads.js';

/** Mutants of the area guardrail-read: a key, a fault, a query or a body is answered as §4.2 and §7.2 do not allow. */
export const guardrailReadStatusMutants: readonly Mutant[] = [
  {
    id: 'guardrail-read.missing-key-403',
    section: '7.2',
    turnsRed: ['guardrail-read.401.missing-key'],
    description: 'A read without authentication gets 403',
    hardness: 'plain',
    override: restatused({ operation: 'guardrail-read', status: 401, when: isAnonymous }, 403),
  },
  {
    id: 'guardrail-read.missing-key-404',
    section: '7.2',
    turnsRed: ['guardrail-read.401.missing-key'],
    description: 'A read without authentication gets 404',
    hardness: 'plain',
    override: restatused({ operation: 'guardrail-read', status: 401, when: isAnonymous }, 404),
  },
  {
    id: 'guardrail-read.missing-key-400',
    section: '7.2',
    turnsRed: ['guardrail-read.401.missing-key'],
    description: 'A read without authentication gets 400',
    hardness: 'plain',
    override: restatused({ operation: 'guardrail-read', status: 401, when: isAnonymous }, 400),
  },
  {
    id: 'guardrail-read.missing-key-500',
    section: '7.2',
    turnsRed: ['guardrail-read.401.missing-key'],
    description: 'A read without authentication gets 500',
    hardness: 'plain',
    override: restatused({ operation: 'guardrail-read', status: 401, when: isAnonymous }, 500),
  },
  {
    id: 'guardrail-read.missing-key-served',
    section: '7.2',
    turnsRed: ['guardrail-read.401.missing-key'],
    description: 'A read without authentication gets the guardrail',
    hardness: 'plain',
    override: {
      ...noGate('guardrail-read', 'authentication', isAnonymous),
      findGuardrail: (call) => (isAnonymous(call) ? guardrailOfAnyWorld(call) : findGuardrail(call)),
    },
  },
  {
    id: 'guardrail-read.ordinary-key-served',
    section: '4.2',
    turnsRed: ['guardrail-read.management-key-only'],
    description: 'A key that is no management key reads the guardrail',
    hardness: 'plain',
    override: noGate('guardrail-read', 'management-key', isOrdinary),
  },
  {
    id: 'guardrail-read.ordinary-key-400',
    section: '4.2',
    turnsRed: ['guardrail-read.management-key-only'],
    description: 'A key that is no management key gets 400',
    hardness: 'plain',
    override: restatused({ operation: 'guardrail-read', status: 403, when: isOrdinary }, 400),
  },
  {
    id: 'guardrail-read.ordinary-key-500',
    section: '4.2',
    turnsRed: ['guardrail-read.management-key-only'],
    description: 'A key that is no management key gets 500',
    hardness: 'plain',
    override: restatused({ operation: 'guardrail-read', status: 403, when: isOrdinary }, 500),
  },
  {
    id: 'guardrail-read.internal-error-502',
    section: '7.2',
    turnsRed: ['guardrail-read.500.internal'],
    description: 'An internal error gets 502',
    hardness: 'plain',
    override: fault('guardrail_internal_error', { status: 502 }),
  },
  {
    id: 'guardrail-read.internal-error-503',
    section: '7.2',
    turnsRed: ['guardrail-read.500.internal'],
    description: 'An internal error gets 503',
    hardness: 'plain',
    override: fault('guardrail_internal_error', { status: 503 }),
  },
  {
    id: 'guardrail-read.internal-error-404',
    section: '7.2',
    turnsRed: ['guardrail-read.500.internal'],
    description: 'An internal error gets 404',
    hardness: 'plain',
    override: fault('guardrail_internal_error', { status: 404 }),
  },
  {
    id: 'guardrail-read.internal-error-200',
    section: '7.2',
    turnsRed: ['guardrail-read.500.internal'],
    description: 'An internal error gets 200 and a guardrail without fields',
    hardness: 'plain',
    override: answers({ operation: 'guardrail-read', status: 500 }, (answer) => ({
      ...answer,
      status: 200,
      body: { data: {} },
    })),
  },
  {
    id: 'guardrail-read.query-500',
    section: '4.2',
    turnsRed: ['guardrail-read.200.query-and-body'],
    description: 'A query string leads to 500',
    hardness: 'plain',
    override: refusedReads('guardrail-read', 500, hasQuery),
  },
  {
    id: 'guardrail-read.id-from-query',
    section: '4.2',
    turnsRed: ['guardrail-read.200.query-and-body'],
    description: 'An id in the query string is looked up in place of that of the path, and gets 404',
    hardness: 'subtle',
    override: refusedReads('guardrail-read', 404, ({ path }) => /[?&]id=/.test(path)),
  },
  {
    id: 'guardrail-read.body-500',
    section: '4.2',
    turnsRed: ['guardrail-read.200.query-and-body'],
    description: 'A body leads to 500',
    hardness: 'plain',
    override: refusedReads('guardrail-read', 500, announcesBody),
  },
  {
    id: 'guardrail-read.body-415',
    section: '4.2',
    turnsRed: ['guardrail-read.200.query-and-body'],
    description: 'A body leads to 415',
    hardness: 'plain',
    override: refusedReads('guardrail-read', 415, announcesBody),
  },
];

// Whether a provisioning key can be a management key too is open.
function isOrdinary({ key }: Call): boolean {
  return key?.traits.kind === 'api';
}
