import type { Check } from '../judge/check.js';
import type { Plan } from '../judge/plan.js';
import { Run } from '../judge/run.js';
import { Selection } from '../judge/selection.js';
import { TrafficKeeper } from '../judge/traffic-keeper.js';
import { JournalWriter } from '../reports/journal-writer.js';
import { openTarget } from '../targets/target.js';
import type { SeparateServer } from './separate-server.js';

/** What a run on a server took. */
export interface Measured {
  readonly requests: number;
  readonly seconds: number;
  readonly requestsPerSecond: number;
  readonly cases: number;
}

/** Judges a server with some checks, 16 requests in flight, its journal in a folder, and measures. */
export async function judged(
  { baseUrl, controlUrl }: SeparateServer,
  checks: readonly Check[],
  plan: Plan,
  folder: string,
): Promise<Measured> {
  const control = { url: controlUrl };
  const target = await openTarget({ baseUrl, control, concurrency: 16, timeoutMs: 10_000 });
  // What is sent is written down too, as in a run.
  const journal = new JournalWriter(folder, (text) => target.redactor.redact(text));
  const options = {
    keeper: new TrafficKeeper(target.redactor, (exchange) => journal.exchange(exchange)),
    selection: new Selection({ only: [], skip: [] }),
    plan,
    concurrency: 16,
    signal: new AbortController().signal,
  };
  const start = performance.now();
  const { judgements, faults, unjudged } = await new Run(target, options).judgeAll(checks);
  await target.close();
  journal.close();
  if (faults.length > 0 || unjudged !== undefined) throw new Error(faults[0] ?? unjudged);
  const failed = judgements.find(({ outcome }) => outcome === 'fail' || outcome === 'inconclusive');
  if (failed !== undefined) throw new Error(`${failed.check.id}: ${failed.outcome}, ${failed.reason}`);
  const seconds = (performance.now() - start) / 1000;
  const requests = target.client.sent;
  return {
    requests,
    seconds,
    requestsPerSecond: requests / seconds,
    cases: judgements.reduce((sum, judgement) => sum + judgement.cases, 0),
  };
}
