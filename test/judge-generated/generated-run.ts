import type { Check } from '../../judge/check.js';
import { allChecks } from '../../suites/all-checks.js';
import { type Judged, type Judging, judgeReference } from '../judge/judge-reference.js';
import { idsWith } from '../report-rows.js';

export const generatedChecks: readonly Check[] = allChecks.filter(({ kind }) => kind === 'generated');

export const judge = (run: Judging): Promise<Judged> =>
  judgeReference({ checks: generatedChecks, concurrency: 16, ...run });

export const listFailed = ({ report }: Judged): readonly string[] => idsWith(report, 'fail');
