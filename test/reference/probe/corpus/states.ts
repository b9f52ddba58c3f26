import { PAID_MODEL } from '../../../../reference/models.js';
import { guardrailRead, inference, keyRead, own, type Part, removal, request } from '../requests.js';
import type { Script, Step } from '../script.js';
import { faults, look, script, sent, stock, stored } from '../steps.js';

const sibling: Part = ({ here }) => here.interns.sibling;

function looked(...steps: readonly Step[]): readonly Step[] {
  return [...stock, stored('sibling', 'token_2'), stored('workspace', 'token_2'), ...steps, look];
}

function at(method: string, path: string, role: 'member' | 'provisioning' = 'member'): readonly Step[] {
  return sent([request(method, (worlds) => `/v1/vault/interns/${path.replace('{own}', own(worlds))}`, role)]);
}

/** What is stored after a delete, a refusal, a failure, a read and an odd path, at once and later. */
export const stateScripts: readonly Script[] = [
  script(
    'what else a delete takes',
    looked(...sent([removal('token')])),
    sent([removal('token'), removal('token', { intern: sibling })]),
    look,
    stored('own', 'again'),
    sent([removal('never'), removal('never')]),
    look,
  ),
  script(
    'what a refusal does later',
    looked(
      ...sent([removal('token', { headers: { Host: 'eu.vault.test' } })]),
      look,
      { do: 'pause', ms: 350 },
      look,
      faults('vault_rate_limited'),
      ...sent([removal('token_2')]),
      faults('vault_writes_disabled'),
      ...sent([removal('tok')]),
      faults(),
      ...sent([keyRead()]),
      look,
      ...sent([removal('only_own')]),
      look,
      faults('vault_unreachable'),
      ...sent([removal('tok')]),
      faults(),
    ),
  ),
  script(
    'what other requests take',
    looked(...at('OPTIONS', '{own}/secrets/token')),
    looked(...at('HEAD', '{own}/secrets/token', 'provisioning')),
    looked(...sent([keyRead()])),
    looked(faults('guardrail_internal_error'), ...sent([guardrailRead()]), faults()),
    looked(faults('model_down'), ...sent([inference(PAID_MODEL, false)]), faults()),
  ),
  script(
    'what odd paths take',
    looked(...at('DELETE', '{own}/secrets/')),
    looked(...at('DELETE', '{own}/secrets/.')),
    looked(...at('DELETE', '{own}/secrets/tok%2fen')),
    looked(...at('DELETE', '/secrets/token')),
  ),
];
