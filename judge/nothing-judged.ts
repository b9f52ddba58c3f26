import { Canaries } from '../targets/canary.js';
import { Redactor } from '../targets/redaction.js';
import { PassiveJudge } from './passive.js';
import type { RunRecord } from './run.js';

/** The record of a run that could not begin, and why. */
export function nothingJudged(reason: string): RunRecord {
  return {
    judgements: [],
    passive: new PassiveJudge({ canaries: new Canaries(), redactor: new Redactor() }),
    unjudged: reason,
    stopped: undefined,
    controlViolations: [],
    faults: [],
  };
}
