import type { Scope } from '../../spec/vocabulary.js';
import type { Waiting } from '../client.js';

/** A secret that is to be stored. */
export interface SecretToStore {
  readonly scope: Scope;
  /** The id of the intern; the workspace has none. */
  readonly intern: string | undefined;
  readonly name: string;
  readonly value: string;
}

/** A way to store secrets on a target that has no control protocol. Rejects with StoreError. */
export type Storer = (secret: SecretToStore, signal?: AbortSignal, waiting?: Waiting) => Promise<void>;

/** A secret could not be stored: it was the means that failed, not the service under judgement. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}
