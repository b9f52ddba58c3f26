import { resolve } from 'node:path';
import { redactReport } from '../judge/evidence.js';
import { RunDeadline, resolveLimits } from '../judge/run-limits.js';
import { Session, type SessionFacts } from '../judge/session.js';
import type { Report } from '../spec/report.js';
import { allChecks } from '../suites/all-checks.js';
import { assertNoEmptyVariable, readEnvironmentKeys, writeLiteral } from '../targets/profile/given-values.js';
import type { Profile } from '../targets/profile/profile.js';
import { makeProfile, readProfile } from '../targets/profile/read-profile.js';
import type { TargetAddress } from '../targets/target.js';
import { listen } from './in-process.js';
import type { CheckedTarget } from './judged-target.js';
import { choosePolicy, type JudgingPlan } from './judging-plan.js';

const defaultTimeoutSeconds = 10;
const defaultControl = '/control';
const optionNames = { destructive: 'permissions.destructive', inference: 'permissions.inference' };

/** Judges a target. Rejects with what is wrong with its profile, or why its server cannot listen. */
export async function judgeTarget(description: CheckedTarget, judging: JudgingPlan): Promise<Report> {
  const { app, profile: profilePath } = description;
  const profile = await describeDeployment(description);
  const own = app === undefined ? undefined : await listen(app);
  try {
    const address = locate(description, own?.origin, profile);
    const hint =
      own !== undefined && description.control === undefined
        ? ` Mount the control protocol at ${defaultControl}, or say where it is: { app, control: '/…' }.`
        : '';
    const isInProcess = app !== undefined;
    return await judgeAt({ ...address, profile }, judging, { hint: `.${hint}`, profilePath, isInProcess });
  } finally {
    await own?.close();
  }
}

/** Reads the profile and, for a server elsewhere without control protocol, the keys of the environment. */
async function describeDeployment({
  app,
  baseUrl,
  control,
  profile,
}: CheckedTarget): Promise<Profile | undefined> {
  const { env } = process;
  const isControlled = control !== undefined || (app !== undefined && profile === undefined);
  assertNoEmptyVariable(env, isControlled && control?.token === undefined);
  const keys = control === undefined && app === undefined ? readEnvironmentKeys(env) : [];
  if (profile !== undefined) return await readProfile(resolve(profile), env, keys);
  if (baseUrl === undefined || isControlled) return undefined;
  return await makeProfile(env, [
    ...keys,
    { place: ['target', 'base_url'], text: writeLiteral(String(baseUrl)) },
  ]);
}

async function judgeAt(
  address: Pick<TargetAddress, 'baseUrl' | 'origin' | 'control' | 'profile'>,
  { options, plan, selection }: JudgingPlan,
  { hint, ...facts }: { readonly hint: string } & Pick<SessionFacts, 'profilePath' | 'isInProcess'>,
): Promise<Report> {
  const { timeout = defaultTimeoutSeconds, permissions, maxTime, concurrency, rate, maxRequests } = options;
  const { destructive = false, inference = false } = permissions ?? {};
  const maxTimeMs = maxTime === undefined ? undefined : maxTime * 1_000;
  const limits = resolveLimits(
    { depth: plan.depth, maxTime: maxTimeMs, concurrency, rate, maxRequests },
    address.profile,
  );
  const policy = choosePolicy(options, address.profile?.policy);
  using deadline = new RunDeadline(limits.maxTimeMs, options.signal);
  const session = await Session.open({
    address: { ...address, permissions: { destructive, inference, named: optionNames } },
    checks: allChecks,
    ...{ selection, plan, limits, deadline, hint },
    timeoutMs: timeout * 1_000,
    facts: { baseUrl: address.baseUrl, controlUrl: address.control?.url, policy, ...facts },
  });
  const record = await session.judge();
  await session.close();
  return redactReport(session.report(record), session.redactor);
}

/** Completes the addresses of a target. Of a server in this process only the paths are known before it listens. */
function locate(
  { baseUrl, control }: CheckedTarget,
  origin: string | undefined,
  profile: Profile | undefined,
): Pick<TargetAddress, 'baseUrl' | 'origin' | 'control'> {
  if (origin === undefined)
    return { baseUrl: baseUrl && String(baseUrl), control: locateControl(control, undefined) };
  const path = baseUrl ?? (profile && new URL(profile.target.base_url).pathname);
  return {
    origin,
    baseUrl: path && new URL(path, origin).href,
    control: locateControl(control ?? (profile === undefined ? { url: defaultControl } : undefined), origin),
  };
}

function locateControl(control: CheckedTarget['control'], origin: string | undefined) {
  if (control === undefined) return undefined;
  const { url, token = process.env.PLUMBLINE_CONTROL_TOKEN } = control;
  return { url: new URL(url, origin).href, token };
}
