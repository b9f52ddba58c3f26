import type { Check } from '../../judge/check.js';
import { type Depth, type Plan, type Shard, wholeRun } from '../../judge/plan.js';
import type { RunEvents } from '../../judge/run.js';
import { RunDeadline, resolveLimits } from '../../judge/run-limits.js';
import type { RunRecord } from '../../judge/run-record.js';
import { Selection } from '../../judge/selection.js';
import { Session } from '../../judge/session.js';
import { type ReferenceOptions, startReference } from '../../reference/server.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Report } from '../../spec/report.js';
import { allChecks } from '../../suites/all-checks.js';
import type { Exchange } from '../../targets/exchange.js';
import type { Redactor } from '../../targets/redaction.js';
import type { Target } from '../../targets/target.js';
import { idsWith } from '../report-rows.js';

/** The checks that are written out; what is generated sends much more and has tests of its own. */
const listedChecks: readonly Check[] = allChecks.filter(({ kind }) => kind === 'written');

export interface Judging extends ReferenceOptions {
  readonly only?: readonly string[];
  readonly checks?: readonly Check[];
  readonly seed?: number;
  readonly concurrency?: number;
  readonly shard?: Shard;
  readonly depth?: Depth;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Milliseconds until the run ends by itself; unlimited where absent. */
  readonly maxTimeMs?: number;
  /** What the plan says beyond seed and depth. */
  readonly plan?: Partial<Plan>;
  readonly onProgress?: RunEvents['onProgress'];
  /** Makes the base URL that requests go to of the server's own, which they go to where it is absent. */
  readonly reachedAt?: (baseUrl: string) => Promise<string>;
  /** The same for the control. */
  readonly controlledAt?: (controlUrl: string) => Promise<string>;
  readonly onExchange?: (exchange: Exchange) => void;
}

export interface Judged {
  readonly record: RunRecord;
  readonly report: Report;
  readonly redactor: Redactor;
  /** Requests sent, those to the control included. */
  readonly requests: number;
  /** Worlds that the run still held when every check was judged. */
  readonly worldsHeld: number;
  readonly worldsLeft: number;
}

export async function listViolated(judging: Judging): Promise<readonly RequirementId[]> {
  return idsWith((await judgeReference(judging)).report, 'fail');
}

export async function judgeReference({
  only = [],
  checks = listedChecks,
  seed = 1,
  concurrency = 8,
  shard = wholeRun,
  depth = 'standard',
  timeoutMs = 10_000,
  signal = new AbortController().signal,
  maxTimeMs,
  plan,
  onProgress = () => undefined,
  reachedAt,
  controlledAt,
  onExchange,
  ...server
}: Judging = {}): Promise<Judged> {
  const reference = await startReference({ host: 'localhost', ...server });
  const control = {
    url: (await controlledAt?.(reference.controlUrl)) ?? reference.controlUrl,
    ...(server.controlToken === undefined ? {} : { token: server.controlToken }),
  };
  using timed = maxTimeMs === undefined ? undefined : new RunDeadline(maxTimeMs);
  const usual = { concurrency, rate: undefined, maxRequests: undefined, maxTimeMs: Number.POSITIVE_INFINITY };
  try {
    const session = await Session.open({
      address: { control, baseUrl: await reachedAt?.(reference.baseUrl) },
      checks,
      selection: new Selection({ only, skip: [] }),
      plan: { seed, depth, ...plan },
      shard,
      limits:
        timed === undefined ? usual : resolveLimits({ depth, concurrency, maxTime: maxTimeMs }, undefined),
      timeoutMs,
      deadline: timed ?? { signal, isInterrupted: false, end: () => undefined },
      facts: { controlUrl: reference.controlUrl },
    });
    if (session.target !== undefined && onExchange !== undefined)
      Object.assign(session.target, { noteExchange: onExchange } satisfies Partial<Target>);
    const record = await session.judge({ onProgress });
    const worldsHeld = reference.worldCount();
    await session.close();
    return {
      record,
      report: session.report(record),
      redactor: session.redactor,
      requests: session.target?.client.sent ?? 0,
      worldsHeld,
      worldsLeft: reference.worldCount(),
    };
  } finally {
    await reference.close();
  }
}
