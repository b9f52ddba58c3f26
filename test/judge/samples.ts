import type { Attempt, Evidence, Finding } from '../../judge/finding.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Answer, Exchange } from '../../targets/exchange.js';
import { Redactor } from '../../targets/redaction.js';

export const key = 'sk-plumbline-0123456789abcdef';

export function knowing(secret = key): Redactor {
  const redactor = new Redactor();
  redactor.register(secret, '$PLUMBLINE_KEY_MEMBER');
  return redactor;
}

export function sampleAnswer(changes: Partial<Answer>): Answer {
  return { status: 200, headers: [], text: '', truncated: false, ...changes };
}

export function sampleExchange(asked: Partial<Exchange['request']> = {}, text = '', status = 500): Exchange {
  return {
    operation: 'key-info',
    reaches: 'operation',
    label: 'GET /key as member',
    request: { method: 'GET', url: 'http://127.0.0.1/v1/key', headers: [], ...asked },
    answer: sampleAnswer({ status, text }),
    startedAt: Date.UTC(2030, 0, 2),
    durationMs: 1.4,
  };
}

export function sampleFinding(changes: Partial<Finding> = {}): Finding {
  const { requirement = 'key-info.200.read' } = changes;
  return {
    subject: requirement,
    key: `${requirement} #1`,
    requirement,
    conclusive: false,
    message: 'expected 200',
    expected: '200',
    actual: '500',
    mismatch: { wrong: 'status', due: [200] },
    counterexample: {},
    exchange: sampleExchange(),
    ...changes,
  };
}

export function sampleEvidence(
  changes: Partial<Evidence> & { readonly requirement: RequirementId },
): Evidence {
  const { exchange: _, ...finding } = sampleFinding({ requirement: changes.requirement });
  const situation = { operation: 'key-info', outcome: 500, request: 'GET /key as member' } as const;
  return {
    ...finding,
    situation: { exact: situation, bare: situation },
    exchanges: [],
    curl: 'curl',
    ...changes,
  };
}

export function sampleAttempt(changes: Partial<Attempt> = {}): Attempt {
  return {
    ...{ findings: [], passed: new Set(), disturbed: undefined, notShown: undefined, exchanges: [] },
    ...{ freshNames: [], cases: 1, requests: 1, vaultRequests: 1, isInference: false, retryAfterMs: 0 },
    ...changes,
  };
}
