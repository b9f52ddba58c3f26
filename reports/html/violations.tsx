import { type Quote, quotesOf, repairOf } from '../../spec/explanation.js';
import { ledger, type RequirementRow } from '../../spec/ledger.js';
import type { Report, ReportedRequirement } from '../../spec/report.js';
import { type Cause, groupByCause, type NumberedFailure, numberFailures, renderCause } from '../causes.js';
import type { RenderOptions } from '../render-options.js';
import { explainMissingEvidence, noteWorld, splitFailed } from '../report-view.js';
import { formatCount } from '../wording.js';
import { type CheckIndex, Checks } from './checks.js';
import { type CommandContext, Failures } from './evidence.js';
import { type Content, Fragment, h } from './markup.js';
import { safeAttribute, safeText } from './safe-text.js';

interface ViolationsProps extends RenderOptions {
  readonly report: Report;
  readonly index: CheckIndex;
}

interface ViolationRow {
  readonly requirement: ReportedRequirement;
  readonly failures: readonly NumberedFailure[];
  /** Whether no cause before this one has a row of the requirement: links lead to the first. */
  readonly isFirst: boolean;
}

// A longer list would push the evidence of the first violation off the screen.
const causesListed = 8;

/** The failed requirements by cause, the largest first; each opens in place, the simplest violation of the first is open. */
export function Violations({ report, index, directory }: ViolationsProps) {
  const { deciding, advisory } = splitFailed(report);
  if (deciding.length + advisory.length === 0) return null;
  const context = { index, waived: report.gate.waived, directory, note: noteWorld(report) };
  const placed = new Set<string>();
  const causes = groupByCause(report).map((cause) => ({
    sentence: renderCause(cause),
    rows: listRows(cause, placed),
  }));
  const numbered = numberFailures(report);
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
            <li key={sentence}>
              <a href={`#${safeAttribute(lead?.requirement.id ?? 'failed')}`}>{safeText(sentence)}</a>
            </li>
          ))}
        </ol>
      )}
      {causes.map(({ sentence, rows: [lead, ...others] }, at) => {
        return (
          <section class="cause" key={String(at)}>
            <h3>{safeText(sentence)}</h3>
            {lead !== undefined && <Violation {...lead} {...context} open={at === 0} />}
            <FoldedViolations count={others.length}>
              {others.map((row) => (
                <Violation key={row.requirement.id} {...row} {...context} />
              ))}
            </FoldedViolations>
          </section>
        );
      })}
      {advisory.length > 0 && (
        <section class="cause">
          <h3>
            Advisory findings, not part of the verdict <span class="amount">{advisory.length}</span>
          </h3>
          {advisory.map(({ requirement }) => (
            <Violation
              key={requirement.id}
              requirement={requirement}
              failures={numbered.filter(({ failure }) => failure.requirement === requirement.id)}
              isFirst
              {...context}
            />
          ))}
        </section>
      )}
    </section>
  );
}

/** Lists the requirements of a cause with what shows it, that of the simplest violation first. */
function listRows({ requirements, failures, simplest }: Cause, placed: Set<string>): readonly ViolationRow[] {
  const isLead = ({ failure }: NumberedFailure) => Number(failure === simplest?.failure);
  const rows = requirements.map((requirement) => {
    const own = failures.filter(({ failure }) => failure.requirement === requirement.id);
    const isFirst = !placed.has(requirement.id);
    placed.add(requirement.id);
    return { requirement, isFirst, failures: own.toSorted((one, other) => isLead(other) - isLead(one)) };
  });
  const isOfLead = ({ id }: ReportedRequirement) => Number(id === simplest?.failure.requirement);
  return rows.toSorted((one, other) => isOfLead(other.requirement) - isOfLead(one.requirement));
}

const shownOpenly = 3;

function FoldedViolations({ count, children }: { readonly count: number; readonly children: Content }) {
  if (count <= shownOpenly) return <>{children}</>;
  return (
    <details class="more">
      <summary>{formatCount(count, 'more requirement')} with this cause</summary>
      {children}
    </details>
  );
}

interface ViolationProps extends ViolationRow, CommandContext {
  readonly index: CheckIndex;
  readonly waived: readonly string[];
  readonly open?: boolean;
}

function Violation({
  requirement,
  failures,
  isFirst,
  index,
  waived,
  open = false,
  ...context
}: ViolationProps) {
  const { id, level, section, statement } = requirement;
  const [first] = failures;
  const row = ledger.find((one) => one.id === id);
  const [quote, ...furtherQuotes] = row === undefined ? [] : renderQuotes(row);
  const repair = row === undefined ? undefined : repairOf(row);
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
            {first === undefined ? (
              safeText(explainMissingEvidence(requirement))
            ) : (
              <>
                expected {safeText(first.failure.expected)}, got{' '}
                <b class="got">{safeText(first.failure.actual)}</b>
              </>
            )}
          </span>
        </span>{' '}
        <span class="rank">
          {waived.includes(id) && 'waived, '}
          {level} <span class="section">§{section}</span>
        </span>
      </summary>
      <div class="behind">
        {quote}
        <Failures failures={failures} {...context} />
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
        {isFirst && <Checks requirement={requirement} index={index} />}
      </div>
    </details>
  );
}

/** The document's sentences, those of the section that the requirement names first. */
function renderQuotes(row: RequirementRow) {
  const isOwn = ({ section }: Quote) => section === row.section;
  return quotesOf(row)
    .toSorted((one, other) => Number(isOwn(other)) - Number(isOwn(one)))
    .map(({ section, text }) => (
      <blockquote key={text}>
        “{text}” <cite>{section === 'preface' ? 'preface' : `§${section}`}</cite>
      </blockquote>
    ));
}
