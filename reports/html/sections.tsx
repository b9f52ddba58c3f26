import type { ReportedSilence } from '../../spec/report.js';
import { countGrouped, explainGroup, type ReasonGroup, type ReportView } from '../report-view.js';
import { formatCount, formatGroupSize, formatNumber } from '../wording.js';
import { renderCopyLine } from './evidence.js';
import { type Content, Fragment, h } from './markup.js';
import { linkRequirement, linkRequirements, safeText } from './safe-text.js';

/** Renders the requirements without a result, by the reason, and so by what they need. */
export function renderMissingResults(view: ReportView): Content {
  const { inconclusive, notExercised: hints, notObservable: unseen, leftOut, next } = view;
  if (inconclusive.length + hints.length + unseen.length + leftOut === 0) return null;
  return (
    <section id="no-result" aria-labelledby="no-result-heading">
      <h2 id="no-result-heading">Requirements without a result</h2>
      {next !== undefined && [<p>{next.lead}</p>, renderCopyLine('command', next.command)]}
      {renderReasons('Inconclusive', inconclusive)}
      {renderReasons('Not exercised, most valuable first', hints)}
      {leftOut > 0 && <p class="quiet">{formatCount(leftOut, 'requirement')} not selected.</p>}
      {renderReasons('Not observable by any client', unseen, 0)}
    </section>
  );
}

function renderReasons(heading: string, groups: readonly ReasonGroup[], open = 5): Content {
  if (groups.length === 0) return null;
  const folded = groups.slice(open);
  return (
    <>
      <h3>
        {heading} <span class="amount">{formatNumber(countGrouped(groups))}</span>
      </h3>
      {renderReasonList(groups.slice(0, open))}
      {folded.length > 0 && (
        <details>
          <summary>
            {formatCount(folded.length, open === 0 ? 'reason' : 'further reason')},{' '}
            {formatGroupSize(folded.flatMap(({ requirements }) => requirements))}
          </summary>
          {renderReasonList(folded)}
        </details>
      )}
    </>
  );
}

const shownOpenly = 3;

/** Each reason with its requirements; a long list of these is folded. */
function renderReasonList(groups: readonly ReasonGroup[]): Content {
  return (
    <ul class="reasons">
      {groups.map((group) => {
        const ids = group.requirements.map(({ id }) => id);
        const line = [<b>{formatGroupSize(group.requirements)}</b>, safeText(explainGroup(group))];
        return (
          <li>
            {ids.length <= shownOpenly ? (
              [<p>{line}</p>, linkRequirements(ids)]
            ) : (
              <details>
                <summary>{line}</summary>
                {linkRequirements(ids)}
              </details>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Renders what the document leaves open, and what this target did there. Nothing of it is right or wrong. */
export function renderUnspecifiedBehaviour(silences: readonly ReportedSilence[]): Content {
  if (silences.length === 0) return null;
  return (
    <section id="unspecified" aria-labelledby="unspecified-heading">
      <h2 id="unspecified-heading">Unspecified behaviour</h2>
      <p class="lead">
        What the document leaves open, and how this server behaves. None of it affects the verdict.
      </p>
      <ul class="unspecified">
        {silences.map(({ id, section, statement, observed }) => (
          <li>
            <p>
              {safeText(statement)} <span class="section">§{section}</span>
            </p>
            <p class="quiet">{linkRequirement(id)}</p>
            {renderObserved(observed)}
          </li>
        ))}
      </ul>
    </section>
  );
}

const observedOpenly = 4;

function renderObserved(observed: readonly string[]): Content {
  if (observed.length === 0) return <p class="quiet">Nothing was observed.</p>;
  const list = (
    <ul class="observed">
      {observed.map((seen) => (
        <li>
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
