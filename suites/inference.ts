import { readErrorCode } from '../judge/answer-rules.js';
import type { Call } from '../judge/call.js';
import { type Check, type CheckId, check } from '../judge/check.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import type { Fault } from '../spec/vocabulary.js';
import { type Answered, asText } from '../targets/exchange.js';
import { refuseEverywhere } from './every-operation.js';

// §7.3: inference requests, plain and streamed.

const control = 'inference';

const models = ['free', 'paid'] as const;

/** Asserts that a request is served: a stream that tells of an error is none. */
export async function judgeServed(call: Call, requirement: RequirementId, because: string): Promise<void> {
  const exchange = await call.expectStatus(200, { requirement, because });
  const code = readErrorCode(exchange.answer.text);
  call.expect(exchange, requirement, {
    ok: code === undefined,
    expected: `a success (${because})`,
    actual: `200 and an error event of code ${asText(code)}`,
  });
}

/** A fault of inference that the control protocol came to know later, and what it is answered. */
export interface LaterFault {
  readonly fault: Fault;
  readonly requirement: RequirementId;
  readonly status: 403 | 408 | 502 | 503;
  /** Tells checks of one requirement apart. */
  readonly word?: string;
  /** What else a refusal shows. */
  readonly also?: readonly RequirementId[];
}

const enforced: RequirementId = 'guardrail-read.enforcement';

/** Faults of inference that are an optional part of the control protocol (§7.3). */
export const laterFaults: readonly LaterFault[] = [
  { fault: 'provider_bad_response', requirement: 'inference.502.provider-response', status: 502 },
  { fault: 'inference_deadline', requirement: 'inference.408.timeout', status: 408 },
  {
    fault: 'guardrail_blocks',
    requirement: 'inference.403.blocked',
    status: 403,
    word: 'guardrail',
    also: [enforced],
  },
  { fault: 'moderation_flags', requirement: 'inference.403.blocked', status: 403, word: 'moderation' },
];

/** Asserts that a request is refused for a fault; one that a guardrail blocks shows that guardrails are enforced. */
export async function judgeLaterFault(
  call: Call,
  { fault, requirement, status }: LaterFault,
): Promise<Answered & { readonly inBand: boolean }> {
  const exchange = await call.expectRefusal(status, { requirement, continueOnFailure: true });
  if (fault !== 'guardrail_blocks') return exchange;
  call.expect(exchange, enforced, {
    ok: exchange.answer.status >= 300 || readErrorCode(exchange.answer.text) !== undefined,
    expected: 'a refusal, since a guardrail blocks the request',
    actual: String(exchange.answer.status),
  });
  return exchange;
}

/** A check that a fault is answered as it should be, plain and streamed; of one model where only that is named. */
function fails(later: LaterFault, model?: 'free' | 'paid'): Check {
  const { fault, requirement, word, also = [] } = later;
  const needs: readonly Need[] = [
    `fault:${fault}`,
    ...(model === undefined ? [] : [`inference:${model}` as const]),
  ];
  const id: CheckId = word === undefined ? requirement : `${requirement}/${word}`;
  return check(id, { control, also, needs }, async ({ world, api, offers }) => {
    await world.setFaults(fault);
    for (const one of models.filter((known) => known === (model ?? known) && offers(`inference:${known}`)))
      for (const stream of [false, true]) await judgeLaterFault(api.infer({ model: one, stream }), later);
    await world.setFaults();
    await api.infer().expectControl(200);
  });
}

/** The checks of §7.3, those of CORS on every operation, the others on the inference route. */
export const inferenceChecks: readonly Check[] = [
  ...[false, true].map((stream) =>
    check(
      `inference.routed/${stream ? 'streamed' : 'plain'}`,
      { control, isControl: true },
      async ({ api }) => {
        await api.infer({ stream }).expectStatus(200);
      },
    ),
  ),
  ...laterFaults.map((later) => fails(later)),
  // Of the model that is not the usual one.
  fails({ fault: 'model_down', requirement: 'inference.502.model-down', status: 502, word: 'paid' }, 'paid'),
  fails(
    { fault: 'no_provider', requirement: 'inference.503.no-provider', status: 503, word: 'paid' },
    'paid',
  ),
  ...refuseEverywhere(
    {
      requirement: 'inference.400.cors',
      keeps: 'vault-delete.400.keeps',
      because: 'CORS blocks its origin',
      statuses: () => [400],
      requests: ({ api }) => [{ headers: { Origin: api.blockedOrigin() } }],
    },
    ['key-info', 'inference', 'guardrail-read', 'vault-delete'],
  ),
];
