import type { JSX } from 'preact';
import type { ComparedRequirement, Comparison } from '../spec/comparison.js';
import {
  describeBefore,
  describeChange,
  describeGate,
  describeRun,
  describeUnchanged,
  listNewlyFailed,
  listSections,
  type Section,
} from './comparison-text.js';
import { renderPlainPage, Table } from './plain-page.js';
import { sanitizeTexts, truncate } from './sanitize.js';
import { formatConfirmed, formatCount } from './wording.js';

/** Renders a comparison as a page that stands by itself. Text from the reports is sanitized. */
export function renderComparisonPage(original: Comparison): string {
  const comparison = sanitizeTexts(original);
  return renderPlainPage(
    `plumbline comparison: ${comparison.old.verdict} → ${comparison.new.verdict}`,
    <Story comparison={comparison} />,
  );
}

function Story({ comparison }: { readonly comparison: Comparison }): JSX.Element {
  const { old, new: now, warnings, gate } = comparison;
  const failed = listNewlyFailed(comparison);
  return (
    <>
      <h1 class={gate.exit_code === 0 ? now.verdict : 'non-conformant'}>{describeChange(comparison)}</h1>
      <p>{describeGate(comparison)}</p>
      <p class="quiet">{`Old: ${describeRun(old)}`}</p>
      <p class="quiet">{`New: ${describeRun(now)}`}</p>
      {warnings.map((warning) => (
        <p key={warning} class="warning">
          {warning}
        </p>
      ))}
      {failed.length > 0 && (
        <section aria-labelledby="newly-failed">
          <h2 id="newly-failed">{`Newly failed (${failed.length})`}</h2>
          <Table headings={['Requirement', 'Before', 'Now']}>
            {failed.map((row) => (
              <FailedRow key={row.id} row={row} />
            ))}
          </Table>
        </section>
      )}
      {listSections(comparison).map((section) => (
        <SectionDetails key={section.heading} {...section} />
      ))}
      <p>{describeUnchanged(comparison)}</p>
    </>
  );
}

// A server may have made a text as long as it likes.
const longestText = 600;
const failuresShown = 3;

function FailedRow({ row }: { readonly row: ComparedRequirement }): JSX.Element {
  const { id, level, section, statement, failures } = row;
  const more = failures.length - failuresShown;
  return (
    <tr>
      <th scope="row">
        <span class="id">{id}</span>
        <br />
        <span class="quiet">{`${level}, §${section}${level === 'advisory' ? ', not part of the verdict' : ''}`}</span>
        <p class="statement">{statement}</p>
      </th>
      <td>{truncate(describeBefore(row), longestText)}</td>
      <td>
        {failures.slice(0, failuresShown).map(({ situation, expected, actual, confirmed, command }, at) => (
          <div key={at} class="failure">
            {situation !== null && <p>{truncate(situation, longestText)}</p>}
            <p>{`Expected ${truncate(expected, longestText)}`}</p>
            <p class={level === 'advisory' ? 'incomplete' : 'non-conformant'}>
              {`Got ${truncate(actual, longestText)}, ${formatConfirmed(confirmed)}`}
            </p>
            <pre>{command}</pre>
          </div>
        ))}
        {more > 0 && <p class="quiet">{`and ${formatCount(more, 'more violation')} in the new report`}</p>}
      </td>
    </tr>
  );
}

/** Folded: what is new has failed, and stands above. */
function SectionDetails({ heading, meaning, groups }: Section): JSX.Element {
  return (
    <details>
      <summary>
        <b>{heading}</b>
        {`: ${meaning}`}
      </summary>
      <ul>
        {groups.map(({ reason, rows }) => (
          <li key={String(reason)}>
            {reason !== null && <p>{truncate(reason, longestText)}</p>}
            {rows.map(({ id }) => (
              <span key={id} class="id">
                {`${id} `}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </details>
  );
}
