import type { Report } from '../../spec/report.js';
import { numberText } from '../amount-text.js';
import { cleanCommand } from '../clean-command.js';
import { told } from './told.js';

/** What the run made and could not delete: somebody has to. */
export function LeftBehind({ report }: { readonly report: Report }) {
  const { left_behind: left } = report.run;
  if (left.length === 0) return null;
  return (
    <details class="note" open>
      <summary>Left behind on the server ({numberText(left.length)})</summary>
      <ul>
        {left.map(({ scope, name, why }) => (
          <li key={`${scope}/${name}`}>
            <code>{told(`${scope}/${name}`)}</code>: {told(why)}
          </li>
        ))}
      </ul>
      <p>
        To remove it: <code>{cleanCommand(report)}</code>
      </p>
    </details>
  );
}
