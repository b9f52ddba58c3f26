import { areaOf, areas, type Level } from '../../spec/ledger.js';
import { type Report, type ReportedCheck, type ReportedRequirement, statuses } from '../../spec/report.js';
import { groupFailures } from '../report-view.js';
import { formatCount, outcomeWords, statusWords } from '../wording.js';
import { Attempts, Failures } from './evidence.js';
import { RequirementLink, safeAttribute, safeText } from './safe-text.js';

/** Every requirement in the order of the document, with filters; a row opens into its evidence. */
export function Ledger({ report }: { readonly report: Report }) {
  const evidence = indexEvidence(report);
  const groups = areas
    .map((area) => ({ area, rows: report.requirements.filter(({ id }) => areaOf(id) === area) }))
    .filter(({ rows }) => rows.length > 0);
  return (
    <section id="ledger" aria-labelledby="ledger-heading">
      <h2 id="ledger-heading">Requirements</h2>
      <p class="lead">Every requirement of the document, in its order. Open a row to see its evidence.</p>
      <Filters report={report} />
      <p class="nothing" data-nothing hidden>
        No requirement matches all of these filters.
      </p>
      {groups.map(({ area, rows }) => (
        <section class="group" data-group key={area} aria-labelledby={`area-${area}`}>
          <h3 id={`area-${area}`}>{area}</h3>
          {rows.map((requirement) => (
            <RequirementRow key={requirement.id} requirement={requirement} evidence={evidence} />
          ))}
        </section>
      ))}
    </section>
  );
}

/** What a row needs of the rest of the report. */
interface EvidenceIndex {
  readonly failures: ReturnType<typeof groupFailures>;
  readonly checks: ReadonlyMap<string, ReportedCheck>;
  /** The one requirement that shows the attempts of a check. */
  readonly attemptsAt: ReadonlyMap<string, string>;
}

function indexEvidence(report: Report): EvidenceIndex {
  const checks = new Map(report.checks.map((check) => [check.id, check]));
  return {
    failures: groupFailures(report),
    checks,
    attemptsAt: placeAttempts(report.requirements, checks),
  };
}

/** A check may decide fifty requirements: its attempts are shown once, at the first that they left without a result. */
function placeAttempts(
  requirements: readonly ReportedRequirement[],
  checks: ReadonlyMap<string, ReportedCheck>,
): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  const place = (isWanted: (row: ReportedRequirement, check: ReportedCheck) => boolean): void => {
    for (const row of requirements) {
      for (const id of row.checks) {
        const check = checks.get(id);
        if (check !== undefined && check.attempts.length > 0 && !places.has(id) && isWanted(row, check))
          places.set(id, row.id);
      }
    }
  };
  place((row, { failure }) => failure?.requirement === row.id);
  place((row) => row.status === 'inconclusive');
  place(() => true);
  return places;
}

interface RowProps {
  readonly requirement: ReportedRequirement;
  readonly evidence: EvidenceIndex;
}

function RequirementRow({ requirement, evidence }: RowProps) {
  const { id, section, level, statement, status, reason } = requirement;
  return (
    <details
      class={`row ${status}`}
      id={safeAttribute(id)}
      data-row
      data-status={status}
      data-level={level}
      data-area={areaOf(id)}
    >
      <summary>
        <span class={`badge ${status}`}>{statusWords[status]}</span>{' '}
        <span class="what">
          <span class="id">{safeText(id)}</span> <span class="statement">{safeText(statement)}</span>
          {reason !== null && (
            <>
              {' '}
              <span class="reason">{safeText(reason)}</span>
            </>
          )}
        </span>{' '}
        <span class="rank">
          {level} §{section}
        </span>
      </summary>
      <div class="behind">
        <p class="quiet">
          Section {section} of the document, {level}.{' '}
          <a href={`#${safeAttribute(id)}`}>Link to this requirement</a>
        </p>
        {status === 'fail' && <Failures failures={evidence.failures.get(id) ?? []} />}
        <Checks requirement={requirement} evidence={evidence} />
      </div>
    </details>
  );
}

/** The checks that decide a requirement, each with its outcome. */
function Checks({ requirement, evidence }: RowProps) {
  const checks = requirement.checks.flatMap((id) => evidence.checks.get(id) ?? []);
  if (checks.length === 0) return null;
  return (
    <>
      <h4>{checks.length === 1 ? 'Decided by the check' : `Decided by ${checks.length} checks`}</h4>
      <ul class="checks">
        {checks.map((check) => (
          <li key={check.id}>
            <code>{safeText(check.id)}</code> {describeEffort(check)}
            {check.outcome !== 'pass' && (
              <Outcome check={check} requirement={requirement} at={evidence.attemptsAt.get(check.id)} />
            )}
          </li>
        ))}
      </ul>
    </>
  );
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
  const { failure, further_failures, outcome, reason } = check;
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
      , <b class={`outcome ${outcome}`}>{outcomeWords[outcome]}</b>
      {reason !== null && reason !== requirement.reason && <p>{safeText(reason)}</p>}
      {check.attempts.length > 0 && <Attempts check={check} at={at} here={requirement.id} />}
    </>
  );
}

const levels: readonly Level[] = ['must', 'derived', 'advisory', 'silent'];

/** The controls that choose which rows are shown. */
function Filters({ report: { requirements, totals } }: { readonly report: Report }) {
  return (
    <form class="filters" data-filters data-control hidden aria-label="Filters of the requirements">
      <label class="search">
        <span>
          Search <kbd>/</kbd>
        </span>
        <input type="search" name="text" placeholder="id, words of the statement" autocomplete="off" />
      </label>
      <label class="area">
        <span>Area</span>
        <select name="area">
          <option value="">all</option>
          {areas.map((area) => (
            <option key={area} value={area}>
              {area}
            </option>
          ))}
        </select>
      </label>
      <fieldset>
        <legend>Status</legend>
        {statuses.map((status) => (
          <Choice
            key={status}
            name="status"
            value={status}
            word={statusWords[status]}
            count={totals[status]}
          />
        ))}
      </fieldset>
      <fieldset>
        <legend>Level</legend>
        {levels.map((level) => {
          const { length } = requirements.filter((row) => row.level === level);
          return <Choice key={level} name="level" value={level} word={level} count={length} />;
        })}
      </fieldset>
      <p class="matches">
        <output data-count aria-live="polite">
          {requirements.length} of {requirements.length} requirements
        </output>{' '}
        <button type="reset">Show all</button>
      </p>
    </form>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly value: string;
  readonly word: string;
  readonly count: number;
}

function Choice({ name, value, word, count }: ChoiceProps) {
  return (
    <label class={`choice ${value}`}>
      <input type="checkbox" name={name} value={value} /> {word} <span class="amount">{count}</span>
    </label>
  );
}
