import type { Check } from '../../judge/check.js';
import type { Plan } from '../../judge/plan.js';
import { reportOf } from '../../judge/report.js';
import { Run, type RunRecord } from '../../judge/run.js';
import { Selection } from '../../judge/selection.js';
import { type Behaviour, conforming } from '../../reference/behaviour.js';
import { startReference } from '../../reference/server.js';
import type { Report } from '../../spec/report.js';
import { allChecks } from '../../suites/all-checks.js';
import { openTarget } from '../../targets/target.js';

/** The checks that are generated. */
export const generatedChecks: readonly Check[] = allChecks.filter(({ kind }) => kind === 'generated');

/** What a test varies of a run. */
export interface GeneratedRun {
  readonly behaviour?: Partial<Behaviour>;
  readonly checks?: readonly Check[];
  readonly only?: readonly string[];
  readonly plan?: Partial<Plan>;
  readonly concurrency?: number;
}

/** What a run came to. */
export interface Ran {
  readonly record: RunRecord;
  readonly report: Report;
  /** Requests sent, those to the control included. */
  readonly requests: number;
}

/** Judges a reference server of its own, from start to close. */
export async function ran({
  behaviour = {},
  checks = generatedChecks,
  only = [],
  plan,
  concurrency = 16,
}: GeneratedRun): Promise<Ran> {
  const reference = await startReference({ behaviour: { ...conforming, ...behaviour } });
  const selection = new Selection({ only, skip: [] });
  const whole: Plan = { seed: 1, depth: 'standard', ...plan };
  try {
    const target = await openTarget({
      control: { url: reference.controlUrl },
      concurrency,
      timeoutMs: 10_000,
    });
    const { signal } = new AbortController();
    const record = await new Run(target, { selection, plan: whole, concurrency, signal }).judgeAll(checks);
    await target.close();
    const report = reportOf(record, target, {
      startedAt: new Date(),
      durationMs: 0,
      complete: true,
      interrupted: false,
      selection,
      baseUrl: undefined,
      controlUrl: undefined,
      seed: whole.seed,
      depth: whole.depth,
    });
    return { record, report, requests: target.client.sent };
  } finally {
    await reference.close();
  }
}

/** The ids of the violated requirements. */
export function failed({ report }: Ran): readonly string[] {
  return report.requirements.filter(({ status }) => status === 'fail').map(({ id }) => id);
}

/** The violations of a run, first and further ones. */
export function failures({ report }: Ran) {
  return report.checks.flatMap(({ failure, further_failures: further }) =>
    failure === null ? [] : [failure, ...further],
  );
}
