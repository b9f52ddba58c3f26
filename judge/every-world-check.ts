import { setTimeout as sleep } from 'node:timers/promises';
import type { RequirementId } from '../spec/ledger.js';
import { makeReason } from '../spec/reasons.js';
import type { Operation } from '../spec/vocabulary.js';
import { type Answer, carriesError, isAnswered, isTrouble } from '../targets/exchange.js';
import type { Api, CheckContext } from './api.js';
import { type AttemptSpec, attempt } from './attempt.js';
import { plainRequests } from './call.js';
import { conclude, type FinalCheck, type Judgement, type JudgingMeans, makeJudgement } from './check.js';
import { sumRequests } from './confirmation-history.js';
import type { Attempt, Evidence } from './finding.js';

const operations: readonly Operation[] = ['vault-delete', 'key-info', 'guardrail-read'];
const requirement = plainRequests['vault-delete'].requirement;

// If a service refuses one world in sixteen, so many worlds contain two of those in 98 of 100 runs.
const worldsTried = 96;
const worldsAtOnce = 12;
const worldsNeeded = 2;
const repetitions = 5;
const pauseMs = 400;

/**
 * The check that a plain request succeeds in every world, whatever its keys and ids are (§4). A service that refuses those
 * of a few worlds looks like one with noise, since whatever fails there passes when it is repeated in a fresh world.
 */
export const everyWorldCheck: FinalCheck = {
  kind: 'final',
  id: `${requirement}/every-world`,
  requirement,
  decides: operations.map((operation) => plainRequests[operation].requirement),
  title: 'A plain request succeeds in every world, whatever its keys and ids are.',
  needs: ['worlds', ...plainRequests['vault-delete'].needs],
  // A selection of reads alone deletes nothing.
  control: 'key-info',
  isControl: false,
  judge,
};

async function judge({ context, controls }: JudgingMeans): Promise<Judgement> {
  const { rateLimits, signal, opening } = context;
  const isSuspected = opening === undefined && rateLimits.isNoisy && !rateLimits.isAtWork;
  if (!isSuspected) return makeJudgement(everyWorldCheck, 'skipped', makeReason('no-case'));
  const served = operations.filter((operation) => controls.hasSucceeded(operation));
  const spec: AttemptSpec = { subject: requirement, run: (world) => tryWorld(world, served) };
  const made: Attempt[] = [];
  const refused = new Map<RequirementId, Evidence[]>();
  const isConfirmed = () => [...refused.values()].some(({ length }) => length >= worldsNeeded);
  while (made.length < worldsTried && !isConfirmed() && !signal.aborted) {
    const batch = await Promise.all(Array.from({ length: worldsAtOnce }, () => attempt(spec, context)));
    made.push(...batch);
    const findings = batch.flatMap((one) => one.findings);
    for (const finding of findings.filter((one) => everyWorldCheck.decides.includes(one.requirement)))
      refused.set(finding.requirement, [...(refused.get(finding.requirement) ?? []), finding]);
  }
  const violations = [...refused].flatMap(([id, [finding, ...others]]) =>
    finding === undefined || others.length + 1 < worldsNeeded
      ? []
      : [{ ...finding, confirmed: `${repetitions}/${repetitions}`, origin: { check: id } }],
  );
  return conclude(everyWorldCheck, {
    violations,
    decide: (id) =>
      refused.has(id)
        ? { outcome: 'inconclusive', reason: makeReason('disturbed', 'it was refused throughout one world') }
        : undefined,
    cases: made.length,
    requests: sumRequests(made),
  });
}

/** Sends the plain requests of a fresh world, until one is refused. */
async function tryWorld(context: CheckContext, served: readonly Operation[]): Promise<void> {
  // A key may take effect a moment after its world was opened.
  await sleep(pauseMs, undefined, { signal: context.signal });
  for (const operation of served) {
    const refusal = await readRefusal(context.api, operation);
    if (refusal !== undefined) return repeatRefusal(refusal, operation, context);
  }
}

/** Repeats a refused request in the same world, each time after one in another world. It fails if it is refused every time. */
async function repeatRefusal(
  { status, fail }: RefusedRequest,
  operation: Operation,
  { world, api, openWorld, signal }: CheckContext,
): Promise<void> {
  const { api: other } = await openWorld();
  for (let time = 0; time < repetitions; time++) {
    await sleep(pauseMs, undefined, { signal });
    await (await other.makePlain(operation)).expectControl(plainRequests[operation].success);
    if ((await readRefusal(api, operation))?.status !== status) return;
  }
  // The service may have lost the world, as when it is restarted.
  await world.store('own');
  fail();
}

type RefusedRequest = NonNullable<Awaited<ReturnType<typeof readRefusal>>>;

/** Sends a plain request. Returns a refusal by the service itself that no trouble causes. */
async function readRefusal(api: Api, operation: Operation) {
  const { requirement: rule, success } = plainRequests[operation];
  const call = await api.makePlain(operation);
  const exchange = await call.send({ rule, statuses: [success] });
  if (!isAnswered(exchange) || !isServiceRefusal(exchange.answer)) return undefined;
  const { status } = exchange.answer;
  const words = {
    expected: `${success}, as in other worlds`,
    actual: `${status} throughout the world`,
    mismatch: { wrong: 'status', due: [success] },
  } as const;
  return { status, fail: () => call.expect(exchange, rule, { ok: false, ...words }) };
}

function isServiceRefusal(answer: Answer): boolean {
  return answer.status >= 400 && !isTrouble({ answer }) && carriesError(answer);
}
