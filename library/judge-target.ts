import { resolve } from 'node:path';
import { redactReport } from '../judge/evidence.js';
import type { Policy } from '../judge/gate.js';
import { RunDeadline, resolveLimits } from '../judge/run-limits.js';
import { Session } from '../judge/session.js';
import type { Report } from '../spec/report.js';
import { allChecks } from '../suites/all-checks.js';
import type { Profile } from '../targets/profile/profile.js';
import { readProfile } from '../targets/profile/read-profile.js';
import type { TargetAddress } from '../targets/target.js';
import { type Listening, listen } from './in-process.js';
import { controlUrl, type TargetControl, type TargetDescription } from './judged-target.js';
import { choosePolicy, type JudgingPlan } from './judging-plan.js';

/** A report, and the policy of its gate. */
export interface Judged {
  readonly report: Report;
  readonly policy: Policy;
}

const defaultTimeoutSeconds = 10;
const defaultControl = '/control';

/** Judges a target. Rejects with what is wrong with its profile, or why its server cannot listen. */
export async function judgeTarget(description: TargetDescription, judging: JudgingPlan): Promise<Judged> {
  const { app, profile: profilePath } = description;
  const profile =
    profilePath === undefined ? undefined : await readProfile(resolve(profilePath), process.env);
  const own = app === undefined ? undefined : await listen(app);
  try {
    const address = own === undefined ? locate(description) : locateInProcess(description, own, profile);
    const hint =
      own !== undefined && description.control === undefined
        ? ` Mount the control protocol at ${defaultControl}, or say where it is: { app, control: '/…' }.`
        : '';
    return await judgeAt({ ...address, profile }, judging, { hint: `.${hint}`, profilePath });
  } finally {
    await own?.close();
  }
}

async function judgeAt(
  address: Pick<TargetAddress, 'baseUrl' | 'origin' | 'control' | 'profile'>,
  { options, plan, selection }: JudgingPlan,
  { hint, profilePath }: { readonly hint: string; readonly profilePath: string | undefined },
): Promise<Judged> {
  const { timeout = defaultTimeoutSeconds, permissions, maxTime, concurrency, rate, maxRequests } = options;
  const { destructive = false, inference = false } = permissions ?? {};
  const maxTimeMs = maxTime === undefined ? undefined : maxTime * 1_000;
  const limits = resolveLimits(
    { depth: plan.depth, maxTime: maxTimeMs, concurrency, rate, maxRequests },
    address.profile,
  );
  const policy = choosePolicy(options, address.profile?.policy);
  const deadline = new RunDeadline(limits.maxTimeMs, options.signal);
  try {
    const session = await Session.open({
      address: { ...address, permissions: { destructive, inference } },
      checks: allChecks,
      ...{ selection, plan, limits, deadline, hint },
      timeoutMs: timeout * 1_000,
      facts: { baseUrl: address.baseUrl, controlUrl: address.control?.url, profilePath, policy },
    });
    const record = await session.judge();
    await session.close();
    return { report: redactReport(session.report(record), session.redactor), policy };
  } finally {
    deadline.release();
  }
}

type Location = Pick<TargetAddress, 'baseUrl' | 'origin' | 'control'>;

function locate({ baseUrl, control }: TargetDescription): Location {
  return {
    baseUrl: baseUrl === undefined ? undefined : String(baseUrl),
    control: control === undefined ? undefined : locateControl(control, undefined),
  };
}

/** The addresses of a server in this process: only their paths are known beforehand. */
function locateInProcess(
  { baseUrl, control }: TargetDescription,
  { origin }: Listening,
  profile: Profile | undefined,
): Location {
  const path = baseUrl ?? (profile === undefined ? undefined : new URL(profile.target.base_url).pathname);
  const spoken = control ?? (profile === undefined ? defaultControl : undefined);
  return {
    origin,
    baseUrl: path === undefined ? undefined : new URL(path, origin).href,
    control: spoken === undefined ? undefined : locateControl(spoken, origin),
  };
}

function locateControl(control: string | URL | TargetControl, origin: string | undefined) {
  const url = new URL(controlUrl(control), origin).href;
  const token = typeof control === 'string' || control instanceof URL ? undefined : control.token;
  return { url, token };
}
