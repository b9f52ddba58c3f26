import type { Check } from '../judge/check.js';
import type { Plan } from '../judge/plan.js';
import { RunDeadline, resolveLimits } from '../judge/run-limits.js';
import { Selection } from '../judge/selection.js';
import { Session } from '../judge/session.js';
import { TrafficLog } from '../judge/traffic-log.js';
import { JournalWriter } from '../reports/journal.js';
import type { Outgoing } from '../targets/transports.js';
import type { SeparateServer } from './processes.js';

// A hundred thousand cases take minutes.
const maxTimeMs = 3_600_000;

/** Judges a server with some checks, 16 requests in flight, its journal in a folder, and measures. */
export async function measureRun(
  { baseUrl, controlUrl }: SeparateServer,
  checks: readonly Check[],
  plan: Plan,
  folder: string,
  onSend?: (outgoing: Outgoing) => void,
) {
  using deadline = new RunDeadline(maxTimeMs);
  const session = await Session.open({
    address: { baseUrl, control: { url: controlUrl }, ...(onSend === undefined ? {} : { onSend }) },
    checks,
    selection: new Selection({ only: [], skip: [] }),
    plan,
    limits: { ...resolveLimits({ depth: plan.depth }, undefined), maxTimeMs },
    timeoutMs: 10_000,
    deadline,
  });
  const { redactor } = session;
  // What is sent is written down too, as in a run.
  const journal = new JournalWriter(folder, (line) => redactor.redactTexts(line));
  const trafficLog = new TrafficLog(redactor, (exchange) => journal.exchange(exchange));
  const start = performance.now();
  const { judgements, faults, unjudged } = await session.judge({ trafficLog });
  await session.close();
  journal.close();
  if (faults.length > 0 || unjudged !== undefined) throw new Error(faults[0] ?? unjudged);
  const failed = judgements.find(({ outcome }) => outcome === 'fail' || outcome === 'inconclusive');
  if (failed !== undefined) throw new Error(`${failed.check.id}: ${failed.outcome}, ${failed.reason}`);
  const seconds = (performance.now() - start) / 1000;
  const requests = session.target?.client.sent ?? 0;
  return { requests, seconds, requestsPerSecond: requests / seconds };
}
