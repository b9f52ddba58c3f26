import { FAULTS } from '../../../../reference/vocabulary.js';
import { everyInference, guardrailRead, keyRead, removal } from '../requests.js';
import type { Script } from '../script.js';
import { eachOnToken, faults, script, sent } from '../steps.js';

/** Every fault, met by one request of each operation. */
export const faultScripts: readonly Script[] = [
  script(
    'every fault, briefly',
    FAULTS.flatMap((fault) => [
      faults(fault),
      ...eachOnToken([removal('token')]),
      ...sent([keyRead(), guardrailRead(), ...everyInference()]),
    ]),
  ),
];
