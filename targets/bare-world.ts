import { Unavailable, type World } from './world.js';

/** The world of a target of which nothing is known but its address: it has no key, and nothing can be arranged in it. */
export class BareWorld implements World {
  readonly id = 'none';
  readonly workspaceId = undefined;
  readonly prefix = '';
  readonly arranged = '';

  guardrailId(): never {
    throw new Unavailable('guardrail');
  }

  key(role: Parameters<World['key']>[0]): never {
    throw new Unavailable(`role:${role}`);
  }

  isKey(): boolean {
    return false;
  }

  intern(intern: Parameters<World['intern']>[0]): never {
    throw new Unavailable(`intern:${intern}`);
  }

  store(): Promise<never> {
    return Promise.reject(new Unavailable('store'));
  }

  secrets(): Promise<never> {
    return Promise.reject(new Unavailable('inspect'));
  }

  setKeyInfo(): Promise<never> {
    return Promise.reject(new Unavailable('feature:key_info'));
  }

  setGuardrail(): Promise<never> {
    return Promise.reject(new Unavailable('feature:guardrail'));
  }

  setFaults(fault: Parameters<World['setFaults']>[0]): Promise<never> {
    return Promise.reject(new Unavailable(`fault:${fault}`));
  }

  setFreeUsage(): Promise<never> {
    return Promise.reject(new Unavailable('feature:free_usage'));
  }

  setCredit(): Promise<never> {
    return Promise.reject(new Unavailable('feature:credit'));
  }

  setUsage(): Promise<never> {
    return Promise.reject(new Unavailable('feature:usage'));
  }

  verifyClaims(): void {
    // Nothing was claimed.
  }

  async giveBack(): Promise<void> {
    // It holds nothing.
  }
}
