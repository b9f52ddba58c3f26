import type { Report, ReportedCheck, ReportedSilence } from '../../spec/report.js';
import {
  countGrouped,
  countLeftOut,
  explainGroup,
  groupByReason,
  listCoverageHints,
  type ReasonGroup,
  suggestCommand,
} from '../report-view.js';
import { formatCount, formatGroupSize, formatNumber } from '../wording.js';
import { CopyLine } from './evidence.js';
import { RequirementLink, RequirementLinks, safeText } from './safe-text.js';

/** The requirements without a result, by the reason, and so by what they need. */
export function MissingResults({ report }: { readonly report: Report }) {
  const leftOut = countLeftOut(report);
  const inconclusive = groupByReason(report, 'inconclusive');
  const hints = listCoverageHints(report);
  const unseen = groupByReason(report, 'not-observable');
  const next = suggestCommand(report);
  if (inconclusive.length + hints.length + unseen.length + leftOut === 0) return null;
  return (
    <section id="no-result" aria-labelledby="no-result-heading">
      <h2 id="no-result-heading">Without a result, and why</h2>
      {next !== undefined && (
        <>
          <p>Run this next:</p>
          <CopyLine label="command" line={next} />
        </>
      )}
      <Reasons groups={inconclusive} heading="Inconclusive" />
      <Reasons groups={hints} heading="Not exercised, the most valuable first" />
      {leftOut > 0 && <p class="quiet">{formatCount(leftOut, 'requirement')} not selected.</p>}
      <Reasons groups={unseen} heading="Not observable by any client" open={0} />
    </section>
  );
}

interface ReasonsProps {
  readonly groups: readonly ReasonGroup[];
  readonly heading: string;
  /** How many are shown openly. */
  readonly open?: number;
}

function Reasons({ groups, heading, open = 5 }: ReasonsProps) {
  if (groups.length === 0) return null;
  const folded = groups.slice(open);
  return (
    <>
      <h3>
        {heading} <span class="amount">{formatNumber(countGrouped(groups))}</span>
      </h3>
      <ReasonList groups={groups.slice(0, open)} />
      {folded.length > 0 && (
        <details>
          <summary>
            {formatCount(folded.length, open === 0 ? 'reason' : 'further reason')},{' '}
            {formatGroupSize(folded.flatMap(({ requirements }) => requirements))}
          </summary>
          <ReasonList groups={folded} />
        </details>
      )}
    </>
  );
}

const shownOpenly = 3;

/** Each reason with its requirements; a long list of these is folded. */
function ReasonList({ groups }: Pick<ReasonsProps, 'groups'>) {
  return (
    <ul class="reasons">
      {groups.map((group) => {
        const ids = group.requirements.map(({ id }) => id);
        const line = (
          <>
            <b>{formatGroupSize(group.requirements)}</b>
            {safeText(explainGroup(group))}
          </>
        );
        return (
          <li key={group.reason}>
            {ids.length <= shownOpenly ? (
              <>
                <p>{line}</p>
                <RequirementLinks ids={ids} />
              </>
            ) : (
              <details>
                <summary>{line}</summary>
                <RequirementLinks ids={ids} />
              </details>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** What the document leaves open, and what this target did there. Nothing of it is right or wrong. */
export function UnspecifiedBehaviour({ silences }: Pick<Report, 'silences'>) {
  if (silences.length === 0) return null;
  return (
    <section id="unspecified" aria-labelledby="unspecified-heading">
      <h2 id="unspecified-heading">Unspecified behaviour</h2>
      <p class="lead">What the document leaves open, and what was observed. It is not part of the verdict.</p>
      <ul class="unspecified">
        {silences.map(({ id, section, statement, observed }) => (
          <li key={id}>
            <p>
              {safeText(statement)} <span class="section">§{section}</span>
            </p>
            <p class="quiet">
              <RequirementLink id={id} />
            </p>
            <Observed observed={observed} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const observedOpenly = 4;

function Observed({ observed }: Pick<ReportedSilence, 'observed'>) {
  if (observed.length === 0) return <p class="quiet">Nothing was observed.</p>;
  const list = (
    <ul class="observed">
      {observed.map((seen) => (
        <li key={seen}>
          <code>{safeText(seen)}</code>
        </li>
      ))}
    </ul>
  );
  if (observed.length <= observedOpenly) return list;
  return (
    <details>
      <summary>{formatCount(observed.length, 'observation')}</summary>
      {list}
    </details>
  );
}

/** Checks whose cases have the same distribution. */
interface Distribution {
  readonly checks: string[];
  readonly classes: readonly (readonly [string, number])[];
  /** Counted over the responses of the run, by rules that send nothing. */
  readonly ofResponses: boolean;
}

/** How many cases of each class were sent, check by check: it shows what was hardly tried. */
export function CaseDistribution({ checks }: Pick<Report, 'checks'>) {
  const distributions = groupDistributions(checks);
  const generated = distributions.filter(({ ofResponses }) => !ofResponses);
  const observed = distributions.filter(({ ofResponses }) => ofResponses);
  if (distributions.length === 0) return null;
  return (
    <section id="distribution" aria-labelledby="distribution-heading">
      <h2 id="distribution-heading">Distribution of cases</h2>
      {generated.length > 0 && <p class="lead">Generated cases by the class that they were drawn from.</p>}
      <DistributionTables distributions={generated} unit="class" />
      {observed.length > 0 && (
        <details class="of-responses">
          <summary>Rules for every response: answers by operation and status</summary>
          <DistributionTables distributions={observed} unit="operation and status" />
        </details>
      )}
    </section>
  );
}

/** Twenty rules that saw the same answers make one table. */
function groupDistributions(checks: readonly ReportedCheck[]): readonly Distribution[] {
  const groups = new Map<string, Distribution>();
  for (const { id, classes, requests } of checks) {
    if (classes === null || Object.keys(classes).length === 0) continue;
    const key = JSON.stringify(classes);
    const known = groups.get(key);
    if (known === undefined)
      groups.set(key, { checks: [id], classes: Object.entries(classes), ofResponses: requests === 0 });
    else known.checks.push(id);
  }
  return [...groups.values()];
}

interface DistributionTablesProps {
  readonly distributions: readonly Distribution[];
  /** What the rows of the tables are. */
  readonly unit: string;
}

function DistributionTables({ distributions, unit }: DistributionTablesProps) {
  return (
    <div class="distributions">
      {distributions.map(({ checks: [first = '', ...others], classes }) => {
        const most = Math.max(1, ...classes.map(([, count]) => count));
        return (
          <table key={first} class="distribution">
            <caption>
              {safeText(first)}
              {others.length > 0 && (
                <span class="quiet" title={others.slice(0, 30).join(', ')}>
                  {' '}
                  and {formatCount(others.length, 'rule')} more
                </span>
              )}
            </caption>
            <thead>
              <tr>
                <th scope="col">{unit}</th>
                <th scope="col" class="figure">
                  cases
                </th>
                <td class="bar" />
              </tr>
            </thead>
            <tbody>
              {classes.map(([name, count]) => (
                <tr key={name} class={count === 0 ? 'none' : undefined}>
                  <th scope="row">{safeText(name)}</th>
                  <td class="figure">{formatNumber(count)}</td>
                  <td class="bar">
                    <svg width="100%" height="8" aria-hidden="true">
                      <rect width={`${((100 * count) / most).toFixed(1)}%`} height="8" />
                    </svg>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        );
      })}
    </div>
  );
}
