import type { Need } from '../spec/need.js';

/** What may be done to a target that is not on loopback. */
export interface Permissions {
  /** Secrets may be stored and deleted (`--allow-destructive`). */
  readonly destructive: boolean;
  /** Inference requests, which cost money, may be sent (`--inference`). */
  readonly inference: boolean;
}

/** What may not be done to a target that is not on loopback without being asked for. */
export function forbidden(need: Need, { destructive, inference }: Permissions): string | undefined {
  if (need === 'store' && !destructive)
    return 'the flag --allow-destructive, since the target is not on loopback';
  if (need.startsWith('inference') && !inference)
    return 'the flag --inference, since inference requests cost money and the target is not on loopback';
  return undefined;
}
