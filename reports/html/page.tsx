import { readFileSync } from 'node:fs';
import { renderToString } from 'preact-render-to-string';
import type { Report, Verdict as VerdictWord } from '../../spec/report.js';
import { makeContentPolicy } from '../content-policy.js';
import type { RenderOptions } from '../render-options.js';
import { nameServer } from '../report-view.js';
import { indexChecks } from './checks.js';
import { clientScripts } from './client.js';
import { Ledger } from './ledger.js';
import { Areas, LeftBehind, Run, Verdict } from './overview.js';
import { safeAttribute, safeText } from './safe-text.js';
import { MissingResults, UnspecifiedBehaviour } from './sections.js';
import { Timeline } from './timeline.js';
import { Violations } from './violations.js';

const styleSheets = ['base', 'head', 'ledger', 'evidence', 'sections', 'print'] as const;

// Read from the sources and from dist alike.
const style = styleSheets
  .map((name) => readFileSync(new URL(`./style/${name}.css`, import.meta.url), 'utf8'))
  .join('\n');

const script = clientScripts
  .map((run) => `(${run.toString()})();`)
  .join('\n')
  // No text of a script may end it.
  .replaceAll('</', '<\\/');

const verdictColours: Readonly<Record<VerdictWord, string>> = {
  conformant: '#1a7f4b',
  'non-conformant': '#c0352b',
  incomplete: '#9a6400',
  unjudged: '#7a4bb0',
};

/**
 * Renders a report as one page that opens from a file: nothing is loaded from anywhere, and no text of a server can act
 * in it.
 */
export function renderHtml(report: Report, options: RenderOptions = {}): string {
  const { verdict, target } = report;
  const server = nameServer(target);
  const title = `${verdict}${server === undefined ? '' : `: ${safeAttribute(server)}`} · plumbline`;
  const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="${verdictColours[verdict]}"/></svg>`;
  const page = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={makeContentPolicy(style, script)} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>{title}</title>
        <link rel="icon" href={`data:image/svg+xml,${encodeURIComponent(icon)}`} />
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        <PageBody report={report} options={options} />
        <script dangerouslySetInnerHTML={{ __html: script }} />
      </body>
    </html>,
  );
  return `<!doctype html>\n${page}\n`;
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
        <button type="button" data-colours data-control hidden>
          Dark colours
        </button>
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
  const { requirements, checks, silences, totals, run, verdict } = report;
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
    { id: 'timeline', word: 'Timeline', part: Timeline({ checks, run }) },
  ];
}
