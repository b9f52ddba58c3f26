import type { Failure } from '../spec/report.js';
import { reportSituation, type Situation } from '../spec/situation.js';
import type { Violation } from './finding.js';

/** A violation as the report tells it, with its situation and the command that shows it again. */
export function toldFailure(violation: Violation, situation: Situation, again: string): Failure {
  const { requirement: violated, message, expected, actual, counterexample } = violation;
  const { confirmed, exchanges, curl } = violation;
  return {
    requirement: violated,
    ...reportSituation(situation),
    message,
    expected,
    actual,
    counterexample,
    confirmed,
    exchanges,
    reproduce: { curl, command: again },
  };
}
