import fc from 'fast-check';
import { makeValidName, secretName, type ValidName } from '../../generators/secret-name.js';
import type { Check, GeneratedCheck } from '../../judge/check.js';
import { property } from '../../judge/property-check.js';
import type { Call } from '../../reference/behaviour.js';
import { allChecks } from '../../suites/all-checks.js';
import { isVault, makeEnvelope, replaceAnswers } from '../behaviours.js';
import { type Judged, type Judging, judgeReference } from '../judge/judge-reference.js';
import { idsWith } from '../report-rows.js';

/** The checks over generated cases, and what judges the worlds that these leave. */
export const generatedChecks: readonly Check[] = allChecks.filter(({ kind }) => kind !== 'written');

export const judge = (run: Judging): Promise<Judged> =>
  judgeReference({ checks: generatedChecks, concurrency: 16, ...run });

export const listFailed = ({ report }: Judged): readonly string[] => idsWith(report, 'fail');

export const named = 'every-name';

/** Short legal names: they shrink within what shrinking may cost. */
export const shortNames: fc.Arbitrary<ValidName> = fc
  .array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'), { minLength: 1, maxLength: 12 })
  .map((signs) => makeValidName(`n${signs.join('')}`));

interface Variation {
  readonly arbitrary?: fc.Arbitrary<ValidName>;
  readonly walk?: readonly string[];
  /** Called at the start of every case. */
  readonly onStart?: (name: string) => void;
  readonly count?: number;
}

export function everyName({
  arbitrary = secretName.valid(),
  walk = [],
  onStart = () => undefined,
  count = 300,
}: Variation = {}): GeneratedCheck {
  return property<ValidName>({
    name: named,
    title: 'Every name can be deleted.',
    decides: ['secret-name.accepts.words'],
    needs: ['store', 'role:member'],
    control: 'vault-delete',
    count: { quick: count, standard: count, deep: count },
    vaultRequests: 1,
    cases: () => ({ walk: walk.map(makeValidName), arbitrary }),
    classOf: (name) => name.class,
    run: async ({ text }, { world, api }) => {
      onStart(text);
      await world.store('own', text);
      await api.deleteSecret({ name: text }).expectStatus(204);
    },
  });
}

/** Whether a call is a vault delete that is no positive control's. */
export function isCase({ operation, parameters, path }: Call): boolean {
  const name = parameters.name ?? /\/secrets\/(.*)$/.exec(path)?.[1] ?? '';
  return operation === 'vault-delete' && !/^plumb[aeio]{24}$/.test(name);
}

export function wrongFor(concerns: (name: string, call: Call) => boolean, status = 404) {
  return replaceAnswers(
    (answer, call) => isVault(204)(answer, call) && concerns(call.parameters.name ?? '', call),
    makeEnvelope(status),
  );
}
