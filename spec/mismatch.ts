import type { Mismatch } from './generated/report.js';

/** What is wrong with an answer, as data: the sentences of a violation are for people. */
export type { Mismatch } from './generated/report.js';

/** What kinds of things are wrong with an answer. */
export type Wrong = Mismatch['wrong'];

/** The parts of a request that tell faults apart. */
export type AskedWith = NonNullable<Mismatch['asked']>;
