import type { Report } from '../../spec/report.js';
import type { RenderOptions } from '../render-options.js';
import { nameServer } from '../report-view.js';
import { indexChecks } from './checks.js';
import { clientScripts } from './client.js';
import { renderDocument } from './document.js';
import { Ledger } from './ledger.js';
import { Fragment, h } from './markup.js';
import { Areas, LeftBehind, Run, Verdict } from './overview.js';
import { safeAttribute, safeText } from './safe-text.js';
import { MissingResults, UnspecifiedBehaviour } from './sections.js';
import { Violations } from './violations.js';

const script = clientScripts
  .map((run) => `(${run.toString()})();`)
  .join('\n')
  // No text of a script may end it.
  .replaceAll('</', '<\\/');

/** Renders a report as one page that loads nothing and in which no text of a server can act. */
export function renderHtml(report: Report, options: RenderOptions = {}): string {
  const { verdict, target } = report;
  const server = nameServer(target);
  return renderDocument({
    title: `${verdict}${server === undefined ? '' : `: ${safeAttribute(server)}`} · plumbline`,
    verdict,
    styles: ['summary', 'ledger', 'evidence', 'print'],
    script,
    children: <PageBody report={report} options={options} />,
  });
}

interface PageProps {
  readonly report: Report;
  readonly options: RenderOptions;
}

function PageBody({ report, options }: PageProps) {
  const { run, document } = report;
  const parts = listParts({ report, options }).filter(({ part }) => part !== null);
  return (
    <>
      <a class="skip" href="#ledger">
        Skip to the requirements
      </a>
      <header class="top">
        <p class="brand">plumbline</p>
        <nav aria-label="Parts of this page">
          {parts.map(({ id, word }) => (
            <a key={id} href={`#${id}`}>
              {word}
            </a>
          ))}
        </nav>
      </header>
      <main>
        <Verdict report={report} />
        {parts.map(({ part }) => part)}
      </main>
      <footer>
        <p>
          Run {safeText(run.id)}. Judged by version {safeText(document.version)} of the document; SHA-256 of
          its OpenAPI description: {safeText(document.openapi_sha256)}.
        </p>
      </footer>
      <p class="announcement" role="status" data-announcement />
    </>
  );
}

/** The parts of the page in their order: what is to be done comes first. A part without content is null, and has no link. */
function listParts({ report, options: { directory } }: PageProps) {
  const { requirements, silences, totals, verdict } = report;
  const index = indexChecks(report);
  const missing = { id: 'no-result', word: 'Without a result', part: MissingResults({ report }) };
  const isMissingFirst = verdict === 'incomplete' || verdict === 'unjudged';
  return [
    { id: 'failed', word: 'Failed', part: Violations({ report, index, directory }) },
    ...(isMissingFirst ? [missing] : []),
    { id: 'left-behind', word: 'Left behind', part: LeftBehind({ report, directory }) },
    { id: 'areas', word: 'Areas', part: <Areas requirements={requirements} totals={totals} /> },
    { id: 'run', word: 'Run', part: <Run report={report} /> },
    { id: 'ledger', word: 'Requirements', part: <Ledger report={report} index={index} /> },
    ...(isMissingFirst ? [] : [missing]),
    { id: 'unspecified', word: 'Unspecified', part: UnspecifiedBehaviour({ silences }) },
  ];
}
