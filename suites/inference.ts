import type { Call } from '../judge/call.js';
import { type Check, type CheckId, check } from '../judge/check.js';
import { errorCode } from '../judge/stream.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Fault } from '../spec/vocabulary.js';
import { type Answered, asText } from '../targets/exchange.js';
import { refuseEverywhere } from './every-operation.js';

// §7.3: inference requests, plain and streamed.

const control = 'inference';

const models = ['free', 'paid'] as const;

/** Both ways to ask: a plain answer, or a stream. */
const ways = [
  { word: 'plain', stream: false },
  { word: 'streamed', stream: true },
] as const;

/** Asserts that a request is served: a stream that tells of an error is none. */
export async function judgeServed(call: Call, requirement: RequirementId, because: string): Promise<void> {
  const exchange = await call.answers(200, { requirement, because });
  const code = errorCode(exchange.answer.text);
  call.judges(exchange, requirement, {
    holds: code === undefined,
    expected: `a success (${because})`,
    actual: `200 and an error event of code ${asText(code)}`,
  });
}

/** A fault of inference that the control protocol came to know later, and what it is answered. */
export interface LaterFault {
  readonly fault: Fault;
  readonly requirement: RequirementId;
  readonly status: 403 | 408 | 502;
  /** Tells checks of one requirement apart. */
  readonly word?: string;
}

/** Faults of inference that are an optional part of the control protocol (§7.3). */
export const laterFaults: readonly LaterFault[] = [
  { fault: 'provider_bad_response', requirement: 'inference.502.provider-response', status: 502 },
  { fault: 'inference_deadline', requirement: 'inference.408.timeout', status: 408 },
  { fault: 'guardrail_blocks', requirement: 'inference.403.blocked', status: 403, word: 'guardrail' },
  { fault: 'moderation_flags', requirement: 'inference.403.blocked', status: 403, word: 'moderation' },
];

const enforced: RequirementId = 'guardrail-read.enforcement';

/** Asserts that a request is refused for a fault; one that a guardrail blocks shows that guardrails are enforced. */
export async function judgeLaterFault(
  call: Call,
  { fault, requirement, status }: LaterFault,
): Promise<Answered & { readonly inBand: boolean }> {
  const exchange = await call.refuses(status, { requirement, goesOn: true });
  if (fault !== 'guardrail_blocks') return exchange;
  call.judges(exchange, enforced, {
    holds: exchange.answer.status >= 300 || errorCode(exchange.answer.text) !== undefined,
    expected: 'a refusal, since a guardrail blocks the request',
    actual: String(exchange.answer.status),
  });
  return exchange;
}

function failsLater(later: LaterFault): Check {
  const { fault, requirement, word } = later;
  const id = (word === undefined ? requirement : `${requirement}/${word}`) as CheckId;
  const also = fault === 'guardrail_blocks' ? [enforced] : [];
  return check(id, { control, also, needs: [`fault:${fault}`] }, async ({ world, api, offers }) => {
    await world.setFaults(fault);
    for (const model of models.filter((one) => offers(`inference:${one}`)))
      for (const { stream } of ways) await judgeLaterFault(api.infer({ model, stream }), later);
    await world.setFaults();
    await api.infer().holds(200);
  });
}

/** The checks of §7.3, those of CORS on every operation, the others on the inference route. */
export const inferenceChecks: readonly Check[] = [
  ...ways.map(({ word, stream }) =>
    check(`inference.routed/${word}` satisfies CheckId, { control, isControl: true }, async ({ api }) => {
      await api.infer({ stream }).answers(200);
    }),
  ),
  ...models.map((model) =>
    check(
      `inference.routed/${model}` satisfies CheckId,
      { control, isControl: true, needs: [`inference:${model}`] },
      async ({ api }) => {
        await api.infer({ model }).answers(200);
      },
    ),
  ),
  ...laterFaults.map(failsLater),
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
