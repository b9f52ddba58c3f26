import type { Role } from './vocabulary.js';

/** What kinds of things are wrong with an answer. */
export type Wrong =
  /** Its status. */
  | 'status'
  /** It is not the JSON, or the event stream, that was due. */
  | 'form'
  /** It has a body where none is due, or a header that announces one. */
  | 'body'
  /** The type or the presence of a member. */
  | 'shape'
  /** Something else that a rule for every response asks for. */
  | 'rule'
  /** The value of each member. */
  | 'value'
  /** The value of one member relative to the others. */
  | 'relation'
  /** A header that it lacks. */
  | 'header'
  /** The state of a secret. */
  | 'secret';

/** What is wrong with an answer, as data: the sentences of a violation are for people. */
export interface Mismatch {
  readonly wrong: Wrong;
  /** The statuses that were allowed, the one that was due first; or any refusal, or any that the document names. */
  readonly due?: readonly number[] | 'refusal' | 'documented';
  /** The code of the error event within the answer; null where there is no event, or none with a code. */
  readonly event?: number | null;
  /** Why the status was due, in words. */
  readonly because?: string;
  /** The parts of the request that tell faults apart. */
  readonly asked?: AskedWith;
  /** The members, those of `data` by their names and others by their paths, or the header. */
  readonly fields?: readonly string[];
  /** Whose value it is, where that is known. */
  readonly of?: 'another-key';
  /**
   * The state of a secret: it is gone, was deleted with another name, cannot be deleted after it was stored again, is
   * still there after its delete, or was never stored.
   */
  readonly secret?: 'lost' | 'taken' | 'stored-again' | 'kept' | 'added';
}

/** The parts of a request that tell faults apart. */
export interface AskedWith {
  /** The role of its key; `none` where no key is known by its header. */
  readonly key: Role | 'none';
  /** It was sent to another hostname, or names one. */
  readonly host?: 'other';
  readonly model?: 'free' | 'paid';
}
