import { Canaries } from '../targets/leak-detection.js';
import { Redactor } from '../targets/redaction.js';
import type { Division } from './part.js';
import { PassiveJudge } from './passive.js';
import type { RunRecord } from './run.js';

/** The record of a run that could not begin, and why. */
export function nothingJudged(reason: string, division?: Division): RunRecord {
  return {
    judgements: [],
    passive: new PassiveJudge({ canaries: new Canaries(), redactor: new Redactor() }),
    unjudged: reason,
    division,
    stopped: undefined,
    controlViolations: [],
    faults: [],
  };
}
