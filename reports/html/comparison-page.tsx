import type { Comparison } from '../comparison.js';
import { describeComparison } from '../comparison-view.js';
import { formatCount } from '../wording.js';
import { renderDocument } from './document.js';
import { type Content, h } from './markup.js';

/** Renders a comparison as a page that stands by itself. Text from the reports is sanitized. */
export function renderComparisonPage(comparison: Comparison): string {
  const { title, tone, runs, warnings, failed, sections, closing } = describeComparison(comparison);
  return renderDocument({
    title: `plumbline comparison: ${comparison.old.verdict} → ${comparison.new.verdict}`,
    verdict: tone,
    styles: ['pages'],
    children: (
      <main>
        <h1 class={`tone ${tone}`}>{title}</h1>
        {closing.map((text) => (
          <p>{text}</p>
        ))}
        {runs.map(([label, text]) => (
          <p class="quiet">
            {label}: {text}
          </p>
        ))}
        {warnings.map((warning) => (
          <p class="warning">{warning}</p>
        ))}
        {failed.length > 0 && <h2>{`New violations: ${formatCount(failed.length, 'requirement')}`}</h2>}
        {failed.map(renderFailed)}
        {sections.map(renderSection)}
      </main>
    ),
  });
}

type ComparisonView = ReturnType<typeof describeComparison>;

function renderFailed(requirement: ComparisonView['failed'][number]): Content {
  const { id, rank, isAdvisory, statement, before, failures, more } = requirement;
  return (
    <section>
      <h3 class={`tone ${isAdvisory ? 'inconclusive' : 'fail'}`}>
        <span class="id">{id}</span> <span class="quiet">{rank}</span>
      </h3>
      <p>{statement}</p>
      <p class="quiet">before: {before}</p>
      {failures.map(({ facts, command }) => (
        <div class="failure">
          <dl>
            {facts.map(([label, text]) => (
              <div>
                <dt>{label}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
          <pre>{command}</pre>
        </div>
      ))}
      {more > 0 && <p class="quiet">{formatCount(more, 'more violation')} in the new report</p>}
    </section>
  );
}

/** Renders the requirements that changed in one way, folded. */
function renderSection({ heading, meaning, groups }: ComparisonView['sections'][number]): Content {
  return (
    <details>
      <summary>
        <b>{heading}</b>: {meaning}
      </summary>
      {groups.map(({ reason, ids }) => (
        <div>
          {reason !== null && <p>{reason}</p>}
          <ul class="ids">
            {ids.map((id) => (
              <li class="id">{id}</li>
            ))}
          </ul>
        </div>
      ))}
    </details>
  );
}
