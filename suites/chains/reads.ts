import { oracle, rowsOf } from '../../generators/oracle.js';
import type { GuardrailSituation, KeySituation } from '../../generators/situation.js';
import type { RawPart } from '../../judge/api.js';
import { type Check, check } from '../../judge/check.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Need } from '../../spec/need.js';
import type { World } from '../../targets/world.js';
import { optionsOf, unknownId } from '../generated/requests.js';
import { offeredWords } from '../generated/words.js';
import { onlyDue } from './only-due.js';

// §4.2, §4.3 and §5: reads that are refused, one after another, and beside what may be ignored.

const key: KeySituation = { operation: 'key-info', as: 'member', host: 'global' };
const guardrail: GuardrailSituation = {
  operation: 'guardrail-read',
  as: 'management',
  host: 'global',
  id: 'own',
};
const query = '?x=1';
const body = '{}';

/** A guardrail read, and what stands where the id should where that is not as the situation has it. */
interface GuardrailLink extends Partial<GuardrailSituation> {
  readonly part?: (own: string) => RawPart;
}

const keyReads: readonly Partial<KeySituation>[] = [
  { as: 'none' },
  { as: 'unknown' },
  { as: 'unknown-same-shape' },
  { as: 'extended' },
  { as: 'truncated' },
  { as: 'basic' },
  { as: 'basic-encoded' },
  { as: 'disabled' },
  { query },
  { body },
];

const guardrailReads: readonly GuardrailLink[] = [
  { as: 'none' },
  { as: 'unknown' },
  { as: 'unknown-same-shape' },
  { as: 'basic-encoded' },
  { as: 'member' },
  { as: 'unscoped' },
  { id: 'unknown' },
  {
    id: 'unknown',
    part: (own) => ({
      label: 'the id with another last digit',
      raw: `${own.slice(0, -1)}${own.endsWith('7') ? '8' : '7'}`,
    }),
  },
  { id: 'malformed', part: () => ({ label: 'a word', raw: 'not-a-uuid' }) },
  { id: 'malformed', part: (own) => ({ label: 'the id without its last digit', raw: own.slice(0, -1) }) },
  { query },
  { body },
];

function rowsOfReads(
  situations: readonly (KeySituation | GuardrailSituation)[],
  offers: (need: Need) => boolean,
): readonly RequirementId[] {
  const { credentials } = offeredWords(offers);
  const sent = situations.filter(({ as }) => credentials.includes(as));
  return [...new Set(sent.map((situation) => oracle(situation).due.requirement))];
}

function idOf(link: GuardrailLink, situation: GuardrailSituation, world: World): { readonly id?: RawPart } {
  if (link.part !== undefined) return { id: link.part(world.guardrailId()) };
  return situation.id === 'own' ? {} : { id: unknownId('an unknown guardrail', situation) };
}

/** What depth quick sends of §4.2, §4.3 and §5 in place of a check for each refusal of a read. */
export const readChains: readonly Check[] = [
  check(
    'auth.unknown-key/chain',
    {
      control: 'key-info',
      also: rowsOf('key-info').filter((row) => row !== 'auth.unknown-key'),
      shows: (offers) =>
        rowsOfReads(
          keyReads.map((change) => ({ ...key, ...change })),
          offers,
        ),
    },
    async ({ world, api, offers }) => {
      const { credentials } = offeredWords(offers);
      for (const situation of keyReads.map((change) => ({ ...key, ...change }))) {
        if (!credentials.includes(situation.as)) continue;
        await api.readKey(optionsOf(situation, 'member', world, api)).answersAs(onlyDue(oracle(situation)));
      }
      await api.readKey().holds(200);
    },
  ),
  check(
    'guardrail-read.401.missing-key/chain',
    {
      control: 'guardrail-read',
      also: rowsOf('guardrail-read').filter((row) => row !== 'guardrail-read.401.missing-key'),
      shows: (offers) =>
        rowsOfReads(
          guardrailReads.map(({ part: _part, ...change }) => ({ ...guardrail, ...change })),
          offers,
        ),
    },
    async ({ world, api, offers }) => {
      const { credentials } = offeredWords(offers);
      for (const link of guardrailReads) {
        const { part: _part, ...change } = link;
        const situation: GuardrailSituation = { ...guardrail, ...change };
        if (!credentials.includes(situation.as)) continue;
        await api
          .readGuardrail({
            ...optionsOf(situation, 'management', world, api),
            ...idOf(link, situation, world),
          })
          .answersAs(onlyDue(oracle(situation)));
      }
      await api.readGuardrail().holds(200);
    },
  ),
];
