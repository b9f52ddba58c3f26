import { randomUUID } from 'node:crypto';
import { type ContractSchema, contractFaults } from '../spec/contract.js';
import { areaOf, type RequirementId } from '../spec/ledger.js';
import type { Reason } from '../spec/reasons.js';
import type { Operation } from '../spec/vocabulary.js';
import { isAnswered, isObject, json } from '../targets/exchange.js';
import type { Api, Credential } from './api.js';
import { attempt, type RunContext } from './attempt.js';
import type { Call } from './call.js';
import { type CheckId, check, type Judgement, makeJudgement, type WrittenCheck } from './check.js';
import type { Selection } from './plan.js';

/** A request that nobody without a known key may be served (§5.2). */
interface Read {
  readonly operation: Operation;
  readonly schema: ContractSchema;
  readonly send: (api: Api, as: Credential, id: string) => Call;
  /** Whether a success may only tell of what was asked for. */
  readonly isNamed: boolean;
}

const keyRead: Read = {
  operation: 'key-info',
  schema: 'KeyInformationResponse',
  send: (api, as) => api.readKey({ as }),
  isNamed: false,
};
const guardrailRead: Read = {
  operation: 'guardrail-read',
  schema: 'GuardrailResponse',
  send: (api, as, id) => api.readGuardrail({ as, id: { label: 'an unknown guardrail', raw: id } }),
  isNamed: true,
};

const noKey = (): Credential => ({ label: 'no Authorization header' });
const unknownKey = (): Credential => ({
  label: 'an unknown key',
  header: `Bearer sk-unknown-${randomUUID()}`,
});

// No delete is sent: an empty 204 has no shape that tells the service from another server.
const keylessChecks: readonly WrittenCheck[] = [
  makeCheck('auth.missing-key/without-keys', keyRead, noKey),
  makeCheck('auth.unknown-key/without-keys', keyRead, unknownKey),
  makeCheck('guardrail-read.401.missing-key/without-keys', guardrailRead, noKey),
  makeCheck('auth.unknown-key/guardrail-without-keys', guardrailRead, unknownKey),
];

function makeCheck(id: CheckId, read: Read, credential: () => Credential): WrittenCheck {
  const { operation, schema, send, isNamed } = read;
  const made = check(id, { control: operation }, async ({ api }) => {
    const asked = randomUUID();
    const call = send(api, credential(), asked);
    const exchange = await call.send();
    if (!isAnswered(exchange)) return;
    const { status } = exchange.answer;
    const body = json(exchange.answer);
    const isServed =
      status === 200 &&
      isObject(body) &&
      contractFaults(schema, body).length === 0 &&
      (!isNamed || (isObject(body.data) && body.data.id === asked));
    const actual = `${status} and what only a known key may read`;
    call.expect(exchange, made.requirement, { ok: !isServed, expected: '401', actual });
  });
  return { ...made, needs: [] };
}

/**
 * Judges a target of which no key is known. Without a positive control a refusal proves nothing: only a success in the
 * document's own shape and a leaked value count, and the rest stays undecided for the reason given.
 */
export async function judgeWithoutKeys(
  context: RunContext,
  selection: Selection,
  reason: Reason,
): Promise<readonly Judgement[]> {
  const selected = keylessChecks.filter(({ requirement }) => selection.has(requirement));
  return Promise.all(selected.map((one) => judgeWithoutKey(one, context, reason)));
}

async function judgeWithoutKey(one: WrittenCheck, context: RunContext, reason: Reason): Promise<Judgement> {
  const start = performance.now();
  const { findings, cases, requests, passed, disturbed } = await attempt(
    { subject: one.requirement, run: one.run },
    context,
  );
  const isAnswered = passed.size > 0 || findings.length > 0;
  const open = makeJudgement(one, isAnswered && disturbed === undefined ? 'inconclusive' : 'skipped', reason);
  const isOwn = (id: RequirementId) => id === one.requirement;
  const violations = findings
    .filter(({ requirement }) => isOwn(requirement) || areaOf(requirement) === 'secrecy')
    .map((finding) => ({ ...finding, confirmed: '1/1' }));
  const failures = violations.filter(({ requirement }) => isOwn(requirement));
  return {
    ...open,
    ...(failures.length === 0
      ? {}
      : { outcome: 'fail', reason: undefined, rows: new Map([[one.requirement, failedRow]]) }),
    failures,
    passiveFailures: violations.filter(({ requirement }) => !isOwn(requirement)),
    cases,
    requests,
    durationMs: performance.now() - start,
  };
}

const failedRow = { outcome: 'fail', reason: undefined } as const;
