import type { Plan, Selection, Shard } from '../../judge/plan.js';
import type { Limits, RunDeadline } from '../../judge/run-limits.js';
import { Session } from '../../judge/session.js';
import { PAID_MODEL } from '../../reference/inference.js';
import { type Reference, startReference } from '../../reference/server.js';
import { type WorldView } from '../../reference/world-store.js';
import { reportReason } from '../../spec/reasons.js';
import { isLeftOut, isUnproven } from '../../spec/report.js';
import { allChecks } from '../../suites/all-checks.js';
import { hasHostName, isLoopback } from '../../targets/agents.js';
import { forbidden, type Permissions } from '../../targets/capabilities.js';
import { Client } from '../../targets/client.js';
import { ControlClient } from '../../targets/control-client.js';
import type { Profile } from '../../targets/profile/profile.js';
import type { Target, TargetAddress } from '../../targets/target.js';
import { inferencePath, regionalBaseUrl, regionalHost, rehearsalProfile } from './rehearsal-profile.js';
import { Traffic } from './traffic.js';

/** What is to be rehearsed. */
export interface RehearsalPlan {
  /** The deployment that a run would judge; the embedded reference where absent. */
  readonly profile: Profile | undefined;
  readonly plan: Plan;
  readonly selection: Selection;
  /** Which part of the run. */
  readonly shard: Shard;
  readonly limits: Limits;
  readonly permissions: Permissions;
  readonly deadline: RunDeadline;
}

/** What a run would send, as its rehearsal showed it. */
export interface Rehearsal {
  readonly traffic: Traffic;
  readonly requests: number;
  readonly durationMs: number;
  /** Why nothing would be judged. */
  readonly unjudged: string | undefined;
  /** Why it ended before its end: a run would too. */
  readonly stopped: string | undefined;
  /** The `must` requirements of the selection, and how many of them the run could not prove. */
  readonly musts: { readonly selected: number; readonly unproven: number };
}

const timeoutMs = 10_000;

/** Judges a reference server in place of the target, and counts what is sent to it; the target itself gets nothing. */
export async function rehearsed(planned: RehearsalPlan): Promise<Rehearsal> {
  const { profile, limits } = planned;
  // Its one world must outlive the rehearsal.
  const reference = await startReference({ worldTtlMs: limits.maxTimeMs * 2, regionalHost });
  try {
    if (profile === undefined) return await judged(planned, reference, { control: controlOf(reference) }, {});
    const world = reference.openWorld('plan');
    await storeNames(profile, reference, world);
    const stand = rehearsalProfile(profile, reference, world);
    return await judged(planned, reference, { profile: stand }, stand.interns);
  } finally {
    await reference.close();
  }
}

async function judged(
  { profile, plan, selection, shard, limits, permissions, deadline }: RehearsalPlan,
  reference: Reference,
  where: Pick<TargetAddress, 'profile' | 'control'>,
  interns: Profile['interns'],
): Promise<Rehearsal> {
  const traffic = new Traffic({
    baseUrls: [reference.baseUrl, regionalBaseUrl(reference.baseUrl)],
    controlUrl: reference.controlUrl,
    interns,
    inferencePath,
    paidModel: PAID_MODEL,
  });
  const start = performance.now();
  const session = await Session.open({
    address: {
      ...where,
      onSend: ({ method, base, path, body }) => traffic.sent({ method, url: `${base}${path}`, body }),
    },
    checks: allChecks,
    selection,
    plan,
    shard,
    limits: { ...limits, rate: undefined },
    timeoutMs,
    deadline,
    maxRequestsReason: `the ceiling of ${limits.maxRequests} requests would be reached`,
  });
  const { target } = session;
  if (target !== undefined) {
    watch(target, traffic);
    nameHost(target, profile?.target.base_url);
    if (profile !== undefined) restrict(target, profile, permissions);
  }
  const record = await session.judge();
  await session.close();
  const musts = session.report(record).requirements.filter((row) => row.level === 'must' && !isLeftOut(row));
  return {
    traffic,
    requests: target?.client.sent ?? 0,
    durationMs: performance.now() - start,
    unjudged: record.unjudged,
    stopped: reportReason(record.stopped).reason ?? undefined,
    musts: { selected: musts.length, unproven: musts.filter(isUnproven).length },
  };
}

/** Counts what checks send over sockets of their own, too. */
function watch(target: Target, traffic: Traffic): void {
  const seen = target.seen.bind(target);
  target.seen = (exchange) => {
    traffic.seen(exchange.request);
    seen(exchange);
  };
}

/** Takes the reference, which is reached by its address, for a host that has a name where the target is one. */
function nameHost(target: Target, baseUrl: string | undefined): void {
  const lacks = target.lacks.bind(target);
  const isNamed = baseUrl === undefined || hasHostName(baseUrl);
  target.lacks = (need) => (need === 'host-name' && isNamed ? undefined : lacks(need));
}

/** Forbids on the reference, which is on loopback, what would be forbidden on the target. */
function restrict(
  target: Target,
  { target: { base_url: baseUrl } }: Profile,
  permissions: Permissions,
): void {
  if (isLoopback(baseUrl)) return;
  const lacks = target.lacks.bind(target);
  target.lacks = (need) => forbidden(need, permissions) ?? lacks(need);
}

function controlOf({ controlUrl }: Reference): { readonly url: string } {
  return { url: controlUrl };
}

/** Stores what the profile says is stored already. */
async function storeNames({ store }: Profile, { controlUrl }: Reference, { id }: WorldView): Promise<void> {
  if (store === undefined || !('names' in store)) return;
  const client = new Client({ concurrency: 1, timeoutMs });
  const control = new ControlClient(client, { url: controlUrl });
  for (const scope of ['own', 'sibling'] as const) {
    for (const name of store.names[scope] ?? [])
      await control.storeSecret(id, scope, name, 'stored beforehand');
  }
  client.close();
}
