import type { Report } from '../../spec/report.js';
import { describeReport, type RenderOptions, type ReportView } from '../report-view.js';
import { clientScripts } from './client.js';
import { renderDocument } from './document.js';
import { renderLedger } from './ledger.js';
import { Fragment, h } from './markup.js';
import { renderAreas, renderLeftBehind, renderRun, renderVerdict } from './overview.js';
import { safeAttribute, safeText } from './safe-text.js';
import { renderMissingResults, renderUnspecifiedBehaviour } from './sections.js';
import { renderViolations } from './violations.js';

const script = clientScripts
  .map((run) => `(${run.toString()})();`)
  .join('\n')
  // No text of a script may end it.
  .replaceAll('</', '<\\/');

/** Renders a report as one page that loads nothing and in which no text of a server can act. */
export function renderHtml(report: Report, options: RenderOptions = {}): string {
  const { document, run, verdict } = report;
  const view = describeReport(report, options.directory);
  const parts = listParts(view).filter(({ part }) => part !== null);
  return renderDocument({
    title: `${verdict}${view.server === undefined ? '' : `: ${safeAttribute(view.server)}`} · plumbline`,
    verdict,
    styles: ['summary', 'ledger', 'evidence', 'print'],
    script,
    children: (
      <>
        <a class="skip" href="#ledger">
          Skip to the requirements
        </a>
        <header class="top">
          <p class="brand">plumbline</p>
          <nav aria-label="Sections of this page">
            {parts.map(({ id, word }) => (
              <a href={`#${id}`}>{word}</a>
            ))}
          </nav>
        </header>
        <main>
          {renderVerdict(view)}
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
    ),
  });
}

/** Lists the parts of the page in order, what needs action first. A part without content is null and has no link. */
function listParts(view: ReportView) {
  const { report } = view;
  const missing = { id: 'no-result', word: 'Without a result', part: renderMissingResults(view) };
  const isMissingFirst = report.verdict === 'incomplete' || report.verdict === 'unjudged';
  return [
    { id: 'failed', word: 'Failed', part: renderViolations(view) },
    ...(isMissingFirst ? [missing] : []),
    { id: 'left-behind', word: 'Left behind', part: renderLeftBehind(view) },
    { id: 'areas', word: 'Areas', part: renderAreas(view) },
    { id: 'run', word: 'Run', part: renderRun(view) },
    { id: 'ledger', word: 'Requirements', part: renderLedger(view) },
    ...(isMissingFirst ? [] : [missing]),
    { id: 'unspecified', word: 'Unspecified', part: renderUnspecifiedBehaviour(report.silences) },
  ];
}
