import { countMutants } from '../../spec/explanation.js';
import { areaOf, areas } from '../../spec/ledger.js';
import { countStatuses, type Report, type ReportedRequirement, statuses } from '../../spec/report.js';
import { levels } from '../../spec/requirement.js';
import type { ReportView } from '../report-view.js';
import { formatCount, statusOrder, statusWords } from '../wording.js';
import { renderChecks } from './evidence.js';
import { type Content, h } from './markup.js';
import { linkRequirement, safeAttribute, safeText } from './safe-text.js';

/** Renders every requirement by area, with filters; a row opens into its checks, that of a violation leads to it. */
export function renderLedger(view: ReportView): Content {
  const { report } = view;
  const renderRows = (rows: readonly ReportedRequirement[]) => rows.map((row) => renderRow(row, view));
  return (
    <section id="ledger" aria-labelledby="ledger-heading">
      <h2 id="ledger-heading">Requirements</h2>
      <p class="lead">Every requirement of the document. Open a row to see how it was decided.</p>
      {renderFilters(report)}
      <p class="nothing" data-nothing hidden>
        No requirement matches all of these filters.
      </p>
      {view.areas.map(({ area, rows }) => {
        const settled = rows.filter(isSettled);
        const totals = countStatuses(settled);
        const counts = statusOrder.filter((status) => totals[status] > 0);
        return (
          rows.length > 0 && (
            <section class="group" data-group aria-labelledby={`area-${area}`}>
              <h3 id={`area-${area}`}>{area}</h3>
              {renderRows(rows.filter((row) => !isSettled(row)))}
              {settled.length > 0 && (
                <details class="settled" data-settled>
                  <summary>
                    {counts.map((status) => `${totals[status]} ${statusWords[status]}`).join(', ')}
                  </summary>
                  {renderRows(settled)}
                </details>
              )}
            </section>
          )
        );
      })}
    </section>
  );
}

/** Whether a requirement needs no attention. */
function isSettled({ status }: ReportedRequirement): boolean {
  return status === 'pass' || status === 'not-observable';
}

function renderRow(requirement: ReportedRequirement, view: ReportView): Content {
  const { id, section, level, statement, status, reason } = requirement;
  const data = { 'data-row': true, 'data-status': status, 'data-level': level, 'data-area': areaOf(id) };
  const line = [
    <span class={`badge tone ${status}`}>{statusWords[status]}</span>,
    ' ',
    <span class="what">
      {status === 'fail' ? linkRequirement(id) : <span class="id">{safeText(id)}</span>}{' '}
      <span class="statement">{safeText(statement)}</span>
      {reason !== null && [' ', <span class="quiet reason">{safeText(reason)}</span>]}
    </span>,
    ' ',
    <span class="rank">
      {level} §{section}
    </span>,
  ];
  // Its evidence is with the violations.
  if (status === 'fail')
    return (
      <div class="row fail" {...data}>
        <p class="line">{line}</p>
      </div>
    );
  // Shows how much a pass is worth.
  const faulty = status === 'pass' ? countMutants(id) : 0;
  return (
    <details class={`row ${status}`} id={safeAttribute(id)} {...data}>
      <summary class="line">{line}</summary>
      <div class="behind">
        <p class="quiet">
          Section {section} of the document, {level}.{' '}
          <a href={`#${safeAttribute(id)}`} data-link>
            Link to this requirement
          </a>
        </p>
        {faulty > 0 && (
          <p class="quiet">Its checks catch {formatCount(faulty, 'faulty server')} of the catalogue.</p>
        )}
        {renderChecks(requirement, view)}
      </div>
    </details>
  );
}

function renderFilters({ requirements, totals }: Report): Content {
  return (
    <form class="filters" data-filters data-control hidden aria-label="Filter requirements">
      <label class="search">
        <span>
          Search <kbd>/</kbd>
        </span>
        <input
          type="search"
          name="text"
          placeholder="ID, or words from the statement or evidence"
          autocomplete="off"
        />
      </label>
      <label class="area">
        <span>Area</span>
        <select name="area">
          <option value="">all</option>
          {areas.map((area) => (
            <option value={area}>{area}</option>
          ))}
        </select>
      </label>
      <fieldset>
        <legend>Status</legend>
        {statuses.map((status) => renderChoice('status', status, statusWords[status], totals[status]))}
      </fieldset>
      <fieldset>
        <legend>Level</legend>
        {levels.map((level) => {
          const { length } = requirements.filter((row) => row.level === level);
          return renderChoice('level', level, level, length);
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

function renderChoice(name: string, value: string, word: string, count: number): Content {
  return (
    <label class="choice">
      <input type="checkbox" name={name} value={value} /> {word} <span class="amount">{count}</span>
    </label>
  );
}
