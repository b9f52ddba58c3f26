import type { Failure, Report, ReportedCheck, ReportedSay } from '../../spec/report.js';
import { worst } from '../check.js';
import { passiveCheckId } from '../close-ledger.js';
import { PassiveJudge } from '../passive.js';

const passiveIds = PassiveJudge.requirements.map(passiveCheckId);

/** Whether a check is a rule for every response, which every shard sees. */
export function isPassiveCheck({ id }: ReportedCheck): boolean {
  return passiveIds.includes(id);
}

/**
 * The checks of all shards, each once, in the order of one run.
 * @param order the ids of all checks as one run tells them; the rules for every response follow
 */
export function unitedChecks(shards: readonly Report[], order: readonly string[]): readonly ReportedCheck[] {
  const places = new Map([...order, ...passiveIds].map((id, at) => [id, at]));
  const placeOf = ({ id }: ReportedCheck) => places.get(id) ?? places.size;
  const byId = new Map<string, ReportedCheck[]>();
  for (const check of shards.flatMap(({ checks }) => checks))
    byId.set(check.id, [...(byId.get(check.id) ?? []), check]);
  return [...byId.values()].flatMap(united).sort((one, other) => placeOf(one) - placeOf(other));
}

/** What a check says of its requirements; one that does not tell them apart says the same of each. */
export function saysOf({
  says,
  requirements,
  outcome,
  reason,
  reason_code = null,
}: ReportedCheck): readonly ReportedSay[] {
  return says ?? requirements.map((requirement) => ({ requirement, outcome, reason, reason_code }));
}

/** One check as several shards saw it. Those that saw nothing of it have no say beside one that did. */
function united(parts: readonly ReportedCheck[]): readonly ReportedCheck[] {
  const [first, ...others] = parts;
  if (first === undefined || others.length === 0) return parts;
  const seeing = parts.filter(({ outcome }) => outcome !== 'skipped');
  const telling = seeing.length > 0 ? seeing : parts;
  const { outcome, reason, reason_code = null } = worst(telling) ?? first;
  const [failure = null, ...further] = distinct(parts.flatMap(failuresOf));
  return [
    {
      ...first,
      outcome,
      reason,
      reason_code,
      cases: sum(parts, ({ cases }) => cases),
      classes: unitedClasses(parts),
      requests: sum(parts, ({ requests }) => requests),
      started_ms: Math.min(...parts.map(({ started_ms }) => started_ms)),
      duration_ms: Math.max(...parts.map(({ duration_ms }) => duration_ms)),
      failure,
      further_failures: further,
      attempts: parts.flatMap(({ attempts }) => attempts),
      says: first.requirements.flatMap((id) => unitedSay(telling.flatMap(saysOf), id)),
    },
  ];
}

function unitedSay(says: readonly ReportedSay[], id: ReportedSay['requirement']): readonly ReportedSay[] {
  const say = worst(says.filter(({ requirement }) => requirement === id));
  return say === undefined ? [] : [say];
}

function failuresOf({ failure, further_failures: further }: ReportedCheck): readonly Failure[] {
  return failure === null ? further : [failure, ...further];
}

/** One of each operation and status: the same fault in every shard is one fault. */
function distinct(failures: readonly Failure[]): readonly Failure[] {
  const subject = ({ requirement, counterexample: { operation, status }, message }: Failure) =>
    operation === undefined ? `${requirement} ${message}` : `${requirement} ${operation}.${status}`;
  const bySubject = new Map<string, Failure>();
  for (const failure of failures) {
    if (!bySubject.has(subject(failure))) bySubject.set(subject(failure), failure);
  }
  return [...bySubject.values()];
}

function unitedClasses(parts: readonly ReportedCheck[]): ReportedCheck['classes'] {
  const counts = new Map<string, number>();
  for (const [word, count] of parts.flatMap(({ classes }) => Object.entries(classes ?? {})))
    counts.set(word, (counts.get(word) ?? 0) + count);
  return parts.every(({ classes }) => classes === null) ? null : Object.fromEntries(counts);
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
