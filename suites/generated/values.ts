import { guardrailFields } from '../../generators/guardrail-fields.js';
import { keyFields } from '../../generators/key-fields.js';
import type { Call } from '../../judge/call.js';
import type { GeneratedCheck } from '../../judge/check.js';
import { property } from '../../judge/property.js';
import type { RequirementId } from '../../spec/ledger.js';
import { dataOf } from '../../targets/exchange.js';
import { isAsSet } from '../as-set.js';

type Fields = Readonly<Record<string, unknown>>;

/** The fields as they go over the wire: generated objects have no prototype, and so equal nothing that was parsed. */
function asSent(fields: Fields): Fields {
  return JSON.parse(JSON.stringify(fields)) as Fields;
}

/** Asserts that every field that was set and is returned has the value it was set to. */
async function readsBack(call: Call, fields: Fields, requirement: RequirementId): Promise<void> {
  const exchange = await call.holds(200);
  const data = dataOf(exchange);
  const wrong = Object.keys(fields).filter(
    (name) => name in data && !isAsSet(name, fields[name], data[name]),
  );
  call.judges(exchange, requirement, {
    holds: wrong.length === 0,
    expected: wrong.map((name) => `${name} ${JSON.stringify(fields[name])}`).join(', '),
    actual: wrong.map((name) => `${name} ${JSON.stringify(data[name])}`).join(', '),
  });
}

/** §2.1 and §2.2: what was set is what is read. */
export const valueProperties: readonly GeneratedCheck[] = [
  property<Fields>({
    name: 'guardrail-values',
    title: 'Whatever fields of a guardrail are set, they are read back as they were set.',
    decides: ['guardrail-read.200.values'],
    needs: ['guardrail', 'role:management', 'feature:guardrail'],
    control: 'guardrail-read',
    count: { quick: 0, standard: 30, deep: 500 },
    vaultRequests: 0,
    cases: () => ({ walk: [], arbitrary: guardrailFields(), classes: ['some fields'] }),
    classOf: (fields) => (Object.keys(fields).length === 0 ? 'no field' : 'some fields'),
    run: async (drawn, { world, api }) => {
      const fields = asSent(drawn);
      await world.setGuardrail(fields);
      await readsBack(api.readGuardrail(), fields, 'guardrail-read.200.values');
    },
  }),
  property<Fields>({
    name: 'key-values',
    title: 'Whatever figures of a key are set, they are read back as they were set.',
    decides: ['key-info.200.values'],
    needs: ['role:member', 'feature:key_info'],
    control: 'key-info',
    count: { quick: 0, standard: 30, deep: 500 },
    vaultRequests: 0,
    cases: () => ({ walk: [], arbitrary: keyFields(), classes: ['limited', 'unlimited'] }),
    classOf: ({ limit }) => (limit === null ? 'unlimited' : 'limited'),
    run: async (drawn, { world, api }) => {
      const fields = asSent(drawn);
      await world.setKeyInfo('member', fields);
      await readsBack(api.readKey(), fields, 'key-info.200.values');
    },
  }),
];
