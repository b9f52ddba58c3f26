import pLimit from 'p-limit';
import { isObject, tryParseJson } from '../spec/json.js';
import type { RequirementId } from '../spec/ledger.js';
import { describeNeed } from '../spec/need.js';
import { makeReason, type Reason } from '../spec/reasons.js';
import type { Operation } from '../spec/vocabulary.js';
import { diagnoseClaim, diagnoseSibling } from '../targets/diagnosis/diagnose.js';
import { ProbeClient, ProfileProbes } from '../targets/diagnosis/probe-client.js';
import { type RunContext, unlessAborted } from './attempt.js';
import type { Evidence } from './finding.js';

/** An entry of a profile that may be wrong, in the words of `doctor`, and the requirements that fail if it is right. */
interface WrongClaim {
  readonly cause: string;
  readonly requirements: Set<RequirementId>;
}

/** What a target is said to be, by its profile or its regional address, and what turned out to be wrong. */
export class TargetClaims {
  /** What is wrong with IDs of the profile that no positive control uses, in sentences. */
  readonly #wrongIds: string[] = [];
  /** By the claim and the operation that takes it on trust. */
  readonly #wrongClaims = new Map<string, WrongClaim>();
  readonly #inTurn = pLimit(1);
  #regionUnreachable: Promise<boolean> | undefined;

  constructor(private readonly context: Pick<RunContext, 'target' | 'signal'>) {}

  /** What is wrong, in the words of `doctor`. */
  get notes(): readonly string[] {
    return [...this.#wrongIds, ...[...this.#wrongClaims.values()].map(explainClaim)];
  }

  /** Explains why a lost connection, or a gateway's page, does not count: the service does not answer at the regional address. */
  async findUnreachableRegion({ claims = [], exchanges }: Evidence): Promise<Reason | undefined> {
    const { response } = exchanges.at(-1) ?? {};
    if (response === undefined || !claims.includes('regional')) return undefined;
    if (!isUnreached(response) || !(await this.#isRegionUnreachable())) return undefined;
    const got = response === null ? 'loses its connection' : `gets a gateway's ${response.status}`;
    const why = `${describeNeed('regional')} that can be reached; every request to it ${got}`;
    this.context.target.refused.ruleOut('regional', why);
    return makeReason('lacking', why);
  }

  /** Finds a wrong entry of the profile that the request of a finding relies on, and says what `doctor` says of it. */
  async findWrong(finding: Evidence): Promise<Reason | undefined> {
    const { claims = [], requirement } = finding;
    const { target, signal } = this.context;
    const { profile } = target;
    if (profile === undefined) return undefined;
    const operation = getOperation(finding);
    const probes = new ProfileProbes(target, profile, signal);
    for (const claim of claims) {
      const entry = `${claim} ${operation}`;
      const diagnose = () =>
        this.#wrongClaims.has(entry) || signal.aborted
          ? undefined
          : unlessAborted(signal, () => diagnoseClaim(claim, operation, probes));
      const cause = await this.#inTurn(diagnose);
      if (cause !== undefined) this.#wrongClaims.set(entry, { cause, requirements: new Set() });
      const wrong = this.#wrongClaims.get(entry);
      if (wrong === undefined) continue;
      wrong.requirements.add(requirement);
      return makeReason('wrong-profile', explainClaim({ ...wrong, requirements: new Set([requirement]) }));
    }
    return undefined;
  }

  /** Whether the regional address leads nowhere: a proxy may have no service behind that hostname. */
  #isRegionUnreachable(): Promise<boolean> {
    const { target, signal } = this.context;
    this.#regionUnreachable ??= unlessAborted(signal, async () => {
      const { host, baseUrl: base } = target.regional;
      const { answer } = await new ProbeClient(target, signal).readKey(
        host === undefined ? { base } : { host },
      );
      return isUnreached(answer === undefined ? null : { ...answer, body: answer.text });
    }).then((isUnreachable = false) => isUnreachable);
    return this.#regionUnreachable;
  }

  /** Withdraws the intern `sibling` of a profile if its secrets cannot be deleted while those of the own intern can. */
  async withdrawWrongSibling(): Promise<void> {
    const { target, signal } = this.context;
    const isOffered = (['intern:sibling', 'scope:sibling', 'store:named'] as const).every(
      (need) => target.lacks(need) === undefined,
    );
    if (target.profile === undefined || !isOffered) return;
    const probes = new ProfileProbes(target, target.profile, signal);
    const wrong = await unlessAborted(signal, () => diagnoseSibling(probes));
    if (wrong === undefined) return;
    this.#wrongIds.push(wrong);
    target.withdraw?.('sibling');
  }
}

/** Whether a request got no response, or one of a gateway that cannot reach the service. */
export function isUnreached(response: { readonly status: number; readonly body: string } | null): boolean {
  if (response === null) return true;
  return [502, 503, 504].includes(response.status) && !isObject(tryParseJson(response.body));
}

export function getOperation({ situation }: Evidence): Operation {
  return situation.exact.operation;
}

function explainClaim({ cause, requirements }: WrongClaim): string {
  return `${cause} If that entry is correct, the server violates ${[...requirements].join(', ')}.`;
}
