import type { ReportedExchange } from '../../spec/report.js';
import { type NamedParts, nothingNamed } from './named-parts.js';
import { told } from './told.js';
import { Wire } from './wire.js';
import { requestText, responseText } from './wire-text.js';

/** What an exchange is shown with. */
interface ExchangeProps {
  readonly exchange: ReportedExchange;
  /** Counted from 1. */
  readonly number: number;
  readonly open?: boolean;
  readonly named?: NamedParts;
}

/** A request and what came back. */
export function Exchange({ exchange, number, open = false, named = nothingNamed }: ExchangeProps) {
  const { request, response, lost, duration_ms: duration, at } = exchange;
  const answer = response === null ? undefined : responseText(response, named);
  const came = response === null ? 'no response' : String(response.status);
  return (
    <details class="exchange" open={open}>
      <summary>
        {number} <b>{told(request.method)}</b> <span class="path">{told(pathOf(request.url))}</span>{' '}
        <b class="came">{came}</b> {duration} ms
      </summary>
      <p class="quiet">Request, sent at {told(at)}</p>
      <Wire message={requestText(request)} />
      <p class="quiet">
        {answer === undefined ? <>No response: {told(lost ?? 'the reason was not kept')}</> : 'Response'}
      </p>
      {answer !== undefined && <Wire message={answer} />}
      {answer?.parts.some(({ marked }) => marked) === true && (
        <p class="quiet">
          <mark>Marked</mark> is what the violation speaks of.
        </p>
      )}
      {response?.truncated === true && <p class="quiet">The body went on; the run kept no more of it.</p>}
    </details>
  );
}

/** The address without its host, which is the same in every row. */
function pathOf(url: string): string {
  return url.slice(0, 300).replace(/^[a-z]+:\/\/[^/?#]*/i, '') || url.slice(0, 300);
}
