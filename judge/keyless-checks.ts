import { randomUUID } from 'node:crypto';
import { type ContractSchema, findContractFaults } from '../spec/contract.js';
import { isObject } from '../spec/json.js';
import { areaOf } from '../spec/ledger.js';
import { makeReason, type Reason } from '../spec/reasons.js';
import type { Operation } from '../spec/vocabulary.js';
import { type AddressExam, examineAddress } from '../targets/diagnosis/address.js';
import { ProbeClient } from '../targets/diagnosis/probe-client.js';
import { type Answer, isAnswered, json } from '../targets/exchange.js';
import type { Target } from '../targets/target.js';
import { freshName } from '../targets/world.js';
import { type Api, type Credential, noCredential } from './api.js';
import { attempt, explainAbort, type RunContext, unlessAborted } from './attempt.js';
import type { Call } from './call.js';
import { type CheckId, check, conclude, type Judgement, type WrittenCheck } from './check.js';
import type { Selection } from './selection.js';

/** A request that only a known key may be served (§5.2). */
interface KeylessRequest {
  readonly operation: Operation;
  readonly send: (api: Api, as: Credential, id: string) => Call;
  /** Whether an answer is a success in the document's own shape, and of what was asked for. */
  readonly isServed: (answer: Answer, id: string) => boolean;
}

const keyRead: KeylessRequest = {
  operation: 'key-info',
  send: (api, as) => api.readKey({ as }),
  isServed: (answer) => successData(answer, 'KeyInformationResponse') !== undefined,
};
const guardrailRead: KeylessRequest = {
  operation: 'guardrail-read',
  send: (api, as, id) => api.readGuardrail({ as, id: { label: 'an unknown guardrail', raw: id } }),
  isServed: (answer, id) => successData(answer, 'GuardrailResponse')?.id === id,
};
const secretDelete: KeylessRequest = {
  operation: 'vault-delete',
  send: (api, as, id) =>
    api.deleteSecret({ as, intern: { label: 'an unknown intern', raw: id }, name: freshName() }),
  isServed: ({ status, text }) => status === 204 && text === '',
};

/** The data of a success in the shape that the document gives; undefined for any other answer. */
function successData(answer: Answer, schema: ContractSchema): Readonly<Record<string, unknown>> | undefined {
  const body = json(answer);
  if (answer.status !== 200 || !isObject(body) || findContractFaults(schema, body).length > 0)
    return undefined;
  return isObject(body.data) ? body.data : undefined;
}

const unknownKey: Credential = { label: 'an unknown key', header: `Bearer sk-unknown-${randomUUID()}` };

const keylessChecks: readonly WrittenCheck[] = [
  makeCheck('auth.missing-key/without-keys', keyRead, noCredential),
  makeCheck('auth.unknown-key/without-keys', keyRead, unknownKey),
  makeCheck('guardrail-read.401.missing-key/without-keys', guardrailRead, noCredential),
  makeCheck('auth.unknown-key/guardrail-without-keys', guardrailRead, unknownKey),
  makeCheck('vault-delete.401.missing-key/without-keys', secretDelete, noCredential),
  makeCheck('vault-delete.401.unknown-key/without-keys', secretDelete, unknownKey),
];

function makeCheck(
  id: CheckId,
  { operation, send, isServed }: KeylessRequest,
  credential: Credential,
): WrittenCheck {
  const made = check(id, { control: operation }, async ({ api }) => {
    const asked = randomUUID();
    const call = send(api, credential, asked);
    const exchange = await call.send();
    if (!isAnswered(exchange)) return;
    call.expect(exchange, made.requirement, {
      ok: !isServed(exchange.answer, asked),
      expected: '401',
      actual: `${exchange.answer.status} and what only a known key may get`,
      mismatch: { wrong: 'status', due: [401] },
    });
  });
  return { ...made, needs: [] };
}

/** Who answers where no key is known, and why nothing can be proven. */
export interface KeylessAddress {
  readonly answeredBy: AddressExam['answeredBy'];
  readonly unjudged: string;
}

/** Asks who answers at the address; what is wrong with it is said as `doctor` says it. */
export async function examineWithoutKeys(target: Target, signal: AbortSignal): Promise<KeylessAddress> {
  const exam = await unlessAborted(signal, () => examineAddress(new ProbeClient(target, signal)));
  if (exam === undefined) return { answeredBy: 'nobody', unjudged: explainAbort(signal) };
  const { answeredBy, findings } = exam;
  const wrong = findings.find(({ state }) => state === 'wrong');
  if (wrong !== undefined) {
    const { text, todo } = wrong;
    return { answeredBy, unjudged: target.redactor.redact([text, todo].filter(Boolean).join('. ')) };
  }
  const hasKeys = Object.keys(target.profile?.keys ?? {}).length > 0;
  const unjudged = hasKeys
    ? 'no operation can be tried with what is given: give a key of the role member'
    : 'no key is known for this target: set PLUMBLINE_KEY_MEMBER, or give a profile or a control protocol';
  return { answeredBy, unjudged };
}

/**
 * Judges a target of which no key is known. Without a positive control a refusal proves nothing: only a success in the
 * document's own shape and a leaked value count, and the rest stays inconclusive for the reason given. A delete is sent
 * only where the service itself is known to answer: its 204 has no shape that distinguishes it from another server's.
 */
export async function judgeWithoutKeys(
  context: RunContext,
  selection: Selection,
  { answeredBy, unjudged }: KeylessAddress,
): Promise<readonly Judgement[]> {
  if (answeredBy === 'nobody') return [];
  const { target } = context;
  const mayDelete = target.forbids !== undefined && target.forbids('store') === undefined;
  const selected = keylessChecks.filter(
    ({ requirement, control }) =>
      selection.has(requirement) &&
      (control !== 'vault-delete' || (mayDelete && answeredBy === 'the-service')),
  );
  const reason = makeReason('unjudged', unjudged);
  return Promise.all(selected.map((one) => judgeWithoutKey(one, context, reason)));
}

async function judgeWithoutKey(one: WrittenCheck, context: RunContext, reason: Reason): Promise<Judgement> {
  const start = performance.now();
  const made = await attempt({ subject: one.requirement, run: one.run }, context);
  const { findings, cases, requests, passed, disturbed } = made;
  const isAnswered = passed.size > 0 || findings.length > 0;
  const outcome = isAnswered && disturbed === undefined ? 'inconclusive' : 'skipped';
  const violations = findings
    .filter(({ requirement }) => requirement === one.requirement || areaOf(requirement) === 'secrecy')
    .map((finding) => ({ ...finding, confirmed: '1/1' }));
  const judgement = conclude(one, { violations, decide: () => ({ outcome, reason }), cases, requests });
  return { ...judgement, durationMs: performance.now() - start };
}
