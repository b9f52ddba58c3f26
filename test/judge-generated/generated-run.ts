import type { Check } from '../../judge/check.js';
import { allChecks } from '../../suites/all-checks.js';
import { type Judged, type Judging, judgeReference } from '../judge/judge-reference.js';
import { idsWith } from '../report-rows.js';

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
export const listFailed = ({ report }: Ran): readonly string[] => idsWith(report, 'fail');
