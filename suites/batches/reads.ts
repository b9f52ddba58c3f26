import { oracle, rowsOf } from '../../generators/oracle.js';
import type { GuardrailSituation, KeySituation } from '../../generators/situation.js';
import type { RawPart } from '../../judge/api.js';
import { type Check, type CheckId, check } from '../../judge/check.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Need } from '../../spec/need.js';
import type { World } from '../../targets/world.js';
import { optionsOf, unknownId } from '../generated/requests.js';
import { offeredWords } from '../generated/words.js';
import { makeStrict } from './strict-answers.js';

// §4.2, §4.3 and §5: reads that are refused, one after another, and beside what may be ignored.

const key: KeySituation = { operation: 'key-info', as: 'member', host: 'global' };
const guardrail: GuardrailSituation = {
  operation: 'guardrail-read',
  as: 'management',
  host: 'global',
  id: 'own',
};
const cors: RequirementId = 'inference.400.cors';
const query = '?x=1';
const body = '{}';

/** A guardrail read, and what stands where the id should where that is not as the situation has it. */
interface GuardrailCase {
  readonly situation: GuardrailSituation;
  readonly part: ((own: string) => RawPart) | undefined;
}

const keyReads: readonly KeySituation[] = [
  ...(['none', 'unknown', 'unknown-same-shape', 'extended', 'scheme-only'] as const).map((as) => ({
    ...key,
    as,
  })),
  { ...key, as: 'disabled' },
  key,
  { ...key, query },
  { ...key, body },
];

const read = (change: Partial<GuardrailSituation>, part?: GuardrailCase['part']): GuardrailCase => ({
  situation: { ...guardrail, ...change },
  part,
});

const malformed = (label: string, of: (own: string) => string): GuardrailCase =>
  read({ id: 'malformed' }, (own) => ({ label, raw: of(own) }));

const guardrailReads: readonly GuardrailCase[] = [
  ...(['none', 'unknown', 'scheme-only', 'member', 'unscoped'] as const).map((as) => read({ as })),
  read({ id: 'unknown' }),
  read({ id: 'unknown' }, (own) => ({
    label: 'the id with another last digit',
    raw: `${own.slice(0, -1)}${own.endsWith('7') ? '8' : '7'}`,
  })),
  malformed('a word', () => 'not-a-uuid'),
  malformed('the id without its last digit', (own) => own.slice(0, -1)),
  read({ query }),
  read({ body }),
];

const moreGuardrailReads: readonly GuardrailCase[] = [
  // The digits of version and variant stay: another version may be refused as malformed.
  ...[0, 7, 9, 16, 24].map((place) =>
    read({ id: 'unknown' }, (own) => ({
      label: `the id with another digit at place ${place + 1}`,
      raw: `${own.slice(0, place)}${own[place] === '7' ? '8' : '7'}${own.slice(place + 1)}`,
    })),
  ),
  malformed('a number', () => '123'),
  malformed('null', () => 'null'),
  malformed('a blank', () => '%20'),
  malformed('a nil UUID and a letter', () => '00000000-0000-0000-0000-00000000000g'),
  malformed('the id with one digit more', (own) => `${own}0`),
  malformed('the id with underscores', (own) => own.replaceAll('-', '_')),
  read({ query: '?id=other' }),
];

function isOffered({ as }: KeySituation | GuardrailSituation, offers: (need: Need) => boolean): boolean {
  return offeredWords(offers).credentials.includes(as);
}

function rowsOfReads(
  situations: readonly (KeySituation | GuardrailSituation)[],
  offers: (need: Need) => boolean,
): readonly RequirementId[] {
  const sent = situations.filter((situation) => isOffered(situation, offers));
  return [...new Set(sent.map((situation) => oracle(situation).due.requirement))];
}

function idOf({ situation, part }: GuardrailCase, world: World): { readonly id?: RawPart } {
  if (part !== undefined) return { id: part(world.guardrailId()) };
  return situation.id === 'own' ? {} : { id: unknownId('an unknown guardrail', situation) };
}

function batchGuardrailReads(id: CheckId, reads: readonly GuardrailCase[]): Check {
  return check(
    id,
    {
      control: 'guardrail-read',
      also: rowsOf('guardrail-read').filter((row) => !id.startsWith(`${row}/`)),
      shows: (offers) =>
        rowsOfReads(
          reads.map(({ situation }) => situation),
          offers,
        ),
    },
    async ({ world, api, offers }) => {
      for (const sent of reads.filter(({ situation }) => isOffered(situation, offers))) {
        const options = optionsOf(sent.situation, 'management', world, api);
        await api
          .readGuardrail({ ...options, ...idOf(sent, world) })
          .answersAs(makeStrict(oracle(sent.situation)));
      }
      await api.readGuardrail().holds(200);
    },
  );
}

/** The refusals of §4.2, §4.3 and §5. */
export const readBatches: readonly Check[] = [
  check(
    'auth.unknown-key/chain',
    {
      control: 'key-info',
      also: [...rowsOf('key-info').filter((row) => row !== 'auth.unknown-key'), cors],
      shows: (offers) => [...rowsOfReads(keyReads, offers), ...(offers('blocked-origin') ? [cors] : [])],
    },
    async ({ world, api, offers }) => {
      for (const situation of keyReads.filter((one) => isOffered(one, offers))) {
        const options = optionsOf(situation, 'member', world, api);
        await api.readKey(options).answersAs(makeStrict(oracle(situation)));
      }
      if (offers('blocked-origin')) {
        const headers = { Origin: api.blockedOrigin() };
        await api.readKey({ headers }).answers(400, { requirement: cors, goesOn: true });
      }
      await api.readKey().holds(200);
    },
  ),
  batchGuardrailReads('guardrail-read.401.missing-key/chain', guardrailReads),
  batchGuardrailReads('guardrail-read.404.malformed-id/chain', moreGuardrailReads),
];
