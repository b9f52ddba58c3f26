/** The exit codes of a run. */
export const exitCodes = {
  conformant: 0,
  'non-conformant': 1,
  usage: 2,
  unjudged: 3,
  incomplete: 4,
  suiteFault: 5,
  interrupted: 130,
} as const;

/** Which exit code wins where several apply, the strongest first. */
const precedence: readonly number[] = [
  exitCodes['non-conformant'],
  exitCodes.suiteFault,
  exitCodes.interrupted,
  exitCodes.usage,
  exitCodes.unjudged,
  exitCodes.incomplete,
];

/**
 * Returns the exit code that wins among those that apply: a confirmed violation stays one whatever else went wrong.
 * @example strongestExitCode([exitCodes.suiteFault, exitCodes['non-conformant']]) // 1
 */
export function strongestExitCode(applying: readonly number[]): number {
  return precedence.find((code) => applying.includes(code)) ?? exitCodes.conformant;
}
