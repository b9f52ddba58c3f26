import { unneededExcuses } from '../judge/gate.js';
import { type Selection, wholeRun, writeShard } from '../judge/plan.js';
import { type Waiver, weighed } from '../judge/waivers.js';
import type { Report } from '../spec/report.js';
import type { Profile } from '../targets/profile/profile.js';

/** What is to be told of waivers and policy once a run has ended, each a line. */
export interface GateTelling {
  /** What is wrong with a waiver, and what to do. */
  readonly faults: readonly string[];
  /** What the run says nothing about, or what could go. */
  readonly notes: readonly string[];
}

/** What the waivers and the policy of a run turned out to be. */
export function gateTelling(
  report: Report,
  {
    waivers,
    selection,
    profile,
  }: {
    readonly waivers: readonly Waiver[];
    readonly selection: Selection;
    readonly profile: Profile | undefined;
  },
): GateTelling {
  const { depth, shard } = report.run;
  const isShard = shard !== writeShard(wholeRun);
  const { faults, notes } = weighed(waivers, { ...report, depth, isShard });
  const unneeded =
    profile === undefined || !report.run.complete
      ? []
      : unneededExcuses(report.requirements, selection.has.bind(selection), profile.policy);
  return {
    faults,
    notes: [
      ...notes.map((note) => `Note: ${note}.`),
      ...unneeded.map((pattern) => `Note: policy.excused: nothing that ${pattern} names stayed unproven.`),
    ],
  };
}
