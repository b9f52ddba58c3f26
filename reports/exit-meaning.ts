import { exitCodes } from '../spec/exit-codes.js';
import type { Report } from '../spec/report.js';

/**
 * What an exit code means: the result of the test case `verdict`, its type, a sentence, and the words of the badge where they
 * differ from the type. The type is the name of the verdict, where the verdict alone leads to the code.
 */
type ExitMeaning = readonly [
  result: 'pass' | 'fail' | 'error',
  type: string,
  meaning: string,
  badge?: string,
];

const exitMeanings: Readonly<Record<number, ExitMeaning>> = {
  [exitCodes.conformant]: ['pass', 'conformant', 'allowed by waivers, policy or ledger version'],
  [exitCodes['non-conformant']]: ['fail', 'non-conformant', 'a requirement failed that the gate depends on'],
  [exitCodes.usage]: ['error', 'usage', 'the waivers or the policy are invalid', 'invalid waivers or policy'],
  [exitCodes.unjudged]: ['error', 'unjudged', 'nothing could be judged', 'not judged'],
  [exitCodes.incomplete]: ['fail', 'incomplete', 'a must did not pass and is not excused'],
  [exitCodes.suiteFault]: ['error', 'suite-fault', 'the suite itself failed', 'the suite failed'],
  [exitCodes.interrupted]: ['error', 'interrupted', 'the run was interrupted'],
};

/** Returns what an exit code means. What is not 0 is never shown as passed. */
export function findExitMeaning(exitCode: number): ExitMeaning {
  return exitMeanings[exitCode] ?? ['error', 'unknown', 'unknown to this version'];
}

/** Explains how the gate ends: `exit code 130: the run was interrupted`; the code alone where the verdict says it. */
export function explainExit({ verdict, gate: { exit_code: code } }: Report): string {
  const [, type, meaning] = findExitMeaning(code);
  return `exit code ${code}${type === verdict ? '' : `: ${meaning}`}`;
}
