import { isObject } from '../spec/json.js';
import type { Need } from '../spec/need.js';
import { type Fault, type Intern, type Scope, vaultFaults } from '../spec/vocabulary.js';
import { inferenceBody } from './capabilities.js';
import type { Client } from './client.js';
import { type Answer, json } from './exchange.js';
import type { Target } from './target.js';
import type { Outgoing } from './transports.js';
import type { World } from './world.js';

/** What the claims of a control protocol are verified with. */
interface ClaimsMeans {
  readonly target: Pick<Target, 'baseUrl' | 'headers' | 'inference'> & { readonly client: Client };
  readonly openWorld: (label: string) => Promise<World>;
  readonly offers: (need: Need) => boolean;
  /** Aborted when the run is over: then nothing more is investigated. */
  readonly signal: AbortSignal;
}

type Request = Pick<Outgoing, 'method' | 'path' | 'headers' | 'body'>;

/** What became of a request that should have met a fault. */
type Probe = 'met' | 'ignored' | 'unclear';

/** The status that each fault asks for; what a stream makes of one is left out. */
const statusOfFault: Readonly<Partial<Record<Fault, number>>> = {
  vault_rate_limited: 429,
  scope_lookup_failed: 500,
  vault_unreachable: 502,
  vault_bad_response: 502,
  vault_writes_disabled: 503,
  vault_not_configured: 503,
  vault_timeout: 504,
  route_deadline: 408,
  guardrail_internal_error: 500,
  model_down: 502,
  no_provider: 503,
  upstream_rate_limited: 429,
  upstream_rate_limited_hint: 429,
  platform_rate_limited: 429,
  provider_bad_response: 502,
  inference_deadline: 408,
  guardrail_blocks: 403,
  moderation_flags: 403,
};

// So many of either kind that are ignored leave no doubt that all are.
const faultsTried = 4;

const interns = ['own', 'sibling', 'foreign'] as const;

/**
 * Looks into what a control protocol says it has arranged, where a violation would rest on it. Each question is answered
 * once for a run. A method rejects with ControlError where the control does not do its part.
 */
export class ControlClaims {
  #faults: Promise<boolean> | undefined;
  #interns: Promise<ReadonlyMap<Scope, string>> | undefined;
  /** Whether `ignoresFaults` was asked, and is so. */
  isKnownToIgnoreFaults = false;

  constructor(private readonly means: ClaimsMeans) {}

  /**
   * Whether no fault that the control offers takes hold. Where one does, the control sets faults, and a server that
   * ignores another is to blame itself.
   */
  ignoresFaults(): Promise<boolean> {
    this.#faults ??= this.#tryFaults().catch((error: unknown) => {
      this.#faults = undefined;
      throw error;
    });
    return this.#faults;
  }

  /**
   * The scopes whose interns the control names wrongly, each with what shows it: what it lists as stored for one intern
   * can be deleted only at the intern that it names otherwise.
   */
  misnamedInterns(): Promise<ReadonlyMap<Scope, string>> {
    this.#interns ??= this.#tryInterns().catch((error: unknown) => {
      this.#interns = undefined;
      throw error;
    });
    return this.#interns;
  }

  async #tryFaults(): Promise<boolean> {
    const world = await this.means.openWorld('faults of the control');
    try {
      const probes = new Set<Probe>();
      const offered = (Object.entries(statusOfFault) as [Fault, number][]).filter(([fault]) =>
        this.means.offers(`fault:${fault}`),
      );
      const isOfVault = ([fault]: (typeof offered)[number]) => vaultFaults.includes(fault);
      const tried = [
        ...offered.filter(isOfVault).slice(0, faultsTried),
        ...offered.filter((one) => !isOfVault(one)).slice(0, faultsTried),
      ];
      for (const [fault, status] of tried) {
        probes.add(await this.#probe(world, fault, status));
        if (probes.has('met')) break;
      }
      this.isKnownToIgnoreFaults = probes.size === 1 && probes.has('ignored');
      // Another time an answer may be clearer.
      if (!this.isKnownToIgnoreFaults && !probes.has('met')) this.#faults = undefined;
      return this.isKnownToIgnoreFaults;
    } finally {
      await world.giveBack();
    }
  }

  /** Sends a request that is valid but for a fault. */
  async #probe(world: World, fault: Fault, status: number): Promise<Probe> {
    const { offers } = this.means;
    if (vaultFaults.includes(fault)) {
      if (!offers('store') || !offers('role:member')) return 'unclear';
      return this.#probeDelete(world, fault, status);
    }
    const request = this.#makeRead(world, fault);
    if (request === undefined) return 'unclear';
    await world.setFaults(fault);
    const answer = await this.#send(request);
    if (answer?.status === status) return 'met';
    return answer?.status === 200 && isObject(json(answer)) ? 'ignored' : 'unclear';
  }

  async #probeDelete(world: World, fault: Fault, status: number): Promise<Probe> {
    const name = await world.store('own');
    await world.setFaults(fault);
    const answer = await this.#delete(world, 'own', name);
    if (answer?.status !== 204) return answer?.status === status ? 'met' : 'unclear';
    if (this.means.offers('inspect')) return (await isListed(world, 'own', name)) ? 'met' : 'ignored';
    await world.setFaults();
    const again = await this.#delete(world, 'own', name);
    return again?.status === 404 ? 'ignored' : 'met';
  }

  /** Makes a plain request of the operation that a fault is on; undefined where the target gives no means to. */
  #makeRead(world: World, fault: Fault): Request | undefined {
    const { offers, target } = this.means;
    if (fault === 'guardrail_internal_error') {
      if (!offers('guardrail') || !offers('role:management')) return undefined;
      return {
        method: 'GET',
        path: `/guardrails/${world.guardrailId()}`,
        headers: bearer(world.key('management')),
      };
    }
    const { inference } = target;
    const model = inference?.free_model ?? inference?.paid_model;
    if (inference === undefined || model === undefined) return undefined;
    if (!offers('inference') || !offers('role:member')) return undefined;
    return {
      method: inference.method,
      path: inference.path,
      headers: { ...bearer(world.key('member')), 'Content-Type': 'application/json' },
      body: inferenceBody(inference.body, model, false),
    };
  }

  async #tryInterns(): Promise<ReadonlyMap<Scope, string>> {
    const { offers, openWorld } = this.means;
    const misnamed = new Map<Scope, string>();
    if (!offers('role:member')) return misnamed;
    const world = await openWorld('interns of the control');
    try {
      for (const scope of ['own', 'sibling'] as const) {
        if (!offers(`scope:${scope}`) || !offers(`intern:${scope}`)) continue;
        const name = await world.store(scope);
        const answer = await this.#delete(world, scope, name);
        if (answer?.status !== 404 || !(await isListed(world, scope, name))) continue;
        for (const other of interns.filter((intern) => intern !== scope)) {
          if ((await this.#delete(world, other, name))?.status !== 204) continue;
          if (await isListed(world, scope, name)) continue;
          const message = `the answer to the control call POST /worlds contradicts GET /worlds/{id}/secrets: what is listed for the intern "${scope}" is deleted at the id of "${other}" alone`;
          misnamed.set(scope, message).set(other, message);
        }
      }
      return misnamed;
    } finally {
      await world.giveBack();
    }
  }

  #delete(world: World, intern: Intern, name: string): Promise<Answer | undefined> {
    return this.#send({
      method: 'DELETE',
      path: `/vault/interns/${world.intern(intern)}/secrets/${name}`,
      headers: bearer(world.key('member')),
    });
  }

  async #send(request: Request): Promise<Answer | undefined> {
    const { client, baseUrl, headers } = this.means.target;
    const outgoing = { ...request, base: baseUrl, headers: { ...headers, ...request.headers } };
    return (await client.send(outgoing, this.means.signal)).answer;
  }
}

async function isListed(world: World, scope: Scope, name: string): Promise<boolean> {
  const secrets = await world.secrets();
  return secrets.some((secret) => secret.scope === scope && secret.name === name);
}

function bearer(key: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${key}` };
}
