import {
  aWord,
  changeDigit,
  classifyId,
  cutId,
  type DerivedId,
  idsOfEveryDigit,
  makeUnknown,
  malformedIds,
  misencodedIds,
} from '../../generators/ids.js';
import { aBody, aQuery, extras, fromBrowser, listNeeds } from '../../generators/inputs.js';
import { consultOracle } from '../../generators/oracle.js';
import {
  type Extras,
  type GuardrailSituation,
  type KeySituation,
  plainGuardrail,
  plainKey,
} from '../../generators/situation.js';
import { type Check, type CheckId, check } from '../../judge/check.js';
import type { RequirementId } from '../../spec/ledger.js';
import { makeCall } from '../requests.js';
import { batchSteps, narrowToDue, type Step, splitIntoBatches } from './batch.js';

// §4.2, §4.3 and §5: reads that are refused, and reads with extras.

interface Read {
  readonly situation: KeySituation | GuardrailSituation;
  readonly id?: DerivedId;
}

const key = (change: Partial<KeySituation>): Read => ({ situation: { ...plainKey, ...change } });
const keyReads: readonly Read[] = [
  // First, so that a server that caches keys knows this one when the altered ones follow.
  key({}),
  // A cookie is no key.
  key({ as: 'none', ...fromBrowser }),
  ...(['unknown', 'unknown-same-shape', 'extended', 'scheme-only'] as const).map((as) => key({ as })),
  key({ as: 'disabled', ...fromBrowser }),
  ...(['other-case', 'in-a-list', 'beyond-ascii'] as const).map((as) => key({ as })),
  key({ host: 'global-spelled' }),
  key(aQuery),
  key(aBody),
];

const read = (change: Partial<GuardrailSituation>): Read => ({ situation: { ...plainGuardrail, ...change } });
const readWithId = (id: DerivedId, extra: Extras = {}): Read => ({
  ...read({ id: classifyId(id), ...extra }),
  id,
});
// Waivers of 0.1.0 contain this label.
const lastDigit: DerivedId = { ...changeDigit(35), label: 'the id with another last digit' };
const guardrailReads: readonly Read[] = [
  read({ as: 'none', ...fromBrowser }),
  ...(['unknown', 'scheme-only', 'member'] as const).map((as) => read({ as })),
  read({ as: 'unscoped', ...fromBrowser }),
  readWithId(makeUnknown('guardrail'), fromBrowser),
  readWithId(lastDigit),
  readWithId(aWord, fromBrowser),
  readWithId(cutId),
  read(aQuery),
  read(aBody),
];
const moreGuardrailReads: readonly Read[] = [
  ...[...[0, 7, 9, 16, 24].map(changeDigit), ...idsOfEveryDigit, ...malformedIds, ...misencodedIds].map(
    (id) => readWithId(id),
  ),
  read({ query: '?id=other' }),
  // A server that uses the id of the query may refuse a word as malformed and look up only a UUID.
  read({ query: `?id=${makeUnknown('guardrail').of('query')}` }),
];

const makeSteps = (reads: readonly Read[]): readonly Step[] =>
  reads.map(({ situation, id }) => {
    const expected = narrowToDue(consultOracle(situation));
    return {
      needs: listNeeds(situation),
      decides: [expected.due.requirement],
      run: (context) => makeCall(situation, context, { id }).expectOneOf(expected),
    };
  });

const cors: RequirementId = 'inference.400.cors';
const fromBlockedOrigin: Step = {
  needs: ['blocked-origin'],
  decides: [cors],
  run: ({ api }) =>
    api
      .readKey({ headers: { ...fromBrowser.headers, Origin: api.blockedOrigin() } })
      .expectStatus(400, { requirement: cors, because: 'CORS blocks its origin', continueOnFailure: true }),
};

const batchGuardrailReads = (id: CheckId, reads: readonly Read[]): Check =>
  batchSteps(
    id,
    { title: 'Guardrail reads, most of them refused, one after another.' },
    makeSteps(reads),
    ({ api }) => api.readGuardrail().expectControl(200),
  );

/** The refusals of §4.2, §4.3 and §5. */
export const readBatches: readonly Check[] = [
  batchSteps(
    'auth.unknown-key/chain',
    { title: 'Key reads, most of them refused, one after another.' },
    [...makeSteps(keyReads), fromBlockedOrigin],
    ({ api }) => api.readKey().expectControl(200),
  ),
  batchGuardrailReads('guardrail-read.401.missing-key/chain', guardrailReads),
  ...splitIntoBatches('guardrail-read.404.malformed-id/chain', moreGuardrailReads, batchGuardrailReads),
];

/** Checks a plain read with each extra in turn. */
export function checkReadWithExtras(
  id: CheckId,
  plainSuccess: RequirementId,
  plain: Read['situation'],
): Check {
  return check(id, { alsoDecides: [plainSuccess] }, async (context) => {
    await makeCall(plain, context).expectControl(200);
    for (const one of extras) {
      // A proxy may refuse a request that announces a body without sending one.
      if (one.headers?.['Content-Type'] !== undefined) continue;
      const situation = { ...plain, ...one };
      const answers = consultOracle(situation);
      await makeCall(situation, context).expectOneOf({ ...answers, continueOnFailure: true });
    }
  });
}
