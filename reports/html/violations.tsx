import { findQuotes, findRepair, formatSection } from '../../spec/explanation.js';
import { ledger, type RequirementRow } from '../../spec/ledger.js';
import { type Cause, renderCause } from '../causes.js';
import { explainMissingEvidence, type FailedRequirement } from '../failed-requirements.js';
import type { ReportView } from '../report-view.js';
import { formatCount } from '../wording.js';
import { renderChecks, renderFailures } from './evidence.js';
import { type Content, h } from './markup.js';
import { safeAttribute, safeText } from './safe-text.js';

interface ViolationRow extends FailedRequirement {
  /** Whether no earlier cause has a row of the requirement: links lead to the first. */
  readonly isFirst: boolean;
}

// A longer list would push the evidence of the first violation off the screen.
const causesListed = 8;
const shownOpenly = 3;

/** Renders what failed by cause, the largest first; the simplest violation of the first is open. */
export function renderViolations(view: ReportView): Content {
  const { deciding, advisory } = view;
  if (deciding.length + advisory.length === 0) return null;
  const placed = new Set<string>();
  const causes = view.causes.map((cause) => ({
    sentence: renderCause(cause),
    rows: listRows(cause, placed),
  }));
  return (
    <section id="failed" aria-labelledby="failed-heading">
      <h2 id="failed-heading">
        Failed <span class="amount">{deciding.length}</span>
        <span class="keys" data-control hidden>
          <kbd>j</kbd> next <kbd>k</kbd> previous <kbd>/</kbd> search
        </span>
      </h2>
      {causes.length > 1 && (
        <ol class="causes">
          {causes.slice(0, causesListed).map(({ sentence, rows: [lead] }) => (
            <li>
              <a href={`#${safeAttribute(lead?.requirement.id ?? 'failed')}`}>{safeText(sentence)}</a>
            </li>
          ))}
        </ol>
      )}
      {causes.map(({ sentence, rows }, at) => (
        <section class="cause">
          <h3>{safeText(sentence)}</h3>
          {renderRows(rows, view, at === 0)}
        </section>
      ))}
      {advisory.length > 0 && (
        <section class="cause">
          <h3>
            Advisory findings, not part of the verdict <span class="amount">{advisory.length}</span>
          </h3>
          {advisory.map((failed) => renderViolation({ ...failed, isFirst: true }, view))}
        </section>
      )}
    </section>
  );
}

/** Renders the requirements of a cause; of many only the first is not folded. */
function renderRows([lead, ...others]: readonly ViolationRow[], view: ReportView, isFirstCause: boolean) {
  const further = others.map((row) => renderViolation(row, view));
  return [
    lead !== undefined && renderViolation(lead, view, isFirstCause),
    others.length <= shownOpenly ? (
      further
    ) : (
      <details class="more">
        <summary>{formatCount(others.length, 'more requirement')} with this cause</summary>
        {further}
      </details>
    ),
  ];
}

/** Lists the requirements of a cause with their violations; the simplest violation and its requirement come first. */
function listRows(
  { requirements, lead, failures, simplest }: Cause,
  placed: Set<string>,
): readonly ViolationRow[] {
  return [lead, ...requirements.filter((row) => row !== lead)].map((requirement) => {
    const own = failures.filter(({ failure }) => failure.requirement === requirement.id);
    const [first, others] = [own.filter((one) => one === simplest), own.filter((one) => one !== simplest)];
    const isFirst = !placed.has(requirement.id);
    placed.add(requirement.id);
    return { requirement, isFirst, failures: [...first, ...others] };
  });
}

function renderViolation(row: ViolationRow, view: ReportView, open = false): Content {
  const { requirement, failures, isFirst } = row;
  const { id, level, section, statement } = requirement;
  const [first] = failures;
  const known = ledger.find((one) => one.id === id);
  const [quote, ...furtherQuotes] = known === undefined ? [] : renderQuotes(known);
  const repair = known && findRepair(known);
  return (
    <details
      class="row fail violation"
      id={isFirst ? safeAttribute(id) : undefined}
      data-violation
      open={open}
    >
      <summary class="line">
        <span class="what">
          <span class="id">{safeText(id)}</span> <span class="statement">{safeText(statement)}</span>{' '}
          <span class="quiet brief">
            {first === undefined
              ? safeText(explainMissingEvidence(requirement))
              : [
                  ...['expected ', safeText(first.failure.expected), ', got '],
                  <b class="got">{safeText(first.failure.actual)}</b>,
                ]}
          </span>
        </span>{' '}
        <span class="rank">
          {view.report.gate.waived.includes(id) && 'waived, '}
          {level} <span class="section">§{section}</span>
        </span>
      </summary>
      <div class="behind">
        {quote}
        {renderFailures(failures, view)}
        {repair !== undefined && (
          <p class="repair">
            <b>How to fix it:</b> {repair}
          </p>
        )}
        {furtherQuotes}
        <p>
          <a href={`#${safeAttribute(id)}`} data-link>
            Link to this finding
          </a>
        </p>
        {isFirst && renderChecks(requirement, view)}
      </div>
    </details>
  );
}

/** Renders the sentences of the document, those of the section that the requirement names first. */
function renderQuotes(row: RequirementRow): readonly Content[] {
  const isOwn = ({ section }: { readonly section: string }) => Number(section === row.section);
  return findQuotes(row)
    .toSorted((one, other) => isOwn(other) - isOwn(one))
    .map(({ section, text }) => (
      <blockquote>
        “{text}” <cite>{formatSection(section)}</cite>
      </blockquote>
    ));
}
