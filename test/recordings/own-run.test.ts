import { expect, it } from 'vitest';
import { reportExchange } from '../../judge/evidence.js';
import { PassiveJudge } from '../../judge/passive.js';
import { renderHar } from '../../reports/har.js';
import type { Report } from '../../spec/report.js';
import { allChecks } from '../../suites/all-checks.js';
import type { Exchange } from '../../targets/exchange.js';
import { judgeReference } from '../judge/judge-reference.js';
import { judgeRecording, writeRecording } from './recorded.js';

function listPassiveRows({ requirements }: Report): readonly string[] {
  // A recording does not say which of its keys are of one workspace, nor surely what a reason phrase was.
  const unrecorded = ['secrecy.other-key-echo', 'secrecy.reason-phrase'];
  const passive = new Set<string>(PassiveJudge.requirements.filter((id) => !unrecorded.includes(id)));
  return requirements.filter(({ id }) => passive.has(id)).map(({ id, status }) => `${id}: ${status}`);
}

it('a recording of a run on the reference gives the outcomes of the rules for every response', async () => {
  const exchanges: Exchange[] = [];
  const { report: run, redactor } = await judgeReference({
    ...{ checks: allChecks.filter(({ kind }) => kind === 'written'), depth: 'quick', concurrency: 16 },
    onExchange: (exchange) => exchanges.push(exchange),
  });
  const kept = exchanges.map((one) => ({ ...reportExchange(one, redactor), check: null, label: one.label }));
  const file = writeRecording('own.har', renderHar(run, { exchanges: kept, sent: kept.length }));
  const { report } = await judgeRecording([file], { baseUrl: run.target.base_url ?? '' });
  expect(listPassiveRows(report)).toEqual(listPassiveRows(run));
  expect(report.checks.flatMap(({ failure }) => failure?.message ?? [])).toEqual([]);
  expect(report.run.recording?.judged).toBeGreaterThan(200);
});
