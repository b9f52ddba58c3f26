import { renderToString } from 'preact-render-to-string';
import type { Report } from '../../spec/report.js';
import { judgedServer } from '../judged-server.js';
import { contentPolicy } from './content-policy.js';
import { PageBody } from './page-body.js';
import { pageIcon } from './page-icon.js';
import { pageScript } from './page-script.js';
import { pageStyle } from './page-style.js';
import { toldInLine } from './told.js';

/**
 * A report as one page that opens from a file: nothing is loaded from anywhere, and nothing that a server said can
 * act in it.
 */
export function htmlPage(report: Report): string {
  const { verdict, target } = report;
  const server = judgedServer(target);
  const title = `${verdict}${server === undefined ? '' : `: ${toldInLine(server)}`} · plumbline`;
  const policy = contentPolicy({ style: pageStyle, script: pageScript });
  const page = renderToString(
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={policy} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>{title}</title>
        <link rel="icon" href={pageIcon(verdict)} />
        <style dangerouslySetInnerHTML={{ __html: pageStyle }} />
      </head>
      <body>
        <PageBody report={report} />
        <script dangerouslySetInnerHTML={{ __html: pageScript }} />
      </body>
    </html>,
  );
  return `<!doctype html>\n${page}\n`;
}
