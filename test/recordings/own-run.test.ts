import { expect, it } from 'vitest';
import type { Check } from '../../judge/check.js';
import { reportExchange } from '../../judge/evidence.js';
import { PassiveJudge } from '../../judge/passive.js';
import type { Behaviour } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { renderHar } from '../../reports/har.js';
import type { Report } from '../../spec/report.js';
import { allChecks } from '../../suites/all-checks.js';
import type { Exchange } from '../../targets/exchange.js';
import { behaveAsMutant } from '../behaviours.js';
import { judgeReference } from '../judge/judge-reference.js';
import { judgeRecording, writeRecording } from './recorded.js';

/** Judges a server by a run, and by the recording that the run itself writes. */
async function judgeTwice(behaviour: Behaviour, isSent: (check: Check) => boolean = () => true) {
  const exchanges: Exchange[] = [];
  const checks = allChecks.filter((check) => check.kind === 'written' && isSent(check));
  const { report, redactor } = await judgeReference({
    ...{ behaviour, checks, depth: 'quick', concurrency: 16 },
    onExchange: (exchange) => exchanges.push(exchange),
  });
  const kept = exchanges.map((one) => ({
    ...reportExchange(one, redactor),
    ...{ check: null, label: one.label },
  }));
  const har = renderHar(report, { exchanges: kept, sent: kept.length });
  const file = writeRecording('own.har', har);
  return { run: report, observed: await judgeRecording([file], { baseUrl: report.target.base_url ?? '' }) };
}

function listPassiveRows({ requirements }: Report): readonly string[] {
  // A recording does not say which of its keys are of one workspace.
  const passive = new Set<string>(PassiveJudge.requirements.filter((id) => id !== 'secrecy.other-key-echo'));
  return requirements.filter(({ id }) => passive.has(id)).map(({ id, status }) => `${id}: ${status}`);
}

it('a recording of a run on the reference gives the outcomes of the rules for every response', async () => {
  const { run, observed } = await judgeTwice(conforming);
  const { report } = observed;
  expect(listPassiveRows(report)).toEqual(listPassiveRows(run));
  expect(report.checks.flatMap(({ failure }) => failure?.message ?? [])).toEqual([]);
  expect(report.run.recording?.judged).toBeGreaterThan(200);
});

it('a recording of a run on a mutant shows its violation', async () => {
  const isSent = ({ id }: Check) => id.startsWith('auth.');
  const { run, observed } = await judgeTwice(behaveAsMutant('envelope.key-401-message-alone'), isSent);
  expect(listPassiveRows(observed.report)).toEqual(listPassiveRows(run));
  expect(observed.report.verdict).toBe('non-conformant');
});
