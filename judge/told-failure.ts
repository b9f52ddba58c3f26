import type { Failure } from '../spec/report.js';
import type { Violation } from './judgement.js';

/** A violation as the report tells it, in the words of its situation, with the command that shows it again. */
export function toldFailure(violation: Violation, situation: string, again: string): Failure {
  const { requirement: violated, message, expected, actual, counterexample } = violation;
  const { confirmed, exchanges, curl } = violation;
  return {
    requirement: violated,
    situation,
    message,
    expected,
    actual,
    counterexample,
    confirmed,
    exchanges,
    reproduce: { curl, command: again },
  };
}
