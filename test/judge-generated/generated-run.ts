import type { Check } from '../../judge/check.js';
import { allChecks } from '../../suites/all-checks.js';
import { type Judged, type Judging, judgeReference } from '../judge/judge-reference.js';

/** The checks that are generated. */
export const generatedChecks: readonly Check[] = allChecks.filter(({ kind }) => kind === 'generated');

/** The parts of a run that a test varies. */
export type GeneratedRun = Pick<Judging, 'behaviour' | 'checks' | 'only' | 'plan' | 'concurrency'>;

/** The result of a run. */
export type Ran = Pick<Judged, 'record' | 'report' | 'requests'>;

/** Starts a reference server, judges it and closes it. */
export async function judge(run: GeneratedRun): Promise<Ran> {
  return await judgeReference({ checks: generatedChecks, concurrency: 16, ...run });
}

/** The ids of the violated requirements. */
export function listFailed({ report }: Ran): readonly string[] {
  return report.requirements.filter(({ status }) => status === 'fail').map(({ id }) => id);
}

/** The violations of a run, first and further ones. */
export function listFailures({ report }: Ran) {
  return report.checks.flatMap(({ failure, further_failures: further }) =>
    failure === null ? [] : [failure, ...further],
  );
}
