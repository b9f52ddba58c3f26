import { quotesOf, repairOf } from '../../spec/explanation.js';
import { ledger } from '../../spec/ledger.js';
import type { Failure, Report } from '../../spec/report.js';
import { explainMissingEvidence, type FailedRequirement, listFailed, splitFailed } from '../report-view.js';
import { type CheckIndex, Checks } from './checks.js';
import { Failures } from './evidence.js';
import { safeAttribute, safeText } from './safe-text.js';

interface ViolationsProps {
  readonly report: Report;
  readonly index: CheckIndex;
}

/** What the rows of violations need beside the violations. */
interface ViolationContext {
  readonly index: CheckIndex;
  readonly waived: readonly string[];
  readonly numbers: ReadonlyMap<Failure, number>;
}

/** The failed requirements, those that decide first; each opens in place, the first is open. */
export function Violations({ report, index }: ViolationsProps) {
  const { deciding, advisory } = splitFailed(report);
  if (deciding.length + advisory.length === 0) return null;
  const failures = listFailed(report).flatMap((failed) => failed.failures);
  const context = {
    index,
    waived: report.gate.waived,
    numbers: new Map(failures.map((failure, at) => [failure, at + 1])),
  };
  return (
    <section id="failed" aria-labelledby="failed-heading">
      <h2 id="failed-heading">
        Failed <span class="amount">{deciding.length}</span>
        <span class="keys" data-control hidden>
          <kbd>j</kbd> next <kbd>k</kbd> previous <kbd>/</kbd> search
        </span>
      </h2>
      {deciding.map((failed, at) => (
        <Violation key={failed.requirement.id} failed={failed} context={context} open={at === 0} />
      ))}
      {advisory.length > 0 && (
        <>
          <h3>
            Advisory findings, not part of the verdict <span class="amount">{advisory.length}</span>
          </h3>
          {advisory.map((failed) => (
            <Violation key={failed.requirement.id} failed={failed} context={context} />
          ))}
        </>
      )}
    </section>
  );
}

interface ViolationProps {
  readonly failed: FailedRequirement;
  readonly context: ViolationContext;
  readonly open?: boolean;
}

function Violation({ failed, context, open = false }: ViolationProps) {
  const { requirement, failures } = failed;
  const { id, level, section, statement } = requirement;
  const [first] = failures;
  const row = ledger.find((one) => one.id === id);
  const repair = row === undefined ? undefined : repairOf(row);
  return (
    <details class="row fail violation" id={safeAttribute(id)} data-violation open={open}>
      <summary class="line">
        <span class="what">
          <span class="id">{safeText(id)}</span> <span class="statement">{safeText(statement)}</span>{' '}
          <span class="quiet brief">
            {first === undefined ? (
              safeText(explainMissingEvidence(requirement))
            ) : (
              <>
                expected {safeText(first.expected)}, got <b class="got">{safeText(first.actual)}</b>
              </>
            )}
          </span>
        </span>{' '}
        <span class="rank">
          {context.waived.includes(id) && 'waived, '}
          {level} <span class="section">§{section}</span>
        </span>
      </summary>
      <div class="behind">
        {row !== undefined &&
          quotesOf(row).map((quote) => (
            <blockquote key={quote.text}>
              “{quote.text}” <cite>{quote.section === 'preface' ? 'preface' : `§${quote.section}`}</cite>
            </blockquote>
          ))}
        <Failures
          failures={failures.map((failure) => ({ failure, number: context.numbers.get(failure) ?? 0 }))}
        />
        {repair !== undefined && (
          <p class="repair">
            <b>How to fix it:</b> {repair}
          </p>
        )}
        <p>
          <a href={`#${safeAttribute(id)}`} data-link>
            Link to this finding
          </a>
        </p>
        <Checks requirement={requirement} index={context.index} />
      </div>
    </details>
  );
}
