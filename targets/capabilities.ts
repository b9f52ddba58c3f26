import { isObject } from '../spec/json.js';
import { getOrInsert } from '../spec/maps.js';
import { describeNeed, type Need } from '../spec/need.js';
import type { InferenceRoute } from './control-client.js';

/** A refused call that the target claims to offer. */
interface RefusedCall {
  readonly need: Need;
  /** The same for every world: `PUT /worlds/{id}/guardrail`. */
  readonly call: string;
  readonly status: number;
  readonly world: string;
}

// A single 404 may mean that a world has expired, so a second world must confirm it.
const worldsNeeded = 2;

/** Needs that a target turned out not to meet; remembered for the run, so that nothing is asked in vain again. */
export class RefusedNeeds {
  readonly #worlds = new Map<string, Set<string>>();
  readonly #granted = new Map<string, Need>();
  readonly #refused = new Map<string, { readonly need: Need; readonly why: string }>();
  #count = 0;

  /** The number of refusals so far: a check that met one may do without what was refused when it is retried. */
  get count(): number {
    return this.#count;
  }

  /** Notes that a call succeeded. From then on its refusal is a disturbance. */
  noteGranted(call: string, need: Need): void {
    this.#granted.set(call, need);
  }

  isGranted(call: string): boolean {
    return this.#granted.has(call);
  }

  /** Notes that a call was refused as not offered. Returns what would unlock the need. */
  noteRefused({ need, call, status, world }: RefusedCall): string {
    const why = `${describeNeed(need)} (the control call ${call} was answered ${status})`;
    const worlds = getOrInsert(this.#worlds, call, () => new Set()).add(world);
    this.#count += 1;
    if (worlds.size >= worldsNeeded) this.#refused.set(call, { need, why });
    return why;
  }

  /** Notes that no call can meet a need; without the regional address its hostname is of no use either. */
  ruleOut(need: Need, why: string): void {
    if (need === 'regional') this.ruleOut('regional-host', why);
    if (this.#refused.has(need)) return;
    this.#refused.set(need, { need, why });
    this.#count += 1;
  }

  /** Explains why a call is no longer made; undefined where it may be made. */
  explainRefusal(call: string): string | undefined {
    return this.#refused.get(call)?.why;
  }

  /** Explains why a need is not met; undefined where none of its calls was refused, or one of them was granted. */
  lacks(need: Need): string | undefined {
    // Called for every answer, and nearly every target refuses nothing.
    if (this.#refused.size === 0 || [...this.#granted.values()].includes(need)) return undefined;
    return [...this.#refused.values()].find((refused) => refused.need === need)?.why;
  }
}

/** What is allowed on a target that is not on loopback. */
export interface Permissions {
  /** Secrets may be stored and deleted (`--allow-destructive`). */
  readonly destructive: boolean;
  /** Inference requests, which cost money, may be sent (`--inference`). */
  readonly inference: boolean;
  /** The user's words for them; the flags of the command by default. */
  readonly named?: Readonly<Record<'destructive' | 'inference', string>>;
}

const flags = { destructive: 'the flag --allow-destructive', inference: 'the flag --inference' };

/** Returns the permission that a need lacks off loopback; undefined where it lacks none. */
export function findForbidden(
  need: Need,
  { destructive, inference, named = flags }: Permissions,
): string | undefined {
  if (need === 'store' && !destructive) return `${named.destructive}, since the target is not on loopback`;
  if (need.startsWith('inference') && !inference)
    return `${named.inference}, since inference requests cost money and the target is not on loopback`;
  return undefined;
}

/**
 * Whether a route serves a free or a paid model; either where no kind is named. A paid model whose id ends in `:free` is a
 * free one (§8.2), so that no paid one is known.
 */
export function servesModel(route: InferenceRoute | undefined, kind: string): boolean {
  const hasFree = route?.free_model !== undefined;
  const hasPaid = route?.paid_model?.endsWith(':free') === false;
  if (kind === 'free') return hasFree;
  return kind === 'paid' ? hasPaid : hasFree || hasPaid;
}

/** Fills `"{model}"` and `"{stream}"` in the body of an inference request, whose members others may replace. */
export function makeInferenceBody(
  template: unknown,
  model: string,
  stream: boolean,
  members: Readonly<Record<string, unknown>> = {},
): string {
  const usual = template ?? {
    model: '{model}',
    stream: '{stream}',
    messages: [{ role: 'user', content: 'ping' }],
  };
  const body = isObject(usual) ? { ...usual, ...members } : usual;
  return JSON.stringify(body, (_, value: unknown) => {
    if (value === '{model}') return model;
    return value === '{stream}' ? stream : value;
  });
}
