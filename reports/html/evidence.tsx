import type { Mismatch } from '../../spec/mismatch.js';
import type { Failure, ReportedExchange } from '../../spec/report.js';
import { type NumberedFailure, renderReplay } from '../causes.js';
import type { RenderOptions } from '../render-options.js';
import { formatConfirmed, formatCount } from '../wording.js';
import { Fragment, h } from './markup.js';
import { noteCut, renderPieces, safeText } from './safe-text.js';
import { renderRequest, renderResponse, type WireText } from './wire-text.js';

/** What commands to copy need beside the violation. */
export interface CommandContext extends Pick<RenderOptions, 'directory'> {
  /** What keeps curl lines from working as they are. */
  readonly note: string | undefined;
}

interface FailuresProps extends CommandContext {
  readonly failures: readonly NumberedFailure[];
}

/** The violations of a requirement: the first in full, the others to be opened. */
export function Failures({ failures, ...context }: FailuresProps) {
  const [first, ...further] = failures;
  if (first === undefined) return null;
  return (
    <>
      <FailureEvidence numbered={first} {...context} />
      {further.length > 0 && (
        <p class="part">{formatCount(further.length, 'further violation')} of the same requirement</p>
      )}
      {further.map((one) => (
        <details class="further" key={String(one.number)}>
          <summary>{safeText(one.failure.message)}</summary>
          <FailureEvidence numbered={one} {...context} />
        </details>
      ))}
    </>
  );
}

interface EvidenceProps extends CommandContext {
  readonly numbered: NumberedFailure;
}

/** All that it takes to believe a violation and to reproduce it. */
function FailureEvidence({ numbered, directory, note }: EvidenceProps) {
  const { failure } = numbered;
  const { expected, actual, confirmed, counterexample, exchanges, mismatch, reproduce } = failure;
  const replay = renderReplay(numbered, directory);
  const last = exchanges.length - 1;
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
      {replay !== undefined && <CopyLine label="replay" line={replay} />}
      <CopyLine label="command" line={reproduce.command} />
      <CopyLine label="curl line" line={reproduce.curl} />
      {note !== undefined && <p class="quiet">{note}</p>}
      {exchanges.map((exchange, index) => (
        // The last of them shows the violation.
        <Exchange
          key={String(index)}
          exchange={exchange}
          number={index + 1}
          open={index === last}
          mismatch={index === last ? mismatch : undefined}
        />
      ))}
      <details class="further">
        <summary>{'case' in counterexample ? 'Shrunk counterexample' : 'Counterexample'}</summary>
        <pre class="counterexample">{safeText(JSON.stringify(counterexample, null, 2), true)}</pre>
      </details>
    </div>
  );
}

/** What was asked, and why something else was due; the message, where the report does not say it apart. */
function describeRequest({ message, mismatch, answered_by: by, counterexample, reproduce }: Failure): string {
  const { request } = counterexample;
  if (reproduce.origin === undefined || typeof request !== 'string') return message;
  const because = mismatch?.because === undefined ? '' : ` (${mismatch.because})`;
  return `${request}${because}${by === undefined ? '' : `; answered by ${by}, not by the application (likely)`}`;
}

interface ExchangeProps {
  readonly exchange: ReportedExchange;
  /** Counted from 1. */
  readonly number: number;
  readonly open?: boolean;
  /** What of the response to mark. */
  readonly mismatch?: Mismatch | undefined;
}

/** A request beside its response. */
export function Exchange({ exchange, number, open = false, mismatch }: ExchangeProps) {
  const { request, response, lost, duration_ms: duration, at } = exchange;
  const answer = response === null ? undefined : renderResponse(response, mismatch);
  return (
    <details class="exchange" open={open}>
      <summary>
        {number} <b>{safeText(request.method)}</b> <span class="path">{safeText(pathOf(request.url))}</span>{' '}
        <b class={mismatch === undefined ? 'answer' : 'answer got'}>
          {response === null ? 'no response' : String(response.status)}
        </b>{' '}
        {duration} ms
      </summary>
      <div class="sides">
        <div>
          <p class="quiet">Request, sent at {safeText(at)}</p>
          <Wire message={renderRequest(request)} />
        </div>
        <div>
          <p class="quiet">
            {answer === undefined ? (
              <>No response: {safeText(lost ?? 'no reason was recorded')}</>
            ) : (
              'Response'
            )}
            {answer?.parts.some(({ marked }) => marked) === true && (
              <>
                ; the violation is about what is <mark>marked</mark>
              </>
            )}
          </p>
          {answer !== undefined && <Wire message={answer} />}
          {response?.truncated === true && <p class="quiet">The run kept only the beginning of the body.</p>}
        </div>
      </div>
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
export function CopyLine({ label, line }: { readonly label: string; readonly line: string }) {
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
