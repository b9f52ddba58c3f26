import {
  type Failure,
  listFailures,
  type Mismatch,
  type Report,
  type ReportedCheck,
  type ReportedExchange,
  type ReportedRequirement,
} from '../../spec/report.js';
import type { NumberedFailure } from '../failed-requirements.js';
import type { ReportView } from '../report-view.js';
import { formatConfirmed, formatCount, formatNumber, statusWords } from '../wording.js';
import { type Content, Fragment, h } from './markup.js';
import { linkRequirement, noteCut, renderPieces, safeText } from './safe-text.js';
import { renderRequest, renderResponse, type WireText } from './wire-text.js';

/** Renders the violations of a requirement: the first in full, the others to be opened. */
export function renderFailures(failures: readonly NumberedFailure[], view: ReportView): Content {
  const [first, ...further] = failures;
  if (first === undefined) return null;
  return (
    <>
      {renderFailure(first, view)}
      {further.length > 0 && (
        <p class="part">{formatCount(further.length, 'further violation')} of the same requirement</p>
      )}
      {further.map((one) => (
        <details class="further">
          <summary>{safeText(one.failure.message)}</summary>
          {renderFailure(one, view)}
        </details>
      ))}
    </>
  );
}

function renderFailure({ failure, replay }: NumberedFailure, { worldNote: note }: ReportView): Content {
  const { expected, actual, confirmed, counterexample, exchanges, mismatch, reproduce } = failure;
  return (
    <div class="failure">
      <p class="message">{safeText(describeRequest(failure))}</p>
      <dl class="outcome-pair">
        <div class="expected">
          <dt>Expected</dt>
          <dd>{safeText(expected)}</dd>
        </div>
        <div class="actual">
          <dt>Got</dt>
          <dd>{safeText(actual)}</dd>
        </div>
        <div>
          <dt>Confirmed</dt>
          <dd>{safeText(formatConfirmed(confirmed))}</dd>
        </div>
      </dl>
      {replay !== undefined && renderCopyLine('replay', replay)}
      {renderCopyLine('command', reproduce.command)}
      {renderCopyLine('curl line', reproduce.curl)}
      {note !== undefined && <p class="quiet">{note}</p>}
      {exchanges.map((exchange, at) =>
        // The last of them shows the violation.
        at === exchanges.length - 1
          ? renderExchange(exchange, at + 1, { open: true, mismatch })
          : renderExchange(exchange, at + 1),
      )}
      <details class="further">
        <summary>{'case' in counterexample ? 'Shrunk counterexample' : 'Counterexample'}</summary>
        <pre class="counterexample">{safeText(JSON.stringify(counterexample, null, 2), true)}</pre>
      </details>
    </div>
  );
}

/** Describes the request and why another response was due; the message where the report does not separate them. */
function describeRequest({ message, mismatch, answered_by: by, counterexample, reproduce }: Failure): string {
  const { request } = counterexample;
  if (reproduce.origin === undefined || typeof request !== 'string') return message;
  const because = mismatch?.because === undefined ? '' : ` (${mismatch.because})`;
  return `${request}${because}${by === undefined ? '' : `; answered by ${by}, probably not by the service`}`;
}

/** Renders a request beside its response, of which `mismatch` says what to mark. */
function renderExchange(
  { request, response, lost, duration_ms: duration, at }: ReportedExchange,
  number: number,
  { open = false, mismatch }: { readonly open?: boolean; readonly mismatch?: Mismatch | undefined } = {},
): Content {
  const answer = response === null ? undefined : renderResponse(response, mismatch);
  // The host is the same in every row.
  const address = request.url.slice(0, 300);
  const path = address.replace(/^[a-z]+:\/\/[^/?#]*/i, '') || address;
  return (
    <details class="exchange" open={open}>
      <summary>
        {number} <b>{safeText(request.method)}</b> <span class="path">{safeText(path)}</span>{' '}
        <b class={mismatch === undefined ? 'answer' : 'answer got'}>{response?.status ?? 'no response'}</b>{' '}
        {duration} ms
      </summary>
      <div class="sides">
        <div>
          <p class="quiet">Request, sent at {safeText(at)}</p>
          {renderWire(renderRequest(request))}
        </div>
        <div>
          <p class="quiet">
            {answer === undefined
              ? ['No response: ', safeText(lost ?? 'no reason was recorded')]
              : 'Response'}
            {answer?.parts.some(({ marked }) => marked) === true && [
              '; the violation is ',
              <mark>marked</mark>,
            ]}
          </p>
          {answer !== undefined && renderWire(answer)}
          {response?.truncated === true && <p class="quiet">The run kept only the beginning of the body.</p>}
        </div>
      </div>
    </details>
  );
}

function renderWire({ parts, more }: WireText): Content {
  return (
    <pre class="wire">
      {parts.map(({ text, marked }) => (marked ? <mark>{renderPieces(text)}</mark> : renderPieces(text)))}
      {noteCut(more)}
    </pre>
  );
}

// Names of 70,000 characters are sent; a longer line is in report.json only.
const longestLine = 200_000;

/** Renders a line to copy into a shell, whole, with a button that does it. */
export function renderCopyLine(label: string, line: string): Content {
  const fits = line.length <= longestLine;
  return (
    <div class="copy-line">
      <span class="label">{label}</span>
      {/* A long one scrolls, from the keyboard too. */}
      <pre tabIndex={line.length > 300 ? 0 : undefined}>
        <code>
          {fits ? renderPieces(line.replaceAll('\n', '⏎')) : 'Too long for this page; see report.json.'}
        </code>
      </pre>
      {fits && (
        <button type="button" data-copy data-control hidden>
          Copy {label}
        </button>
      )}
    </div>
  );
}

/** Renders the checks that decide a requirement, each with its outcome. */
export function renderChecks(requirement: ReportedRequirement, view: ReportView): Content {
  const checks = requirement.checks.flatMap((id) => view.checks.get(id) ?? []);
  if (checks.length === 0) return null;
  return (
    <>
      <p class="part">{formatCount(checks.length, 'check')}</p>
      <ul class="checks">
        {checks.map((check) => (
          <li>
            <code>{safeText(check.id)}</code> {describeEffort(check)}
            {check.outcome !== 'pass' && renderOutcome(check, requirement, view)}
            {check.requirements[0] === requirement.id && renderClasses(check)}
          </li>
        ))}
      </ul>
    </>
  );
}

function describeEffort({ cases, requests, duration_ms: duration }: ReportedCheck): string {
  // A rule for every response sends nothing of its own.
  if (requests === 0) return formatCount(cases, 'case');
  return `${formatCount(cases, 'case')}, ${formatCount(requests, 'request')}, ${(duration / 1000).toFixed(2)} s`;
}

/** How many cases of each class were generated, which shows what was hardly tried. */
function renderClasses({ classes, requests }: ReportedCheck): Content {
  if (classes === null || requests === 0) return null;
  const counts = Object.entries(classes).map(([name, count]) => `${name} ${formatNumber(count)}`);
  return <p>Cases by class: {safeText(counts.join(', '))}</p>;
}

function renderOutcome(check: ReportedCheck, requirement: ReportedRequirement, view: ReportView): Content {
  const { failure, outcome, reason, attempts } = check;
  const isHere = listFailures(check).some((one) => one.requirement === requirement.id);
  if (failure !== null && !isHere)
    return [', which failed another requirement: ', linkRequirement(failure.requirement)];
  const at = attempts.length === 0 ? undefined : placeAttempts(check, view.report);
  return (
    <>
      , <b class={`tone ${outcome}`}>{statusWords[outcome === 'skipped' ? 'not-exercised' : outcome]}</b>
      {reason !== null && reason !== requirement.reason && <p>{safeText(reason)}</p>}
      {at === requirement.id && renderAttempts(attempts)}
      {at !== undefined && at !== requirement.id && (
        <p class="quiet">The attempts are listed under {linkRequirement(at)}.</p>
      )}
    </>
  );
}

/** Attempts of a check are shown once: at the first requirement that they left inconclusive. */
function placeAttempts({ id, failure, requirements }: ReportedCheck, report: Report): string | undefined {
  const isOpen = ({ status, checks }: ReportedRequirement) =>
    status === 'inconclusive' && checks.includes(id);
  return failure?.requirement ?? report.requirements.find(isOpen)?.id ?? requirements[0];
}

/** The attempts of a check that did not pass; the numbers between them passed. */
function renderAttempts(attempts: ReportedCheck['attempts']): Content {
  const start = Date.parse(attempts[0]?.exchanges[0]?.at ?? '');
  return (
    <details class="attempts">
      <summary>{formatCount(attempts.length, 'attempt')} that did not pass</summary>
      <ol>
        {attempts.map(({ attempt, came, exchanges }) => {
          const elapsed = (Date.parse(exchanges[0]?.at ?? '') - start) / 1000;
          return (
            <li>
              <b>{attempt}</b>{' '}
              {Number.isFinite(elapsed) && <span class="quiet">+{elapsed.toFixed(1)} s</span>}{' '}
              {safeText(came)}
              {exchanges.map((exchange, index) => renderExchange(exchange, index + 1))}
            </li>
          );
        })}
      </ol>
    </details>
  );
}
