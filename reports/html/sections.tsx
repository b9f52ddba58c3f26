import type { Report, ReportedSilence } from '../../spec/report.js';
import {
  countGrouped,
  countLeftOut,
  explainGroup,
  groupByReason,
  listCoverageHints,
  type ReasonGroup,
  suggestNext,
} from '../report-view.js';
import { formatCount, formatGroupSize, formatNumber } from '../wording.js';
import { CopyLine } from './evidence.js';
import { Fragment, h } from './markup.js';
import { RequirementLink, RequirementLinks, safeText } from './safe-text.js';

/** The requirements without a result, by the reason, and so by what they need. */
export function MissingResults({ report }: { readonly report: Report }) {
  const leftOut = countLeftOut(report);
  const inconclusive = groupByReason(report, 'inconclusive');
  const hints = listCoverageHints(report);
  const unseen = groupByReason(report, 'not-observable');
  const next = suggestNext(report);
  if (inconclusive.length + hints.length + unseen.length + leftOut === 0) return null;
  return (
    <section id="no-result" aria-labelledby="no-result-heading">
      <h2 id="no-result-heading">Without a result, and why</h2>
      {next !== undefined && (
        <>
          <p>{next.lead}</p>
          <CopyLine label="command" line={next.command} />
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
