import type { Plan, Shard } from '../judge/plan.js';
import type { Limits, RunDeadline } from '../judge/run-limits.js';
import type { Selection } from '../judge/selection.js';
import { Session } from '../judge/session.js';
import { FREE_MODEL, PAID_MODEL } from '../reference/inference.js';
import { type Reference, startReference } from '../reference/server.js';
import type { WorldView } from '../reference/world-store.js';
import { reportReason } from '../spec/reasons.js';
import { isLeftOut, isUnproven } from '../spec/report.js';
import { type Scope, safeMethods } from '../spec/vocabulary.js';
import { allChecks } from '../suites/all-checks.js';
import { hasHostName, isLoopback } from '../targets/agents.js';
import { findForbidden, type Permissions } from '../targets/capabilities.js';
import { defaultScopes, type Profile, type StoreRecipe } from '../targets/profile/profile.js';
import type { Target, TargetAddress } from '../targets/target.js';
import type { Outgoing } from '../targets/transports.js';

/** What to rehearse. */
interface RehearsalPlan {
  /** The deployment that a run would judge; the embedded reference if absent. */
  readonly profile: Profile | undefined;
  readonly plan: Plan;
  readonly selection: Selection;
  readonly shard: Shard;
  readonly limits: Limits;
  readonly permissions: Permissions;
  readonly deadline: RunDeadline;
}

/** What a run would send, as its rehearsal showed it. */
export type Rehearsal = Awaited<ReturnType<typeof rehearseRun>>;

const timeoutMs = 10_000;
/** The reference's regional hostname. A profile may give it as a name or as an address, and this is both. */
const regionalHost = 'localhost';

/** Judges a reference server in place of the target and counts the requests; the target itself gets none. */
export async function rehearseRun(rehearsed: RehearsalPlan) {
  const { profile, limits } = rehearsed;
  // Its one world must outlive the rehearsal.
  const reference = await startReference({ worldTtlMs: limits.maxTimeMs * 2, regionalHost });
  try {
    if (profile === undefined) {
      const { controlUrl: url } = reference;
      return await judgeReference(rehearsed, { control: { url } });
    }
    const world = reference.openWorld('plan');
    await storeNames(profile, reference, world);
    return await judgeReference(rehearsed, { profile: makeStandIn(profile, reference, world) });
  } finally {
    await reference.close();
  }
}

async function judgeReference(rehearsed: RehearsalPlan, where: Pick<TargetAddress, 'profile' | 'control'>) {
  const { profile, plan, selection, shard, limits, permissions, deadline } = rehearsed;
  const counts = new Map<string, number>();
  let writes = 0;
  const count = (request: Outgoing) => {
    const { words, isWrite } = classifyRequest(request);
    counts.set(words, (counts.get(words) ?? 0) + 1);
    if (isWrite) writes += 1;
  };
  const start = performance.now();
  const session = await Session.open({
    address: { ...where, onSend: count },
    checks: allChecks,
    ...{ selection, plan, shard, timeoutMs, deadline },
    limits: { ...limits, rate: undefined },
  });
  const { target } = session;
  if (target !== undefined) imitateTarget(target, profile, permissions);
  const record = await session.judge();
  await session.close();
  const musts = session.report(record).requirements.filter((row) => row.level === 'must' && !isLeftOut(row));
  return {
    ...rehearsed,
    /** Number of requests of each kind, by its description. */
    counts,
    requests: target?.client.sent ?? 0,
    /** How many of them may store or delete secrets. */
    writes,
    durationMs: performance.now() - start,
    unjudged: record.unjudged,
    /** Why it stopped early: a run would too. */
    stopped: reportReason(record.stopped).reason ?? undefined,
    /** The selected `must` requirements, and how many of them the run could not prove. */
    musts: { selected: musts.length, unproven: musts.filter(isUnproven).length },
  };
}

const operationWords = { 'guardrail-read': 'reads of guardrails', 'key-info': 'reads of /key' } as const;

/** Says in words what a request means to the owner of the target, and whether it may change what is stored there. */
function classifyRequest({ operation, method, base, path, body = '' }: Outgoing) {
  if (operation === 'vault-delete')
    return {
      words: method === 'DELETE' ? 'deletes of secrets' : 'other requests to vault paths',
      isWrite: !safeMethods.includes(method),
    };
  // A call of the control protocol is no operation.
  if (operation === undefined) {
    if (method === 'PUT' && `${base}${path}`.includes('/secrets/'))
      return { words: 'secrets stored', isWrite: true };
    const words =
      method === 'POST' ? 'worlds (isolated tenants) opened' : 'other calls of the control protocol';
    return { words, isWrite: false };
  }
  if (operation !== 'inference') return { words: operationWords[operation], isWrite: false };
  const model = body.includes(JSON.stringify(PAID_MODEL)) ? 'paid' : 'free';
  return { words: `inference requests for a ${model} model`, isWrite: false };
}

/** Makes the reference, an address on loopback, offer and forbid what the target would. */
function imitateTarget(target: Target, profile: Profile | undefined, permissions: Permissions): void {
  const baseUrl = profile?.target.base_url;
  const isNamed = baseUrl === undefined || hasHostName(baseUrl);
  const isRestricted = baseUrl !== undefined && !isLoopback(baseUrl);
  const lacks = target.lacks.bind(target);
  target.lacks = (need) => {
    const why = isRestricted ? findForbidden(need, permissions) : undefined;
    if (why !== undefined) return why;
    return need === 'host-name' && isNamed ? undefined : lacks(need);
  };
}

/** Stores what the profile says is stored already. */
async function storeNames({ store }: Profile, { controlUrl }: Reference, { id }: WorldView): Promise<void> {
  const body = JSON.stringify({ value: 'stored beforehand' });
  for (const [scope, names = []] of Object.entries(store?.names ?? {}))
    for (const name of names)
      await fetch(`${controlUrl}/worlds/${id}/secrets/${scope}/${encodeURIComponent(name)}`, {
        method: 'PUT',
        body,
      });
}

/** Replaces every address, key and ID of a profile by those of a reference's world; what it leaves out stays out. */
function makeStandIn(profile: Profile, reference: Reference, world: WorldView): Profile {
  const { guardrail, store, inference, target } = profile;
  const { baseUrl } = reference;
  return {
    ...profile,
    target: {
      base_url: baseUrl,
      ...(target.regional_host && { regional_host: regionalHost }),
      ...(target.regional_base_url && { regional_base_url: baseUrl.replace('127.0.0.1', regionalHost) }),
    },
    keys: pickSame(world.keys, profile.keys),
    interns: pickSame(world.interns, profile.interns),
    ...(guardrail && {
      guardrail: {
        id: world.guardrail_id,
        ...(guardrail.workspace_id && { workspace_id: world.workspace_id }),
      },
    }),
    ...(store && { store: makeStandInStore(store, reference, world) }),
    ...(inference && {
      inference: {
        method: 'POST',
        path: '/chat/completions',
        ...(inference.free_model && { free_model: FREE_MODEL }),
        ...(inference.paid_model && { paid_model: PAID_MODEL }),
      },
    }),
    headers: {},
    tls: { insecure: false },
    secrets: {},
  };
}

/** A recipe that stores in the reference; names that are stored already stay as they are. */
function makeStandInStore(store: StoreRecipe, { controlUrl }: Reference, { id }: WorldView): StoreRecipe {
  // The control protocol stores in every scope, as a recipe of a profile may.
  const url = `${controlUrl}/worlds/${id}/secrets/{scope}/{name}`;
  const body = { value: '{value}' };
  const storeIn = (scopes: readonly Scope[]) => ({
    http: { method: 'PUT', url, headers: {}, body, accept: [204], key: 'member', scopes } as const,
  });
  const ofScopes = Object.keys(store.scopes ?? {}).map((scope) => [scope, storeIn([scope as Scope])]);
  const scopes = ofScopes.length === 0 ? {} : { scopes: Object.fromEntries(ofScopes) };
  if (store.names !== undefined) return { names: store.names, ...scopes };
  const { scopes: stored = defaultScopes } = store.http ?? store.command ?? {};
  return { ...storeIn(stored), ...scopes };
}

/** Returns the members of one object whose names also exist in another. */
function pickSame<Name extends string>(
  values: Readonly<Partial<Record<Name, string>>>,
  given: Readonly<Partial<Record<Name, string>>>,
): Partial<Record<Name, string>> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name in given)) as typeof values;
}
