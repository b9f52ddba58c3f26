import { describeNeed, type Need } from '../spec/need.js';
import type { InferenceRoute } from './control-client.js';

/** A call that a target refused although it says that it offers it. */
interface RefusedCall {
  readonly need: Need;
  /** What was asked, without what differs from one world to the next: `PUT /worlds/{id}/guardrail`. */
  readonly call: string;
  readonly status: number;
  readonly world: string;
}

// A single 404 may mean that a world has expired, so a second world must say the same.
const worldsNeeded = 2;

/** What a target turned out not to offer while it was judged. Remembered for the run, so that it is not asked again. */
export class RefusedNeeds {
  readonly #worlds = new Map<string, Set<string>>();
  readonly #granted = new Map<string, Need>();
  readonly #refused = new Map<string, { readonly need: Need; readonly why: string }>();
  #count = 0;

  /** Refusals so far: a check that met one may do without what was refused when it is tried again. */
  get count(): number {
    return this.#count;
  }

  /** Notes that a call did what it was asked. From then on a refusal of it is a disturbance. */
  noteGranted(call: string, need: Need): void {
    this.#granted.set(call, need);
  }

  /** Whether a call has done what it was asked before. */
  isGranted(call: string): boolean {
    return this.#granted.has(call);
  }

  /** Notes that a call was refused as not offered, and says what would unlock what needed it. */
  noteRefused({ need, call, status, world }: RefusedCall): string {
    const why = `${describeNeed(need)} (the control call ${call} was answered ${status})`;
    const worlds = this.#worlds.get(call) ?? new Set();
    this.#worlds.set(call, worlds.add(world));
    this.#count += 1;
    if (worlds.size >= worldsNeeded) this.#refused.set(call, { need, why });
    return why;
  }

  /** Notes that a need cannot be met by any call; without the regional address its hostname is of no use either. */
  ruleOut(need: Need, why: string): void {
    if (need === 'regional') this.ruleOut('regional-host', why);
    if (this.#refused.has(need)) return;
    this.#refused.set(need, { need, why });
    this.#count += 1;
  }

  /** Explains why a call is not made any more; undefined where it may be made. */
  explainRefusal(call: string): string | undefined {
    return this.#refused.get(call)?.why;
  }

  /** Why a need is not met; undefined where nothing that it takes was refused, or where some of it was granted. */
  lacks(need: Need): string | undefined {
    // Asked for every answer, and nearly always of a target that refused nothing.
    if (this.#refused.size === 0 || [...this.#granted.values()].includes(need)) return undefined;
    return [...this.#refused.values()].find((refused) => refused.need === need)?.why;
  }
}

/** What may be done to a target that is not on loopback. */
export interface Permissions {
  /** Secrets may be stored and deleted (`--allow-destructive`). */
  readonly destructive: boolean;
  /** Inference requests, which cost money, may be sent (`--inference`). */
  readonly inference: boolean;
  /** What the user calls them; the flags of the command by default. */
  readonly named?: Readonly<Record<'destructive' | 'inference', string>>;
}

const flags = { destructive: 'the flag --allow-destructive', inference: 'the flag --inference' };

/** What may not be done to a target that is not on loopback without being asked for. */
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
 * Whether a route serves a free or a paid model; either where no kind is named. What is given as a paid model and ends in
 * `:free` is a free one (§8.2), so that no paid one is known.
 */
export function servesModel(route: InferenceRoute | undefined, kind: string): boolean {
  const hasFree = route?.free_model !== undefined;
  const hasPaid = route?.paid_model?.endsWith(':free') === false;
  if (kind === 'free') return hasFree;
  return kind === 'paid' ? hasPaid : hasFree || hasPaid;
}

/** The body of an inference request: the template of a target, `"{model}"` and `"{stream}"` in it replaced. */
export function inferenceBody(template: unknown, model: string, stream: boolean): string {
  const body = template ?? {
    model: '{model}',
    stream: '{stream}',
    messages: [{ role: 'user', content: 'ping' }],
  };
  return JSON.stringify(body, (_, value: unknown) => {
    if (value === '{model}') return model;
    return value === '{stream}' ? stream : value;
  });
}
