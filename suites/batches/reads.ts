import {
  aBody,
  anUnknown,
  aQuery,
  aWord,
  cutId,
  malformedIds,
  type OddId,
  offeredWords,
  otherDigit,
} from '../../generators/inputs.js';
import { oracle, rowsOf } from '../../generators/oracle.js';
import {
  type GuardrailSituation,
  type KeySituation,
  plainGuardrail,
  plainKey,
} from '../../generators/situation.js';
import type { CheckContext } from '../../judge/api.js';
import { type Check, type CheckId, check } from '../../judge/check.js';
import type { RequirementId } from '../../spec/ledger.js';
import { callOf } from '../requests.js';
import { makeStrict } from './vault-batch.js';

// §4.2, §4.3 and §5: reads that are refused, one after another, and beside what may be ignored.

/** A read, and what stands where the id should. */
interface Read {
  readonly situation: KeySituation | GuardrailSituation;
  readonly id?: OddId;
}

const key = (change: Partial<KeySituation>): Read => ({ situation: { ...plainKey, ...change } });
const keyReads: readonly Read[] = [
  ...(['none', 'unknown', 'unknown-same-shape', 'extended', 'scheme-only', 'disabled'] as const).map((as) =>
    key({ as }),
  ),
  key({ host: 'global-spelled' }),
  key({}),
  key(aQuery),
  key(aBody),
];

const read = (change: Partial<GuardrailSituation>): Read => ({ situation: { ...plainGuardrail, ...change } });
const readOf = (id: OddId): Read => ({
  ...read({ id: id.class === 'unknown' ? 'unknown' : 'malformed' }),
  id,
});
const guardrailReads: readonly Read[] = [
  ...(['none', 'unknown', 'scheme-only', 'member', 'unscoped'] as const).map((as) => read({ as })),
  ...[anUnknown('guardrail'), otherDigit(35), aWord, cutId].map(readOf),
  read(aQuery),
  read(aBody),
];
const moreGuardrailReads: readonly Read[] = [
  ...[...[0, 7, 9, 16, 24].map(otherDigit), ...malformedIds].map(readOf),
  read({ query: '?id=other' }),
];

function offeredOf(reads: readonly Read[], offers: CheckContext['offers']): readonly Read[] {
  const { credentials, hosts } = offeredWords(offers);
  return reads.filter(({ situation: { as, host } }) => credentials.includes(as) && hosts.includes(host));
}

const cors: RequirementId = 'inference.400.cors';

function batchReads(id: CheckId, control: 'key-info' | 'guardrail-read', reads: readonly Read[]): Check {
  // A key read from an origin that CORS blocks is asked beside them.
  const asksOrigin = control === 'key-info';
  return check(
    id,
    {
      control,
      also: [...rowsOf(control).filter((row) => !id.startsWith(`${row}/`)), ...(asksOrigin ? [cors] : [])],
      shows: (offers) => [
        ...new Set(offeredOf(reads, offers).map(({ situation }) => oracle(situation).due.requirement)),
        ...(asksOrigin && offers('blocked-origin') ? [cors] : []),
      ],
    },
    async (context) => {
      const { api, offers } = context;
      for (const { situation, id: odd } of offeredOf(reads, offers))
        await callOf(situation, context, { id: odd }).answersAs(makeStrict(oracle(situation)));
      if (asksOrigin && offers('blocked-origin')) {
        const headers = { Origin: api.blockedOrigin() };
        await api.readKey({ headers }).answers(400, { requirement: cors, goesOn: true });
      }
      await (asksOrigin ? api.readKey() : api.readGuardrail()).holds(200);
    },
  );
}

/** The refusals of §4.2, §4.3 and §5. */
export const readBatches: readonly Check[] = [
  batchReads('auth.unknown-key/chain', 'key-info', keyReads),
  batchReads('guardrail-read.401.missing-key/chain', 'guardrail-read', guardrailReads),
  batchReads('guardrail-read.404.malformed-id/chain', 'guardrail-read', moreGuardrailReads),
];
