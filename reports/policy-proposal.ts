import { isUnproven, type Report } from '../spec/report.js';
import { findCoverageHints } from './coverage-hints.js';
import { inertText } from './inert-text.js';

/** What a policy is proposed for. */
export interface PolicyProposalOptions {
  /** The requirements that the policy of the run excuses already. */
  readonly excused: readonly string[];
  /** The base URL, if the file is to be a profile of its own. */
  readonly baseUrl?: string | undefined;
}

const head = `# What this target cannot show. The gate passes over these requirements and no others: a must that is not exercised
# in a later run fails it again. Fill in each reason; until then the file is refused.
`;

/**
 * Renders a policy that excuses each `must` that was not exercised, with a reason to fill in for each thing that the target
 * lacks. Undefined if there is none.
 */
export function renderPolicyProposal(
  report: Report,
  { excused, baseUrl }: PolicyProposalOptions,
): string | undefined {
  const entries = findCoverageHints(report).flatMap(({ need, reason, requirements }) => {
    const ids = requirements
      .filter((row) => isUnproven(row) && !excused.includes(row.id))
      .map(({ id }) => `        - ${id}`);
    if (ids.length === 0) return [];
    const why = inertText(need === undefined ? reason : `needs ${need}`);
    return [`    # ${why}\n    - requirement:\n${ids.join('\n')}\n      reason:\n`];
  });
  if (entries.length === 0) return undefined;
  const target = baseUrl === undefined ? '' : `target:\n  base_url: ${JSON.stringify(baseUrl)}\n`;
  return `${head}${target}policy:\n  excused:\n${entries.join('')}`;
}
