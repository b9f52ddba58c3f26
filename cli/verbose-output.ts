import { reportExchange } from '../judge/evidence.js';
import { defuseCommands, sanitizeLines, truncate } from '../reports/sanitize.js';
import type { RequirementId } from '../spec/ledger.js';
import type { ReportedExchange } from '../spec/report.js';
import type { Exchange } from '../targets/exchange.js';
import type { Redactor } from '../targets/redaction.js';

const bodyShown = 2_000;

/** Prints an exchange on standard error, as curl -v does, with every secret redacted. */
export function printExchange(exchange: Exchange, subject: RequirementId, redactor: Redactor): void {
  const text = `* ${subject}: ${redactor.redact(exchange.label)}\n${renderExchange(reportExchange(exchange, redactor))}`;
  const lines = sanitizeLines(text).split('\n').map(defuseCommands);
  process.stderr.write(`${lines.join('\n')}\n\n`);
}

function renderExchange({ request, response, lost, duration_ms: ms }: ReportedExchange): string {
  const fields = (sign: string, headers: ReportedExchange['request']['headers']) =>
    headers.map(([name, value]) => `${sign} ${name}: ${value}`);
  return [
    `> ${request.method} ${request.url}`,
    ...fields('>', request.headers),
    ...showBody(request.body),
    ...(response === null
      ? [`< ${lost ?? 'no response'} (${ms} ms)`]
      : [`< ${response.status} (${ms} ms)`, ...fields('<', response.headers), ...showBody(response.body)]),
  ].join('\n');
}

function showBody(body: string | null): readonly string[] {
  return body === null || body === '' ? [] : [truncate(body, bodyShown)];
}
