import type { Failure, ReportedCheck, ReportedExchange } from '../../spec/report.js';
import { formatConfirmed, formatCount } from '../wording.js';
import { noteCut, RequirementLink, renderPieces, safeText } from './safe-text.js';
import {
  findMarks,
  noMarks,
  type ResponseMarks,
  renderRequest,
  renderResponse,
  type WireText,
} from './wire-text.js';

/** The violations of a requirement: the first in full, the others to be opened. */
export function Failures({ failures }: { readonly failures: readonly Failure[] }) {
  const [first, ...further] = failures;
  if (first === undefined) return <p>This report has no evidence of it.</p>;
  return (
    <>
      <FailureEvidence failure={first} />
      {further.length > 0 && (
        <h4>{formatCount(further.length, 'further violation')} of the same requirement</h4>
      )}
      {further.map((failure, index) => (
        <details class="further" key={String(index)}>
          <summary>{safeText(failure.message)}</summary>
          <FailureEvidence failure={failure} />
        </details>
      ))}
    </>
  );
}

/** All that it takes to believe a violation and to reproduce it. */
function FailureEvidence({ failure }: { readonly failure: Failure }) {
  const { message, expected, actual, confirmed, counterexample, exchanges, reproduce } = failure;
  const marks = findMarks(failure);
  const last = exchanges.length - 1;
  return (
    <div class="failure">
      <p class="message">{safeText(message)}</p>
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
      <h4>Reproduce it</h4>
      <CopyLine label="curl line" line={reproduce.curl} />
      <CopyLine label="command" line={reproduce.command} />
      <h4>{'case' in counterexample ? 'Shrunk counterexample' : 'Counterexample'}</h4>
      <pre class="counterexample">{safeText(JSON.stringify(counterexample, null, 2), true)}</pre>
      {exchanges.length > 0 && <h4>Requests and responses</h4>}
      {exchanges.map((exchange, index) => (
        // The last of them shows the violation.
        <Exchange
          key={String(index)}
          exchange={exchange}
          number={index + 1}
          open={index === last}
          marks={index === last ? marks : noMarks}
        />
      ))}
    </div>
  );
}

/** The attempts of a check that did not pass, or a link to where they are. */
export function Attempts({ check, at, here }: AttemptsProps) {
  if (at !== undefined && at !== here) {
    return (
      <p class="quiet">
        Its attempts are listed at <RequirementLink id={at} />.
      </p>
    );
  }
  return (
    <details class="attempts">
      <summary>{formatCount(check.attempts.length, 'attempt')} that did not pass</summary>
      <ol>
        {check.attempts.map(({ attempt, came, exchanges }) => (
          <li key={attempt} value={attempt}>
            <p>{safeText(came)}</p>
            {exchanges.map((exchange, index) => (
              <Exchange key={String(index)} exchange={exchange} number={index + 1} />
            ))}
          </li>
        ))}
      </ol>
    </details>
  );
}

interface AttemptsProps {
  readonly check: ReportedCheck;
  /** The requirement that shows them. */
  readonly at: string | undefined;
  /** The requirement whose row this is. */
  readonly here: string;
}

interface ExchangeProps {
  readonly exchange: ReportedExchange;
  /** Counted from 1. */
  readonly number: number;
  readonly open?: boolean;
  readonly marks?: ResponseMarks;
}

function Exchange({ exchange, number, open = false, marks = noMarks }: ExchangeProps) {
  const { request, response, lost, duration_ms: duration, at } = exchange;
  const answer = response === null ? undefined : renderResponse(response, marks);
  return (
    <details class="exchange" open={open}>
      <summary>
        {number} <b>{safeText(request.method)}</b> <span class="path">{safeText(pathOf(request.url))}</span>{' '}
        <b class="got">{response === null ? 'no response' : String(response.status)}</b> {duration} ms
      </summary>
      <p class="quiet">Request, sent at {safeText(at)}</p>
      <Wire message={renderRequest(request)} />
      <p class="quiet">
        {answer === undefined ? <>No response: {safeText(lost ?? 'no reason was recorded')}</> : 'Response'}
      </p>
      {answer !== undefined && <Wire message={answer} />}
      {answer?.parts.some(({ marked }) => marked) === true && (
        <p class="quiet">
          The violation is about what is <mark>marked</mark>.
        </p>
      )}
      {response?.truncated === true && <p class="quiet">The run kept only the beginning of the body.</p>}
    </details>
  );
}

/** The address without its host, which is the same in every row. */
function pathOf(url: string): string {
  return url.slice(0, 300).replace(/^[a-z]+:\/\/[^/?#]*/i, '') || url.slice(0, 300);
}

function Wire({ message: { parts, more } }: { readonly message: WireText }) {
  return (
    <pre class="wire">
      {parts.map(({ text, marked }) => (marked ? <mark>{renderPieces(text)}</mark> : renderPieces(text)))}
      {noteCut(more)}
    </pre>
  );
}

// Names of 70,000 characters are sent; a longer line is in report.json only.
const longestLine = 200_000;

/** A line to copy into a shell, whole, with a button that does it. */
function CopyLine({ label, line }: { readonly label: string; readonly line: string }) {
  const fits = line.length <= longestLine;
  return (
    <div class="copy-line">
      <span class="label">{label}</span>
      <pre>
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
