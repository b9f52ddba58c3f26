import { fromBrowser } from '../generators/inputs.js';
import {
  findError,
  judgeErrorEvent,
  judgeStreamMediaType,
  readErrorCode,
  readEventStatus,
} from '../judge/answer-rules.js';
import type { CheckContext } from '../judge/api.js';
import type { Call } from '../judge/call.js';
import { type Check, check } from '../judge/check.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Fault } from '../spec/vocabulary.js';
import { type Answered, asText, isAnswered, json } from '../targets/exchange.js';
import { NotShown } from '../targets/world.js';
import { batchSteps, type Step } from './batches/batch.js';

// §6 and §7.3: inference requests, plain and streamed, and the error event of a stream that has started. Passive rules
// judge the members of its chunk in every response.

/** Values of `stream`. */
export const plainAndStreamed = [false, true] as const;
const malformed: RequirementId = 'inference.malformed-body';
const enforced: RequirementId = 'guardrail-read.enforcement';
const otherErrors: RequirementId = 'stream-error.other-errors';

/** Asserts that a request is served. A 200 with an error, in the body or in a stream, is not a success. */
export async function judgeServed(call: Call, requirement: RequirementId, because: string): Promise<void> {
  const exchange = await call.expectStatus(200, { requirement, because });
  const code = readErrorCode(exchange.answer.text) ?? findError(json(exchange.answer)).code;
  call.expect(exchange, requirement, {
    ok: code === undefined,
    expected: `a success (${because})`,
    actual: `200 and an error of code ${asText(code)}`,
    mismatch: { wrong: 'status', due: [200], event: readEventStatus(code) },
  });
}

/** Asserts that a request is served although one of the providers of its model limits it (§7.4). */
export function judgeFallback(call: Call): Promise<void> {
  return judgeServed(call, 'rate-limit.fallback', 'another provider of the same model can serve it');
}

/** Sends requests to each model, or to one of them, plain and streamed during a fault; then asserts a plain success. */
export async function inferDuringFault(
  { world, api, offers }: CheckContext,
  fault: Fault,
  judge: (call: Call) => Promise<unknown>,
  only?: 'free' | 'paid',
): Promise<void> {
  // A server may remember that a model is up.
  await api.infer().expectControl(200);
  await world.setFaults(fault);
  for (const model of ['free', 'paid'] as const)
    if (model === (only ?? model) && offers(`inference:${model}`))
      for (const stream of plainAndStreamed) await judge(api.infer({ model, stream }));
  await world.setFaults();
  await api.infer().expectControl(200);
}

/** A fault of inference, and the status that is due (§7.3). */
interface InferenceFault {
  readonly fault: Fault;
  readonly requirement: RequirementId;
  readonly status: 403 | 408 | 502 | 503;
  /** Distinguishes checks of one requirement. */
  readonly word?: string;
  /** Further requirements that a refusal decides. */
  readonly alsoDecides?: readonly RequirementId[];
}

/** Faults that have been in the control protocol from the beginning. */
const outages: readonly InferenceFault[] = [
  { fault: 'model_down', requirement: 'inference.502.model-down', status: 502, word: 'paid' },
  { fault: 'no_provider', requirement: 'inference.503.no-provider', status: 503, word: 'paid' },
];

const blocked: RequirementId = 'inference.403.blocked';
const blocks: InferenceFault['fault'] = 'guardrail_blocks';

/** Faults that are optional additions to the control protocol. */
const optionalFaults: readonly InferenceFault[] = [
  { fault: 'provider_bad_response', requirement: 'inference.502.provider-response', status: 502 },
  { fault: 'inference_deadline', requirement: 'inference.408.timeout', status: 408 },
  { fault: blocks, requirement: blocked, status: 403, word: 'guardrail', alsoDecides: [enforced] },
  { fault: 'moderation_flags', requirement: blocked, status: 403, word: 'moderation' },
];

/** Asserts that a request is refused for a fault. A guardrail's refusal also shows that guardrails are enforced. */
async function judgeFault(call: Call, { fault, requirement, status }: InferenceFault) {
  const refusal = await call.expectRefusal(status, { requirement, continueOnFailure: true });
  const { exchange } = refusal;
  if (readErrorCode(exchange.answer.text) !== undefined) judgeReceivable(call, exchange);
  if (fault === blocks)
    call.expect(exchange, enforced, {
      ok: exchange.answer.status >= 300 || readErrorCode(exchange.answer.text) !== undefined,
      expected: 'a refusal, since a guardrail blocks the request',
      actual: String(exchange.answer.status),
      mismatch: { wrong: 'status', due: 'refusal' },
    });
  return refusal;
}

/** Checks the response to a fault, plain and streamed, for each model or for one. */
function checkFault(one: InferenceFault, model?: 'free' | 'paid'): Check {
  const { fault, requirement, word, alsoDecides = [] } = one;
  const needs = [`fault:${fault}` as const, ...(model === undefined ? [] : [`inference:${model}` as const])];
  const id = word === undefined ? requirement : (`${requirement}/${word}` as const);
  return check(id, { alsoDecides: [...alsoDecides, ...receivable], needs }, (context) =>
    inferDuringFault(context, fault, (call) => judgeFault(call, one), model),
  );
}

const receivable: readonly RequirementId[] = ['stream-error.event', 'stream-error.media-type'];

/** Asserts that a stream hands its error event to clients: with the right media type, and where they read it. */
function judgeReceivable(call: Call, exchange: Answered): void {
  for (const ruling of [judgeStreamMediaType(exchange), judgeErrorEvent(exchange)])
    call.expect(exchange, ruling.requirement, ruling);
}

async function judgeBrokenStream(call: Call): Promise<void> {
  const exchange = await call.expectStatus(200, {
    requirement: 'stream-error.status',
    because: 'the stream has started before the error',
    continueOnFailure: true,
  });
  if (exchange.answer.status === 200) judgeReceivable(call, exchange);
}

function judgeOtherError(call: Call, exchange: Answered, status: number): void {
  const code = readErrorCode(exchange.answer.text);
  call.expect(exchange, otherErrors, {
    // Whether the code is an integer is judged by another requirement.
    ok: asText(code) === asText(status),
    expected: `an error event of code ${status}`,
    actual: code === undefined ? 'no error event' : `an error event of code ${asText(code)}`,
    mismatch: { wrong: 'status', due: [status], event: readEventStatus(code) },
  });
}

/** The steps of each fault. The one whose stream breaks off comes first. */
const faultSteps: readonly Step[] = [
  {
    fault: 'mid_stream_error',
    decides: ['stream-error.status', 'stream-error.event', 'stream-error.media-type'],
    run: async ({ api }) => {
      // Not only the first time.
      for (const _time of plainAndStreamed) await judgeBrokenStream(api.infer({ stream: true }));
    },
  },
  ...outages.map(
    (one): Step => ({
      fault: one.fault,
      decides: [one.requirement],
      mayDecide: receivable,
      run: async ({ api }) => {
        for (const stream of plainAndStreamed) await judgeFault(api.infer({ stream }), one);
      },
    }),
  ),
  ...optionalFaults.map(
    (one, at): Step => ({
      fault: one.fault,
      decides: [one.requirement, ...(one.alsoDecides ?? []), ...(at === 0 ? [otherErrors] : [])],
      mayDecide: receivable,
      run: async ({ api }) => {
        const call = api.infer({ stream: at % 2 === 0 });
        const { exchange, inBand } = await judgeFault(call, one);
        // If the stream has started before, the error is in it.
        if (inBand) judgeOtherError(call, exchange, one.status);
      },
    }),
  ),
  {
    fault: 'one_provider_limited',
    decides: ['rate-limit.fallback'],
    run: ({ api }) => judgeFallback(api.infer()),
  },
  {
    decides: [malformed],
    run: async ({ api }) => {
      const send = (text: string) => api.infer({ body: { text, type: 'application/json' }, ...fromBrowser });
      const assertion = { requirement: malformed, continueOnFailure: true } as const;
      const because = 'its body breaks off';
      await send('{"model":').expectStatus([400, 415, 422], { ...assertion, because });
      // There may be a usual model.
      const refusals = [400, 402, 404, 415, 422];
      for (const text of ['{}', 'null'])
        await send(text).expectStatus([200, ...refusals], { ...assertion, because: 'it has no parameters' });
      for (const wrong of [{ messages: 'text' }, { messages: [7] }, { model: 7 }])
        await api
          .infer({ members: wrong })
          .expectStatus([200, ...refusals], { ...assertion, because: 'a member has another type' });
      await api
        .infer({ members: { model: 'plumbline/no-such-model' } })
        .expectStatus([200, ...refusals, 403, 502, 503], { ...assertion, because: 'there is no such model' });
    },
  },
];

/** The refusals of §6 and §7.3, one after another. */
export const inferenceBatch: Check = batchSteps(
  'inference.502.model-down/chain',
  { title: 'Inference requests during each fault, one after another.', runsWithoutOwnNeeds: true },
  faultSteps,
  ({ api }) => api.infer().expectControl(200),
);

/** The checks of §7.3 on the inference route. */
export const inferenceChecks: readonly Check[] = [
  ...plainAndStreamed.map((stream) =>
    check(`inference.routed/${stream ? 'streamed' : 'plain'}`, { isControl: true }, ({ api }) =>
      api.infer({ stream }).expectStatus(200),
    ),
  ),
  ...optionalFaults.map((one) => checkFault(one)),
  // The batch sends these to the other model.
  ...outages.map((one) => checkFault(one, 'paid')),
];

/** The checks of §6. */
export const streamErrorChecks: readonly Check[] = [
  check(
    'stream-error.media-type/paid',
    { alsoDecides: ['stream-error.status', 'stream-error.event'], needs: ['inference:paid'] },
    async ({ world, api }) => {
      await world.setFaults('mid_stream_error');
      await judgeBrokenStream(api.infer({ stream: true, model: 'paid' }));
      await world.setFaults();
      await api.infer({ model: 'paid' }).expectControl(200);
    },
  ),
  check(otherErrors, async ({ world, api, offers }) => {
    let hasStarted = false;
    const streamFaults = [...optionalFaults.slice(0, 1), ...outages, ...optionalFaults.slice(1, 2)];
    for (const { fault, status } of streamFaults.filter((one) => offers(`fault:${one.fault}`))) {
      await world.setFaults(fault);
      const call = api.infer({ stream: true });
      const exchange = await call.send({ rule: otherErrors, statuses: [200, status] });
      // A stream may be refused before it has started.
      if (!isAnswered(exchange) || exchange.answer.status !== 200) continue;
      hasStarted = true;
      judgeOtherError(call, exchange, status);
    }
    if (!hasStarted) throw new NotShown('no stream had started when the error occurred');
    await world.setFaults();
    await api.infer({ stream: true }).expectControl(200);
  }),
];
