import { isUnproven, type ReportedRequirement, type Verdict } from '../spec/report.js';

/** The word for a run: what is violated, what stayed unproven. Knows neither waivers nor policy. */
export function verdictOf(requirements: readonly ReportedRequirement[], unjudged: boolean): Verdict {
  if (
    requirements.some(({ level, status }) => status === 'fail' && (level === 'must' || level === 'derived'))
  ) {
    return 'non-conformant';
  }
  if (unjudged) return 'unjudged';
  return requirements.some(isUnproven) ? 'incomplete' : 'conformant';
}
