import {
  anyGuardrail,
  anyKeyInfo,
  type Fields,
  guardrailBorders,
  keyBorders,
  unusualValues,
} from '../../generators/field-values.js';
import type { Call } from '../../judge/call.js';
import type { GeneratedCheck } from '../../judge/check.js';
import { property } from '../../judge/property-check.js';
import { makeReason } from '../../spec/reasons.js';
import { ControlRefusal } from '../../targets/control-client.js';
import type { Answered } from '../../targets/exchange.js';
import { NotShown } from '../../targets/world.js';
import { judgeFields } from '../as-set.js';

/** Sets something that the target need not accept. Throws NotShown where it does not. */
async function setIfAccepted(set: () => Promise<void>): Promise<void> {
  try {
    await set();
  } catch (error) {
    if (!(error instanceof ControlRefusal)) throw error;
    throw new NotShown(makeReason('lacking', 'a control that accepts unusual values'));
  }
}

/** Reads a key. Throws NotShown where it is spent and refused, as it may be. */
async function readOf(call: Call, { limit_remaining: left }: Fields): Promise<Answered> {
  if (typeof left !== 'number' || left > 0) return call.expectControl(200);
  const exchange = await call.expectStatus([200, 402], { requirement: 'key-info.200.values' });
  if (exchange.answer.status === 402) throw new NotShown('a spent key is refused here, as it may be');
  return exchange;
}

/** The fields as they go over the wire: generated objects have no prototype, and so equal nothing that was parsed. */
const asSent = (fields: Fields) => JSON.parse(JSON.stringify(fields)) as Fields;

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
    cases: () => ({
      walk: [...guardrailBorders, ...unusualValues.guardrail],
      arbitrary: anyGuardrail,
      classes: ['some fields'],
    }),
    classOf: (fields) => (Object.keys(fields).length === 0 ? 'no field' : 'some fields'),
    run: async (drawn, { world, api }) => {
      const fields = asSent(drawn);
      await setIfAccepted(() => world.setGuardrail(fields));
      const call = api.readGuardrail();
      judgeFields(call, await call.expectControl(200), 'guardrail-read.200.values', fields);
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
    cases: () => ({
      walk: [...keyBorders, ...unusualValues.key],
      arbitrary: anyKeyInfo,
      classes: ['limited', 'unlimited'],
    }),
    classOf: ({ limit }) => (limit === null ? 'unlimited' : 'limited'),
    run: async (drawn, { world, api }) => {
      const fields = asSent(drawn);
      await setIfAccepted(() => world.setKeyInfo('member', fields));
      const call = api.readKey();
      judgeFields(call, await readOf(call, fields), 'key-info.200.values', fields);
      // Others use this key too, and a limit may be enforced.
      if (fields.limit !== null) await world.setKeyInfo('member', { limit: null, limit_remaining: null });
    },
  }),
];
