import type { Report, ReportedCheck, ReportedRequirement } from '../../spec/report.js';
import { formatCount, formatNumber, outcomeWords } from '../wording.js';
import { Exchange } from './evidence.js';
import { Fragment, h } from './markup.js';
import { RequirementLink, safeText } from './safe-text.js';

/** The checks of a report, and where the page shows their attempts. */
export interface CheckIndex {
  readonly checks: ReadonlyMap<string, ReportedCheck>;
  /** The one requirement that shows the attempts of a check. */
  readonly attemptsAt: ReadonlyMap<string, string>;
}

/** A check may decide fifty requirements: its attempts are shown once, at the first that they left without a result. */
export function indexChecks(report: Report): CheckIndex {
  const checks = new Map(report.checks.map((check) => [check.id, check]));
  const attemptsAt = new Map<string, string>();
  const place = (isWanted: (row: ReportedRequirement, check: ReportedCheck) => boolean): void => {
    for (const row of report.requirements) {
      for (const id of row.checks) {
        const check = checks.get(id);
        if (check !== undefined && check.attempts.length > 0 && !attemptsAt.has(id) && isWanted(row, check))
          attemptsAt.set(id, row.id);
      }
    }
  };
  place((row, { failure }) => failure?.requirement === row.id);
  place((row) => row.status === 'inconclusive');
  place(() => true);
  return { checks, attemptsAt };
}

interface ChecksProps {
  readonly requirement: ReportedRequirement;
  readonly index: CheckIndex;
}

/** The checks that decide a requirement, each with its outcome. */
export function Checks({ requirement, index }: ChecksProps) {
  const checks = requirement.checks.flatMap((id) => index.checks.get(id) ?? []);
  if (checks.length === 0) return null;
  return (
    <>
      <p class="part">
        {checks.length === 1 ? 'Decided by the check' : `Decided by ${checks.length} checks`}
      </p>
      <ul class="checks">
        {checks.map((check) => (
          <li key={check.id}>
            <code>{safeText(check.id)}</code> {describeEffort(check)}
            {check.outcome !== 'pass' && (
              <Outcome check={check} requirement={requirement} at={index.attemptsAt.get(check.id)} />
            )}
            {check.requirements[0] === requirement.id && <Classes check={check} />}
          </li>
        ))}
      </ul>
    </>
  );
}

/** How many cases of each class were generated: it shows what was hardly tried. */
function Classes({ check: { classes, requests } }: { readonly check: ReportedCheck }) {
  if (classes === null || requests === 0) return null;
  const counts = Object.entries(classes).map(([name, count]) => `${name} ${formatNumber(count)}`);
  return <p>Cases by class: {safeText(counts.join(', '))}</p>;
}

function describeEffort({ cases, requests, duration_ms: duration }: ReportedCheck): string {
  // A rule for every response sends nothing itself.
  if (requests === 0) return formatCount(cases, 'case');
  return `${formatCount(cases, 'case')}, ${formatCount(requests, 'request')}, ${(duration / 1000).toFixed(2)} s`;
}

interface OutcomeProps {
  readonly check: ReportedCheck;
  readonly requirement: ReportedRequirement;
  /** The requirement that shows the attempts of the check. */
  readonly at: string | undefined;
}

function Outcome({ check, requirement, at }: OutcomeProps) {
  const { failure, further_failures, outcome, reason, attempts } = check;
  const isHere = [failure, ...further_failures].some((one) => one?.requirement === requirement.id);
  if (failure !== null && !isHere) {
    return (
      <>
        , failed for another requirement: <RequirementLink id={failure.requirement} />
      </>
    );
  }
  return (
    <>
      , <b class={`tone ${outcome}`}>{outcomeWords[outcome]}</b>
      {reason !== null && reason !== requirement.reason && <p>{safeText(reason)}</p>}
      {attempts.length > 0 && at !== undefined && at !== requirement.id && (
        <p class="quiet">
          Its attempts are listed at <RequirementLink id={at} />.
        </p>
      )}
      {attempts.length > 0 && at === requirement.id && <Attempts check={check} />}
    </>
  );
}

/** The attempts of a check that did not pass; the numbers between them passed. */
function Attempts({ check: { attempts } }: { readonly check: ReportedCheck }) {
  const start = Date.parse(attempts[0]?.exchanges[0]?.at ?? '');
  return (
    <details class="attempts">
      <summary>{formatCount(attempts.length, 'attempt')} that did not pass</summary>
      <ol>
        {attempts.map(({ attempt, came, exchanges }) => {
          const elapsed = (Date.parse(exchanges[0]?.at ?? '') - start) / 1000;
          return (
            <li key={attempt}>
              <b>{attempt}</b>{' '}
              {Number.isFinite(elapsed) && <span class="quiet">+{elapsed.toFixed(1)} s</span>}{' '}
              {safeText(came)}
              {exchanges.map((exchange, index) => (
                <Exchange key={String(index)} exchange={exchange} number={index + 1} />
              ))}
            </li>
          );
        })}
      </ol>
    </details>
  );
}
