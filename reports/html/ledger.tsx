import { areaOf, areas } from '../../spec/ledger.js';
import { countMutants } from '../../spec/mutant-counts.js';
import { type Report, type ReportedRequirement, statuses } from '../../spec/report.js';
import { levels } from '../../spec/requirement.js';
import { countStatuses } from '../report-view.js';
import { formatCount, statusOrder, statusWords } from '../wording.js';
import { type CheckIndex, Checks } from './checks.js';
import { Fragment, h } from './markup.js';
import { RequirementLink, safeAttribute, safeText } from './safe-text.js';

interface LedgerProps {
  readonly report: Report;
  readonly index: CheckIndex;
}

/** Every requirement, area by area, with filters; a row opens into its checks, that of a violation leads to it. */
export function Ledger({ report, index }: LedgerProps) {
  const groups = areas
    .map((area) => ({ area, rows: report.requirements.filter(({ id }) => areaOf(id) === area) }))
    .filter(({ rows }) => rows.length > 0);
  return (
    <section id="ledger" aria-labelledby="ledger-heading">
      <h2 id="ledger-heading">Requirements</h2>
      <p class="lead">Every requirement of the document. Open a row to see how it was decided.</p>
      <Filters report={report} />
      <p class="nothing" data-nothing hidden>
        No requirement matches all of these filters.
      </p>
      {groups.map(({ area, rows }) => (
        <section class="group" data-group key={area} aria-labelledby={`area-${area}`}>
          <h3 id={`area-${area}`}>{area}</h3>
          {rows.filter(isOpen).map((requirement) => (
            <RequirementRow key={requirement.id} requirement={requirement} index={index} />
          ))}
          <SettledRows rows={rows.filter((row) => !isOpen(row))} index={index} />
        </section>
      ))}
    </section>
  );
}

/** Whether there is something to do about a requirement. */
function isOpen({ status }: ReportedRequirement): boolean {
  return status !== 'pass' && status !== 'not-observable';
}

interface SettledRowsProps {
  readonly rows: readonly ReportedRequirement[];
  readonly index: CheckIndex;
}

function SettledRows({ rows, index }: SettledRowsProps) {
  if (rows.length === 0) return null;
  const totals = countStatuses(rows);
  const counts = statusOrder.filter((status) => totals[status] > 0);
  return (
    <details class="settled" data-settled>
      <summary>{counts.map((status) => `${totals[status]} ${statusWords[status]}`).join(', ')}</summary>
      {rows.map((requirement) => (
        <RequirementRow key={requirement.id} requirement={requirement} index={index} />
      ))}
    </details>
  );
}

interface RowProps {
  readonly requirement: ReportedRequirement;
  readonly index: CheckIndex;
}

function RequirementRow({ requirement, index }: RowProps) {
  const { id, section, level, statement, status, reason } = requirement;
  const data = { 'data-row': true, 'data-status': status, 'data-level': level, 'data-area': areaOf(id) };
  const line = (
    <>
      <span class={`badge tone ${status}`}>{statusWords[status]}</span>{' '}
      <span class="what">
        {status === 'fail' ? <RequirementLink id={id} /> : <span class="id">{safeText(id)}</span>}{' '}
        <span class="statement">{safeText(statement)}</span>
        {reason !== null && (
          <>
            {' '}
            <span class="quiet reason">{safeText(reason)}</span>
          </>
        )}
      </span>{' '}
      <span class="rank">
        {level} §{section}
      </span>
    </>
  );
  // Its evidence is with the violations.
  if (status === 'fail') {
    return (
      <div class="row fail" {...data}>
        <p class="line">{line}</p>
      </div>
    );
  }
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
        {status === 'pass' && <FaultyServers count={countMutants(id)} />}
        <Checks requirement={requirement} index={index} />
      </div>
    </details>
  );
}

/** What a pass is worth: servers on which the requirement fails. */
function FaultyServers({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <p class="quiet">
      {formatCount(count, 'faulty server')} of the catalogue {count === 1 ? 'fails' : 'fail'} it.
    </p>
  );
}

function Filters({ report: { requirements, totals } }: { readonly report: Report }) {
  return (
    <form class="filters" data-filters data-control hidden aria-label="Filters of the requirements">
      <label class="search">
        <span>
          Search <kbd>/</kbd>
        </span>
        <input
          type="search"
          name="text"
          placeholder="id, words of the statement or of the evidence"
          autocomplete="off"
        />
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
    <label class="choice">
      <input type="checkbox" name={name} value={value} /> {word} <span class="amount">{count}</span>
    </label>
  );
}
