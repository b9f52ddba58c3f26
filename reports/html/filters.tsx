import type { Level } from '../../spec/ledger.js';
import { areas } from '../../spec/ledger.js';
import { type Report, statuses } from '../../spec/report.js';
import { statusWords } from './status-words.js';

const levels: readonly Level[] = ['must', 'derived', 'advisory', 'silent'];

/** The controls that say which rows of the ledger are shown. */
export function Filters({ report: { requirements, totals } }: { readonly report: Report }) {
  return (
    <form class="filters" data-filters data-control hidden aria-label="Filters of the ledger">
      <label class="search">
        <span>
          Search <kbd>/</kbd>
        </span>
        <input type="search" name="text" placeholder="id, words of the statement" autocomplete="off" />
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
        {levels.map((level) => (
          <Choice
            key={level}
            name="level"
            value={level}
            word={level}
            count={requirements.filter((row) => row.level === level).length}
          />
        ))}
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

/** A value that a filter may be set to. */
function Choice({ name, value, word, count }: ChoiceProps) {
  return (
    <label class={`choice ${value}`}>
      <input type="checkbox" name={name} value={value} /> {word} <span class="amount">{count}</span>
    </label>
  );
}

/** A value with its word and how many rows have it. */
interface ChoiceProps {
  readonly name: string;
  readonly value: string;
  readonly word: string;
  readonly count: number;
}
