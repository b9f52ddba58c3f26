import type { Check } from '../../judge/check.js';
import { allChecks } from '../../suites/all-checks.js';
import { type Judged, type Judging, judgeReference } from '../judge/judge-reference.js';
import { idsWith } from '../report-rows.js';

/** The checks that are generated. */
export const generatedChecks: readonly Check[] = allChecks.filter(({ kind }) => kind === 'generated');

/** Judges a reference server by the generated checks. */
export const judge = (run: Judging): Promise<Judged> =>
  judgeReference({ checks: generatedChecks, concurrency: 16, ...run });

/** The ids of the violated requirements. */
export const listFailed = ({ report }: Judged): readonly string[] => idsWith(report, 'fail');
