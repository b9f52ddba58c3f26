import { FREE_MODEL, PAID_MODEL } from '../../../../reference/models.js';
import type { Fault } from '../../../../reference/vocabulary.js';
import {
  type Extra,
  everyInference,
  guardrailRead,
  inference,
  keyRead,
  type Part,
  removal,
} from '../requests.js';
import type { Script, Step } from '../script.js';
import { faults, look, script, sent, stock, stored } from '../steps.js';

const REGIONAL = { Host: 'eu.vault.test' };
const JSON_BODY = { body: '{"x":1}', headers: { 'Content-Type': 'application/json' } };
const LONG = 'x'.repeat(65);
const ENCODED = '%74oken';
const inUpperCase =
  (intern: 'own' | 'sibling' | 'foreign'): Part =>
  ({ here }) =>
    here.interns[intern].toUpperCase();
const sibling: Part = ({ here }) => here.interns.sibling;
const noKey = (): undefined => undefined;

/** Stores the same names anew, deletes one, and looks. */
function eachAnew(
  ...extras: readonly (Extra & { readonly intern?: Part; readonly name?: Part })[]
): readonly Step[] {
  return extras.flatMap(({ name = 'token', ...extra }) => [
    ...stock,
    stored('own', LONG),
    { do: 'send', request: removal(name, extra) } as const,
    look,
  ]);
}

function during(fault: Fault, ...steps: readonly Step[]): readonly Step[] {
  return [faults(fault), ...steps, faults()];
}

/** Circumstances of a delete, of a read and of inference that meet, two or three at a time. */
export const combinationScripts: readonly Script[] = [
  script(
    'keys and circumstances of a delete',
    eachAnew(
      { role: 'provisioning', headers: REGIONAL },
      { authorization: noKey, headers: { 'Content-Type': 'multipart/form-data; boundary=x' } },
      { role: 'outsider', intern: inUpperCase('own') },
      { role: 'write_disabled', name: ENCODED },
      {},
      { role: 'unscoped' },
      { headers: { 'Content-Type': 'application/json' } },
      { role: 'provisioning', intern: sibling, ...JSON_BODY },
      { role: 'write_disabled', intern: inUpperCase('own'), query: '?x=1' },
      { intern: sibling, name: ENCODED, headers: { Host: 'EU.VAULT.TEST' } },
      { role: 'outsider', name: LONG, headers: REGIONAL },
    ),
  ),
  script(
    'places and circumstances of a delete',
    stored('workspace', 'v2'),
    eachAnew(
      { intern: inUpperCase('foreign') },
      { intern: inUpperCase('own'), name: 'only_workspace' },
      { name: 'v2' },
      { intern: inUpperCase('own'), ...JSON_BODY },
      { intern: ({ there }) => there.interns.own, name: 'only_there', ...JSON_BODY },
    ),
  ),
  script(
    'faults and circumstances of a delete',
    during('vault_timeout', ...eachAnew({ intern: sibling })),
    during('route_deadline', ...eachAnew(JSON_BODY)),
    during('vault_not_configured', ...eachAnew({ name: ENCODED })),
    during('vault_rate_limited', ...eachAnew({ intern: inUpperCase('own') })),
    during('vault_writes_disabled', ...eachAnew({ intern: sibling, query: '?x=1' })),
  ),
  script(
    'circumstances of a read',
    sent([
      guardrailRead({ id: ({ there }) => there.guardrail_id.toUpperCase() }),
      guardrailRead({ role: 'member', query: '?x=1' }),
      guardrailRead({ role: 'member', id: ({ here }) => here.guardrail_id.toUpperCase() }),
      guardrailRead({ role: 'member', method: 'HEAD' }),
      keyRead({ role: 'disabled', query: '?x=1' }),
      keyRead({ authorization: noKey, method: 'HEAD' }),
    ]),
    during('guardrail_internal_error', ...sent([guardrailRead({ query: '?x=1' })])),
  ),
  script(
    'circumstances of inference',
    sent([
      ...everyInference({ role: 'disabled' }),
      ...everyInference({ authorization: () => 'Bearer sk-none' }),
      ...everyInference({ role: 'overdrawn' }),
    ]),
    during('model_down', ...sent(everyInference())),
    during('no_provider', ...sent(everyInference())),
    during(
      'upstream_rate_limited',
      ...sent([...everyInference(), inference(PAID_MODEL, false, { role: 'overdrawn' })]),
    ),
    during('upstream_rate_limited_hint', ...sent(everyInference())),
    during('platform_rate_limited', ...sent([inference(FREE_MODEL, true)])),
    during('mid_stream_error', ...sent(everyInference())),
  ),
];
