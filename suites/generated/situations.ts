import { oracle, rowsOf } from '../../generators/oracle.js';
import {
  type GuardrailSituation,
  type KeySituation,
  mayBeRoutedElsewhere,
  type Situation,
  situations,
  type VaultSituation,
  walkGuardrail,
  walkKey,
  walkVaultOneWrong,
} from '../../generators/situation.js';
import type { RawPart } from '../../judge/api.js';
import type { Call } from '../../judge/call.js';
import type { GeneratedCheck } from '../../judge/check.js';
import { property } from '../../judge/property.js';
import type { Need } from '../../spec/need.js';
import type { World } from '../../targets/world.js';
import { dueOf, optionsOf, unknownId } from './requests.js';
import { judgeVault, judgeVaultManyWrong, keepsRows, kindsOf } from './vault.js';
import { offeredWords } from './words.js';

const vaultRows = [
  ...rowsOf('vault-delete'),
  ...keepsRows,
  'vault-delete.204.takes-effect',
  'vault-delete.safe-methods',
] as const;
const vaultNeeds = ['store', 'role:member'] as const;

/** The kinds of trouble that a target can show. */
function kindsOffered(offers: (need: Need) => boolean): readonly string[] {
  const { hosts, faults, methods } = offeredWords(offers);
  const always = ['credential', 'intern', 'name', 'stored', 'extras'];
  return [
    ...always,
    ...(hosts.length > 1 ? ['host'] : []),
    ...(faults.some((fault) => fault !== 'guardrail_internal_error') ? ['fault'] : []),
    ...(methods.length > 0 ? ['method'] : []),
  ];
}

/** What is unusual about a read, for the classes of the report. */
function kindOfRead({ as, host, ...rest }: GuardrailSituation | KeySituation, good: Situation['as']): string {
  if ('fault' in rest) return 'fault';
  if ('id' in rest && rest.id !== 'own') return 'id';
  if (as !== good) return 'credential';
  return host === 'global' ? 'plain' : 'host';
}

function idOf(situation: GuardrailSituation, world: World): { readonly id?: RawPart } {
  const { id: word } = situation;
  if (word === 'own') return {};
  if (word === 'unknown') return { id: unknownId('an unknown guardrail', situation) };
  return { id: { label: 'a malformed id', raw: world.guardrailId().slice(0, -1) } };
}

/** Sends a read and judges its answer by the oracle; on a regional hostname nothing is asserted. */
async function judgeRead(call: Call, situation: GuardrailSituation | KeySituation): Promise<void> {
  if (mayBeRoutedElsewhere(situation)) await call.send(dueOf(situation));
  else await call.answersAs(oracle(situation));
}

/** §4, §5 and §7 for combinations of key, hostname, scope, name and fault that nobody listed. */
export const situationProperties: readonly GeneratedCheck[] = [
  property<VaultSituation>({
    name: 'vault-one-wrong',
    title:
      'A vault delete with one thing wrong gets the status of that thing, and deletes nothing that it may not.',
    decides: vaultRows,
    needs: vaultNeeds,
    control: 'vault-delete',
    count: { quick: 0, standard: 100, deep: 5_000 },
    vaultRequests: 2,
    cases: (offers) => ({
      walk: walkVaultOneWrong(offeredWords(offers)),
      arbitrary: situations(offeredWords(offers)).vaultOneWrong(),
      classes: kindsOffered(offers),
    }),
    classOf: (situation) => kindsOf(situation).join('+') || 'plain',
    spoilsWorld: mayBeRoutedElsewhere,
    run: (situation, context) => judgeVault(situation, context),
  }),
  property<VaultSituation>({
    name: 'vault-many-wrong',
    title: 'A vault delete with several things wrong gets the status of one of them.',
    decides: vaultRows,
    needs: vaultNeeds,
    control: 'vault-delete',
    count: { quick: 0, standard: 110, deep: 4_000 },
    vaultRequests: 2,
    cases: (offers) => ({
      walk: [],
      arbitrary: situations(offeredWords(offers)).vaultManyWrong(),
      classes: ['one', 'two', 'three', 'four'],
    }),
    classOf: (situation) => ['none', 'one', 'two', 'three', 'four'][kindsOf(situation).length] ?? 'more',
    spoilsWorld: mayBeRoutedElsewhere,
    run: judgeVaultManyWrong,
  }),
  property<GuardrailSituation>({
    name: 'guardrail-situations',
    title: 'A guardrail read gets what the document allows, whatever is wrong with it.',
    decides: rowsOf('guardrail-read'),
    needs: ['guardrail', 'role:management'],
    control: 'guardrail-read',
    count: { quick: 0, standard: 40, deep: 1_500 },
    vaultRequests: 0,
    cases: (offers) => ({
      walk: walkGuardrail(offeredWords(offers)),
      arbitrary: situations(offeredWords(offers)).guardrail(),
      classes: ['plain', 'id', 'credential'],
    }),
    classOf: (situation) => kindOfRead(situation, 'management'),
    run: async (situation, { world, api }) => {
      if (situation.fault !== undefined) await world.setFaults(situation.fault);
      const options = { ...optionsOf(situation, 'management', world, api), ...idOf(situation, world) };
      await judgeRead(api.readGuardrail(options), situation);
      if (situation.fault !== undefined) await world.setFaults();
    },
  }),
  property<KeySituation>({
    name: 'key-situations',
    title: 'A key read gets what the document allows, whatever is wrong with it.',
    decides: rowsOf('key-info'),
    needs: ['role:member'],
    control: 'key-info',
    count: { quick: 0, standard: 30, deep: 1_000 },
    vaultRequests: 0,
    cases: (offers) => ({
      walk: walkKey(offeredWords(offers)),
      arbitrary: situations(offeredWords(offers)).key(),
      classes: ['plain', 'credential', ...(offeredWords(offers).hosts.length > 1 ? ['host'] : [])],
    }),
    classOf: (situation) => kindOfRead(situation, 'member'),
    run: async (situation, { world, api }) => {
      await judgeRead(api.readKey(optionsOf(situation, 'member', world, api)), situation);
    },
  }),
];
