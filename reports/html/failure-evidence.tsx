import type { Failure } from '../../spec/report.js';
import { CopyLine } from './copy-line.js';
import { Exchange } from './exchange.js';
import { namedParts } from './named-parts.js';
import { told } from './told.js';

/** All that it takes to believe a violation and to see it again. */
export function FailureEvidence({ failure }: { readonly failure: Failure }) {
  const { message, expected, actual, confirmed, counterexample, exchanges, reproduce } = failure;
  const named = namedParts(failure);
  return (
    <div class="failure">
      <p class="message">{told(message)}</p>
      <dl class="beside">
        <div class="expected">
          <dt>Expected</dt>
          <dd>{told(expected)}</dd>
        </div>
        <div class="actual">
          <dt>Came</dt>
          <dd>{told(actual)}</dd>
        </div>
        <div>
          <dt>Confirmed</dt>
          <dd>{told(confirmed)}</dd>
        </div>
      </dl>
      <h4>See it again</h4>
      <CopyLine label="curl line" line={reproduce.curl} />
      <CopyLine label="command" line={reproduce.command} />
      <h4>{'case' in counterexample ? 'Shrunk counterexample' : 'Counterexample'}</h4>
      <pre class="counterexample">{told(JSON.stringify(counterexample, null, 2), true)}</pre>
      {exchanges.length > 0 && <h4>What was sent, and what came back</h4>}
      {exchanges.map((exchange, index) => {
        // The last of them is the one that shows the violation.
        const shows = index === exchanges.length - 1;
        const position = index + 1;
        return shows ? (
          <Exchange key={position} exchange={exchange} number={position} named={named} open />
        ) : (
          <Exchange key={position} exchange={exchange} number={position} />
        );
      })}
    </div>
  );
}
