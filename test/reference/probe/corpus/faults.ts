import { FREE_MODEL, PAID_MODEL } from '../../../../reference/models.js';
import { FAULTS } from '../../../../reference/vocabulary.js';
import { everyInference, everyOperation, guardrailRead, inference, keyRead, removal } from '../requests.js';
import type { Script } from '../script.js';
import { eachOnToken, faults, look, script, sent, stock } from '../steps.js';

/** Every fault, met by one request of each operation. */
export const briefFaultScripts: readonly Script[] = [
  script(
    'every fault, briefly',
    FAULTS.flatMap((fault) => [
      faults(fault),
      ...eachOnToken([removal('token')]),
      ...sent([keyRead(), guardrailRead(), ...everyInference()]),
    ]),
  ),
];

/** Every fault, alone and beside what else is wrong with a request. */
export const faultScripts: readonly Script[] = [
  ...FAULTS.map((fault) =>
    script(
      `the fault ${fault}`,
      stock,
      faults(fault),
      eachOnToken([
        removal('token'),
        removal('token', { role: 'management' }),
        removal('token', { role: 'provisioning' }),
        removal('token', { headers: { Host: 'eu.vault.test' } }),
        removal('token', { from: 'there' }),
      ]),
      sent([
        removal('absent'),
        removal('Absent'),
        removal('token', { intern: ({ here }) => here.interns.foreign }),
        removal('token', { role: 'outsider' }),
        removal('token', { role: 'write_disabled' }),
        removal('only_sibling', { intern: ({ here }) => here.interns.sibling }),
        ...everyOperation(),
        guardrailRead({ role: 'member' }),
        guardrailRead({ id: ({ there }) => there.guardrail_id }),
        guardrailRead({ authorization: () => undefined }),
        ...everyInference(),
        ...everyInference({ role: 'free_small' }),
        ...everyInference({ role: 'exhausted' }),
        ...everyInference({ role: 'overdrawn' }),
        ...everyInference({ authorization: () => undefined }),
        inference('acme/unknown', false),
      ]),
      look,
      faults(),
      sent([...everyOperation(), ...everyInference()]),
      look,
    ),
  ),
  script(
    'several faults',
    stock,
    faults('vault_timeout', 'guardrail_internal_error', 'mid_stream_error', 'model_down'),
    sent([...everyOperation(), ...everyInference()]),
    faults('mid_stream_error', 'vault_rate_limited'),
    sent([...everyOperation(), ...everyInference(), ...everyInference(), ...everyInference()]),
    faults('no_provider'),
    sent([...everyOperation(), ...everyInference()]),
    look,
  ),
  script(
    'what a fault leaves counted',
    faults('upstream_rate_limited'),
    sent(Array.from({ length: 22 }, () => inference(FREE_MODEL, false))),
    faults('mid_stream_error'),
    sent(Array.from({ length: 22 }, () => inference(FREE_MODEL, true))),
    faults(),
    sent([inference(FREE_MODEL, false), inference(PAID_MODEL, false)]),
  ),
];
