import { guardrailSettings, keySettings } from '../generators/field-values.js';
import { areaOf, type RequirementId } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import { makeReason, type Reason, reportReason } from '../spec/reasons.js';
import type { Operation } from '../spec/vocabulary.js';
import { type Diagnosis, diagnoseAddress, diagnoseOperations } from '../targets/diagnosis/diagnose.js';
import { ProbeClient, ProfileProbes } from '../targets/diagnosis/probe-client.js';
import { isSuccessStatus } from '../targets/exchange.js';
import { nameByPage } from '../targets/proxy-detection.js';
import { freshName } from '../targets/world.js';
import type { CheckContext } from './api.js';
import { type AttemptSpec, attempt, attemptShared, type RunContext, unlessAborted } from './attempt.js';
import { plainRequests } from './call.js';
import { type Attempt, type Evidence, readLastStatus, type Violation } from './finding.js';
import { PassiveJudge } from './passive.js';
import { isPermittedStatus } from './passive-rules.js';
import { getOperation, TargetClaims } from './target-claims.js';

// A server may break a connection that has carried many requests; over a fresh one, a plain request still succeeds.
const connection = 'fresh';

// Zero to five: six equally likely counts, so that a balancer over two, three or six nodes may stop at any of them.
const maxReads = 5;
// As many as most cases send that have requests in flight together.
const readsTogether = 4;
const operations = Object.keys(plainRequests) as readonly Operation[];

/** The requirements that refuse a delete because the secret is stored somewhere else. */
const placeRows: readonly RequirementId[] = [
  'vault-delete.404.other-intern',
  'vault-delete.404.workspace-secret',
  'vault-delete.404.foreign-secret',
];

interface Failure {
  readonly reason: Reason;
  /** A control that fails before the request is sent says nothing about the operation. */
  readonly wasSent: boolean;
  /** The status of the last answer; undefined where there was none. */
  readonly status: number | undefined;
  /** What its tries got, such as `503`; absent once one got what no service in trouble answers. */
  readonly outages?: readonly string[];
}

/** What a check says of its positive control. */
export interface ControlledCheck {
  readonly control: Operation;
  /** Whether its own subject is that plain success, so that another operation must serve as its control. */
  readonly isControl?: true;
  readonly needs: readonly Need[];
}

/** The positive controls of a run: which are possible, and how they did. */
export class PositiveControls {
  readonly #succeeded = new Set<Operation>();
  /** Operations that serve other plain requests although their positive control failed. */
  readonly #partlyServed = new Set<Operation>();
  readonly #failures = new Map<Operation, Failure>();
  readonly #missing = new Map<Operation, Reason>();
  readonly #findings: Evidence[] = [];
  #diagnosis: Diagnosis | undefined;
  readonly #claims: TargetClaims;
  /** Whether another server than the service deletes without any key, as one does that answers 204 to everything. */
  #deletesForAnybody = false;

  constructor(private readonly context: RunContext) {
    this.#claims = new TargetClaims(context);
  }

  /** The operations whose plain success the target allows to be tried. */
  get possible(): readonly Operation[] {
    const { target } = this.context;
    return operations.filter((operation) =>
      plainRequests[operation].needs.every((need) => target.lacks(need) === undefined),
    );
  }

  /** Returns what a world turned out to lack for an operation's plain success. */
  findMissing(operation: Operation): Reason | undefined {
    return this.#missing.get(operation);
  }

  /** Conclusive violations in the answers to positive controls: they are responses of the run like any other. */
  get violations(): readonly Violation[] {
    return this.#findings
      .filter((finding) => this.#counts(finding))
      .map((finding) => {
        const check = plainRequests[getOperation(finding)].requirement;
        return { ...finding, confirmed: '1/1', origin: { check } };
      });
  }

  /** The requirements with findings in failed positive controls that do not count. */
  get inconclusive(): ReadonlyMap<RequirementId, Reason> {
    const open = this.#findings.filter(
      (finding) => !this.hasSucceeded(getOperation(finding)) && !this.#counts(finding),
    );
    return new Map(open.map((one) => [one.requirement, this.explainFailure(getOperation(one))]));
  }

  hasSucceeded(operation: Operation): boolean {
    return this.#succeeded.has(operation);
  }

  /** Whether something was served, and not by another server, which may answer some requests as the service does. */
  get isAnyServed(): boolean {
    const isElsewhere = this.#diagnosis?.isReached === false;
    const deletes: readonly Operation[] = this.#deletesForAnybody ? [] : ['vault-delete'];
    const shown = isElsewhere ? ['key-info' as const, ...deletes] : operations;
    return shown.some((operation) => this.hasSucceeded(operation));
  }

  /** Whether some plain request of an operation succeeded, its positive control or another one. */
  #isServed(operation: Operation): boolean {
    return this.hasSucceeded(operation) || this.#partlyServed.has(operation);
  }

  /** Finds the control of a check: its own operation or, where its subject is that operation's success, another. */
  findPairedControl({ control, isControl }: ControlledCheck): Operation | undefined {
    if (this.hasSucceeded(control)) return control;
    return isControl ? this.possible.find((operation) => this.hasSucceeded(operation)) : undefined;
  }

  explainFailure(operation: Operation): Reason {
    const failure = this.#failures.get(operation);
    if (failure === undefined) return makeReason('control-untried');
    const cause = this.#diagnosis?.causes.get(operation);
    const details = cause === undefined ? [] : [cause];
    if (failure.outages !== undefined && !this.#isServed(operation))
      return makeReason('operation-down', operation, failure.outages.join(' and '), ...details);
    return cause === undefined ? failure.reason : makeReason('wrong-profile', cause);
  }

  /** Explains why failures of an operation that never succeeded do not count; undefined where they count. */
  excuse(operation: Operation): Reason | undefined {
    const failure = this.#failures.get(operation);
    if (failure === undefined || this.#isServed(operation) || this.#missing.has(operation)) return undefined;
    const isClaimed = this.context.target.profile !== undefined;
    return isClaimed || !failure.wasSent || failure.outages !== undefined
      ? this.explainFailure(operation)
      : undefined;
  }

  get notes(): readonly string[] {
    const { settleMs = 0, openingMs = 0, settingMs = 0 } = this.context.target;
    const isLate = settleMs > 0 && this.hasSucceeded('vault-delete');
    const claims = [
      ...this.#claims.notes,
      ...(openingMs > 0
        ? [`A new world takes effect late here: the run waits ${openingMs} ms after opening one.`]
        : []),
      ...(settingMs > 0
        ? [
            `What the control sets takes effect late here: the run waits ${settingMs} ms after each such call.`,
          ]
        : []),
      ...(isLate
        ? [
            this.context.target.controlled
              ? `What the control stores or sets takes effect late here: the run waits ${settleMs} ms after each such call.`
              : `Stored secrets take effect late here: the run waits ${settleMs} ms after storing one.`,
          ]
        : []),
    ];
    // What answers in place of the service, or that nothing does, is the same for each operation.
    const { isReached = true, causes = new Map() } = this.#diagnosis ?? {};
    if (!isReached && !this.isAnyServed && causes.size > 0) return [...new Set(causes.values()), ...claims];
    const reasons = this.possible.flatMap((operation) => this.excuse(operation) ?? []);
    const excuses = reasons.flatMap((reason) => reportReason(reason).reason ?? []);
    return [...new Set([...excuses, ...claims])];
  }

  /**
   * Explains why a finding does not count, undefined where it does: nothing answers at the regional address, or, with a
   * profile, the operation never succeeded or an entry that the request relies on is wrong.
   */
  async findWrongClaim(finding: Evidence): Promise<Reason | undefined> {
    const unreachable = await this.#claims.findUnreachableRegion(finding);
    if (unreachable !== undefined || areaOf(finding.requirement) === 'secrecy') return unreachable;
    const isClaimed = this.context.target.profile !== undefined;
    const excuse = isClaimed ? this.excuse(getOperation(finding)) : undefined;
    if (excuse !== undefined && !this.countsDespiteExcuse(finding)) return excuse;
    return this.#claims.findWrong(finding);
  }

  /** Whether a finding counts although its operation is excused: no failure of the service explains it. */
  countsDespiteExcuse(finding: Evidence): boolean {
    const { conclusive, requirement } = finding;
    const isKnownGood = this.context.target.profile === undefined;
    if (!conclusive) return isKnownGood && PassiveJudge.requirements.includes(requirement);
    if (isKnownGood || areaOf(requirement) === 'secrecy') return true;
    // The recipe of the profile decides where a secret is stored, and no success has shown that the recipe is right.
    if (placeRows.includes(requirement)) return false;
    return isSuccessStatus(readLastStatus(finding)) && this.#diagnosis?.isReached === true;
  }

  /** Whether a check of an excused operation can show something in acceptable time without leaving secrets behind. */
  isWorthSending({ control, isControl, needs }: ControlledCheck): boolean {
    const { target } = this.context;
    if (isControl) return true;
    const isAnswered = this.#failures.get(control)?.status !== undefined;
    return isAnswered && (target.profile === undefined || !needs.includes('store'));
  }

  #counts(finding: Evidence): boolean {
    const isExcused = () => this.excuse(getOperation(finding)) !== undefined;
    return finding.conclusive && (!isExcused() || this.countsDespiteExcuse(finding));
  }

  /** Reads the key up to five times, whatever is answered: a case that is repeated then finds a balancer at another turn. */
  async readAtRandom(context: RunContext): Promise<void> {
    const count = Math.floor(Math.random() * (maxReads + 1));
    const spec: AttemptSpec = {
      subject: plainRequests['key-info'].requirement,
      run: ({ api }) => api.readKey().send('any'),
    };
    for (let sent = 0; sent < count && !context.signal.aborted; sent++) await attemptShared(spec, context);
  }

  /** Whether keys that are read together are all served, as they are one after another. */
  async servesTogether(context: RunContext): Promise<boolean> {
    let isServed = true;
    const spec: AttemptSpec = {
      subject: plainRequests['key-info'].requirement,
      run: async ({ api }) => {
        const calls = Array.from({ length: readsTogether }, () => api.readKey().send('burst'));
        for (const { answer } of await Promise.all(calls)) isServed &&= answer?.status === 200;
      },
    };
    for (let time = 0; time < maxReads && isServed && !context.signal.aborted; time++)
      await attemptShared(spec, context);
    return isServed;
  }

  /** Tries the plain success of an operation in a fresh world or, with a low budget, in a shared one. */
  async try(operation: Operation, context: RunContext): Promise<Attempt & { readonly succeeded: boolean }> {
    // In a shared world it would share the trouble of others, so only a low budget justifies one.
    const tryIt = context.opening !== undefined ? attemptShared : attempt;
    const verifiesClaims = this.#failures.has(operation);
    const { requirement: subject, success } = plainRequests[operation];
    const run = async ({ api }: CheckContext) =>
      (await api.makePlain(operation, { connection })).expectControl(success);
    const tried = await tryIt({ subject, run }, { ...context, verifiesClaims });
    const { disturbed, notShown, findings } = tried;
    this.#findings.push(...findings.filter(({ conclusive }) => conclusive || !this.hasSucceeded(operation)));
    if (disturbed !== undefined) {
      this.#failures.set(operation, this.#describeFailure(operation, disturbed, tried));
      await this.#waitOutLag(operation, readLastStatus(tried));
    } else if (notShown !== undefined)
      this.#failures.set(operation, { reason: notShown, wasSent: false, status: undefined });
    else this.#succeeded.add(operation);
    if (notShown !== undefined) this.#missing.set(operation, notShown);
    return { ...tried, succeeded: disturbed === undefined && notShown === undefined };
  }

  /** Where several servers hold the keys and secrets, some may get them late. */
  async #waitOutLag(operation: Operation, status: number | undefined): Promise<void> {
    const { target, signal } = this.context;
    const isOfSecret = operation === 'vault-delete' && status === 404;
    if (isOfSecret) target.waitLongerAfterStores?.();
    if (signal.aborted) return;
    // Earlier requests may have taken so long to arrive that their keys were known by then.
    if (status === 401) await target.waitOutLag?.('key');
    else if (operation === 'guardrail-read' && status === 404) await target.waitOutLag?.('guardrail');
    else if (isOfSecret && !this.hasSucceeded(operation)) await target.waitOutLag?.('secret');
  }

  /** Explains why the target knows none of the keys that its control handed out, if that is how every operation failed. */
  #explainUnknownKeys(): string | undefined {
    const failures = [...this.#failures.values()];
    if (failures.length === 0 || failures.some(({ status }) => status !== 401)) return undefined;
    return 'the target answers 401 to every key that its control has just handed out: something in front of it removes the Authorization header, or the control belongs to another deployment';
  }

  #describeFailure(operation: Operation, disturbed: string, tried: Attempt): Failure {
    const reason = tried.contradicted ?? makeReason('control-failed', disturbed);
    const before = this.#failures.get(operation);
    const wasSent = tried.contradicted !== undefined || tried.exchanges.length > 0;
    if (!wasSent && before !== undefined) return before;
    const outage = tried.contradicted === undefined ? findOutage(operation, tried) : undefined;
    const status = readLastStatus(tried);
    if (outage === undefined || (before?.wasSent === true && before.outages === undefined))
      return { reason, wasSent, status };
    return { reason, wasSent, status, outages: [...new Set([...(before?.outages ?? []), outage])] };
  }

  /** Tries other plain requests of an operation whose positive control failed: it may not be down. */
  async tryOtherRequests(operation: Operation): Promise<void> {
    if (this.excuse(operation) === undefined) return;
    // Any other failure, such as a 404, may be due to the profile, or to a store that takes effect late.
    if (operation === 'vault-delete' && this.#failures.get(operation)?.outages === undefined) return;
    const run = async (given: CheckContext) => {
      if (await tryOthers[operation](given)) this.#partlyServed.add(operation);
    };
    const { findings } = await attempt({ subject: plainRequests[operation].requirement, run }, this.context);
    this.#findings.push(...findings.filter(({ conclusive }) => conclusive));
    // By now the operation may be up.
    if (this.#partlyServed.has(operation)) await this.try(operation, this.context);
  }

  /** Withdraws the intern `sibling` of a profile if its secrets cannot be deleted while those of the own intern can. */
  async withdrawWrongSibling(): Promise<void> {
    if (this.hasSucceeded('vault-delete')) await this.#claims.withdrawWrongSibling();
  }

  /** Diagnoses, as `doctor` does, why operations of a profile did not succeed, or what answers where none did. */
  async diagnose(): Promise<void> {
    const { target, signal } = this.context;
    const probes = new ProbeClient(target, signal);
    if (target.controlled && this.#succeeded.size === 0 && !signal.aborted) {
      const cause =
        (await unlessAborted(signal, () => diagnoseAddress(probes))) ?? this.#explainUnknownKeys();
      if (cause !== undefined)
        this.#diagnosis = { isReached: false, causes: new Map(operations.map((one) => [one, cause])) };
    }
    const failed = this.possible.filter((operation) => this.excuse(operation) !== undefined);
    const { profile } = target;
    if (profile === undefined || failed.length === 0 || signal.aborted) return;
    const ofProfile = new ProfileProbes(target, profile, signal);
    this.#diagnosis = await unlessAborted(signal, () => diagnoseOperations(failed, ofProfile));
    const { own } = profile.interns;
    if (this.#diagnosis?.isReached !== false || own === undefined || !this.hasSucceeded('vault-delete'))
      return;
    const deleted = await unlessAborted(signal, () => probes.deleteSecret(own, freshName(), {}));
    this.#deletesForAnybody = deleted?.answer?.status === 204;
  }
}

/**
 * Sends plain requests that differ from the positive control of an operation: with other settings, for a paid model, or while
 * a second secret is stored. Returns whether one of them succeeded.
 */
const tryOthers: Readonly<Record<Operation, (context: CheckContext) => Promise<boolean>>> = {
  'key-info': async ({ api, world }) => {
    await world.setKeyInfo('member', keySettings[0] ?? {});
    return api.readKey({ connection }).succeeds(200);
  },
  'guardrail-read': async ({ api, world }) => {
    await world.setGuardrail(guardrailSettings[0] ?? {});
    return api.readGuardrail({ connection }).succeeds(200);
  },
  inference: ({ api }) => api.infer({ model: 'paid', connection }).succeeds(200),
  'vault-delete': async ({ api, world }) => {
    const [name, other] = [await world.store('own'), await world.store('own')];
    const isFirstDeleted = await api.deleteSecret({ name, connection }).succeeds(204);
    return (await api.deleteSecret({ name: other, connection }).succeeds(204)) || isFirstDeleted;
  },
};

/** Returns what a plain request got where that is no answer, or a 5xx or 429 that the document permits (§7). */
function findOutage(operation: Operation, { exchanges }: Attempt): string | undefined {
  const exchange = exchanges.at(-1);
  if (exchange === undefined) return undefined;
  const { response, lost } = exchange;
  // A service in trouble may lose a connection, but it never sends what is not HTTP.
  if (response === null) return /\((?:HPE|Z)_/.test(lost ?? '') ? undefined : (lost ?? 'no answer');
  const { status } = response;
  if ((status < 500 && status !== 429) || !isPermittedStatus(operation, status)) return undefined;
  const page = nameByPage({ ...response, text: response.body });
  return page === undefined ? String(status) : `${status} (a page of ${page})`;
}
