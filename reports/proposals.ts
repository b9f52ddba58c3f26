import type { Level } from '../spec/ledger.js';
import { type Failure, isUnproven, type Report } from '../spec/report.js';
import { isSameViolation } from '../spec/situation.js';
import { listFailed } from './failed-requirements.js';
import { describeReport } from './report-view.js';
import { escapeJson, safeLine, sanitizeLine } from './sanitize.js';

const waiversHead = `# Known violations to allow until an expiry date. Each entry covers the one violation that it names.
# Fill in reason and owner; until then the file is refused. Remove an entry once its violation is fixed.
# An entry is valid up to and including its expiry date, in UTC.
`;

/** Renders waivers to fill in, valid until a day, for violations of some levels; undefined if there are none. */
export function renderWaiverProposal(
  report: Report,
  { decides, expires }: { readonly decides: readonly Level[]; readonly expires: string },
): string | undefined {
  const proposed = proposeWaivers(report, decides);
  if (proposed.length === 0) return undefined;
  const entries = proposed.map(({ failure: { requirement, case: code, situation }, comments }) =>
    [
      ...comments.map((line) => `  # ${safeLine(line, 160)}`),
      `  - id: ${requirement}`,
      ...(code === undefined ? [] : [`    case: ${code}`]),
      // In quotes: plain, it might be read as something else.
      `    situation: ${escapeJson(JSON.stringify(situation))}`,
      '    reason:',
      '    owner:',
      `    expires: ${expires}`,
    ].join('\n'),
  );
  return `${waiversHead}waivers:\n${entries.join('\n\n')}\n`;
}

/** Lists the violations to waive, each with comments for the reader: the requirement, and what was seen. */
function proposeWaivers(report: Report, decides: readonly Level[]) {
  const { waived, newer } = report.gate;
  const bySituation = new Map<string, { readonly failure: Failure; readonly comments: readonly string[] }>();
  for (const { requirement, failures } of listFailed(report)) {
    const { id, level, section, statement } = requirement;
    if (!decides.includes(level) || waived.includes(id) || newer.includes(id)) continue;
    for (const { failure } of failures) {
      const key = JSON.stringify([id, failure.situation]);
      const comments = [`${level}  §${section}  ${statement}`, failure.message];
      if (!bySituation.has(key)) bySituation.set(key, { failure, comments });
    }
  }
  const all = [...bySituation.values()];
  // A generated case that shows a violation once more is covered by the waiver of the first.
  const isShownAgain = (failure: Failure): boolean =>
    failure.situation_parts?.as_in !== undefined &&
    all.some((other) => other.failure !== failure && isSameViolation(other.failure, failure));
  return all.filter(({ failure }) => !isShownAgain(failure));
}

const policyHead = `# What this target cannot show. The gate allows these requirements and no others: any other must that is not exercised
# in a later run ends it with exit code 4. Fill in each reason; until then the file is refused.
`;

/**
 * Renders a policy, to be filled in, that excuses each `must` not exercised and not excused yet; undefined if there is
 * none. With a base URL it is a profile of its own.
 */
export function renderPolicyProposal(
  report: Report,
  { excused, baseUrl }: { readonly excused: readonly string[]; readonly baseUrl?: string | undefined },
): string | undefined {
  const entries = describeReport(report).notExercised.flatMap(({ need, reason, requirements }) => {
    const ids = requirements
      .filter((row) => isUnproven(row) && !excused.includes(row.id))
      .map(({ id }) => `        - ${id}`);
    if (ids.length === 0) return [];
    const why = sanitizeLine(need === undefined ? reason : `needs ${need}`);
    return [`    # ${why}\n    - requirement:\n${ids.join('\n')}\n      reason:\n`];
  });
  if (entries.length === 0) return undefined;
  const target = baseUrl === undefined ? '' : `target:\n  base_url: ${JSON.stringify(baseUrl)}\n`;
  return `${policyHead}${target}policy:\n  excused:\n${entries.join('')}`;
}
