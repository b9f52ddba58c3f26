import { getOrInsert } from '../spec/maps.js';
import type { Report, ReportedExchange } from '../spec/report.js';
import { isOwnHeader } from '../targets/client.js';
import type { Exchange, RawHeaders, SentRequest } from '../targets/exchange.js';
import type { Redactor } from '../targets/redaction.js';
import { hideCredentials } from '../targets/store-recipes.js';
import type { StoreStep, World } from '../targets/world.js';
import type { Evidence, Finding } from './finding.js';
import { findSituation } from './situation-names.js';

export const exchangesKept = 6;
export const bodyKept = 4_000;

/** Makes redacted evidence of the findings of an attempt. */
export function collectEvidence(
  { findings, exchanges }: { readonly findings: readonly Finding[]; readonly exchanges: readonly Exchange[] },
  redactor: Redactor,
  worlds: readonly Pick<World, 'storeSteps'>[],
): readonly Evidence[] {
  const stored = findings.length === 0 ? [] : worlds.flatMap(({ storeSteps = [] }) => storeSteps);
  return findings.map((finding) => {
    const at = exchanges.indexOf(finding.exchange);
    const around = exchanges.slice(Math.max(0, at - exchangesKept + 1), at + 1);
    return makeEvidence(finding, around, redactor, stored);
  });
}

/** Makes redacted evidence of a finding and the exchanges that show it. */
export function makeEvidence(
  found: Finding,
  shownBy: readonly Exchange[],
  redactor: Redactor,
  stored: readonly StoreStep[] = [],
): Evidence {
  const { exchange, request: _request, aspect: _aspect, got, ...finding } = found;
  const { answeredBy } = exchange;
  const by = answeredBy === undefined ? '' : `; answered by ${answeredBy}, probably not by the service`;
  const signs = [...(got ?? '')];
  const shown = signs.length <= valueKept ? got : `${signs.slice(0, valueKept - 1).join('')}…`;
  const value = got === undefined ? '' : `, got ${shown}`;
  return {
    ...finding,
    situation: findSituation(found, redactor),
    message: `${redactor.redactBeginning(finding.message, lineKept)}${value}${by}`,
    ...(answeredBy === undefined ? {} : { answeredBy }),
    actual: `${redactor.redactBeginning(finding.actual, lineKept)}${value}`,
    mismatch: redactor.redactTexts(finding.mismatch),
    counterexample: redactor.redactTexts(finding.counterexample),
    exchanges: shownBy.map((one) => reportOnce(one, redactor)),
    curl: renderSteps(exchange, shownBy, stored, redactor),
  };
}

/** Characters kept of a line: a server may put a megabyte into it. */
export const lineKept = 1_000;

// Enough to see what is wrong with a value.
const valueKept = 100;

const reportedBefore = new WeakMap<Exchange, ReportedExchange>();

/** Redacts each exchange once: a body may break twenty rules. */
export function reportOnce(exchange: Exchange, redactor: Redactor): ReportedExchange {
  return getOrInsert(reportedBefore, exchange, () => reportExchange(exchange, redactor));
}

/** Makes the report's form of an exchange: redacted first, then shortened. */
export function reportExchange(
  { request, answer, lost, startedAt, durationMs }: Exchange,
  redactor: Redactor,
): ReportedExchange {
  const redact = (text: string) => redactor.redact(text);
  const headers = (raw: RawHeaders) =>
    limitHeaders(raw).map(([name, value]) => [redact(name), redact(value)] as const);
  const cut = (body: string) => redactor.redactBeginning(body, bodyKept);
  return {
    at: new Date(startedAt).toISOString(),
    duration_ms: Math.round(durationMs),
    request: {
      method: request.method,
      url: redact(request.url),
      headers: limitHeaders(request.headers).map(
        ([name, value]) => [redact(name), redactor.redactHeader(name, value)] as const,
      ),
      body: request.body === undefined ? null : cut(request.body),
    },
    response:
      answer === undefined
        ? null
        : {
            status: answer.status,
            ...(answer.reasonPhrase === undefined
              ? {}
              : { reason_phrase: redactor.redactBeginning(answer.reasonPhrase, lineKept) }),
            headers: headers(answer.headers),
            ...(answer.trailers === undefined ? {} : { trailers: headers(answer.trailers) }),
            body: cut(answer.text),
            truncated:
              answer.truncated ||
              answer.text.length > bodyKept ||
              limitHeaders(answer.headers).length < answer.headers.length,
          },
    lost: lost ?? null,
  };
}

// Characters kept of the header fields of a message.
const headersKept = 3_000;

/** Keeps the first header fields, whole, as far as there is room. */
function limitHeaders(raw: RawHeaders): RawHeaders {
  let left = headersKept;
  return raw.filter(([name, value]) => {
    left -= name.length + value.length;
    return left > 0;
  });
}

/** Renders shell commands that show a finding again: those that store the secret that it is about, and the requests since. */
function renderSteps(
  shown: Exchange,
  before: readonly Exchange[],
  stored: readonly StoreStep[],
  redactor: Redactor,
): string {
  const curl = (request: SentRequest) => renderCurl(request, redactor);
  const needed = stored.filter(({ name, at }) => isAbout(name, shown) && at <= shown.startedAt);
  const [first] = needed;
  if (first === undefined) return curl(shown.request);
  const asked = before.filter(
    (one) =>
      one === shown ||
      (one.operation === 'vault-delete' && one.startedAt >= first.at && isAbout(first.name, one)),
  );
  const steps = [
    ...needed.map(({ at, step }) => ({
      at,
      line: 'run' in step ? renderCommand(step, redactor) : curl(step),
    })),
    ...asked.map(({ startedAt, request }) => ({ at: startedAt, line: curl(request) })),
  ];
  return steps
    .sort((one, other) => one.at - other.at)
    .map(({ line }) => line)
    .join(' && ');
}

/** Whether a request names a secret, even in upper case or without its last character. */
function isAbout(name: string, { request: { url } }: Exchange): boolean {
  return url.toLowerCase().includes(`/${name.length === 1 ? name : name.slice(0, -1)}`);
}

function renderCommand(
  { environment, run }: Extract<StoreStep['step'], { readonly run: unknown }>,
  redactor: Redactor,
): string {
  // A program may name a variable for a shell of its own: only names that stand for secrets are for this one.
  const quoted = (text: string) =>
    `"${redactor.redact(text).replace(/\$[A-Za-z_]\w*|[\\"`$]/g, (found) => (redactor.isName(found) ? found : `\\${found}`))}"`;
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${quoted(value)}`);
  const words = hideCredentials(run.map((word) => redactor.redact(word)));
  return [...variables, ...words.map(quoted)].join(' ');
}

/** Renders a curl command that sends a request again; its keys are shell variables. */
function renderCurl({ method, url, headers, body }: SentRequest, redactor: Redactor): string {
  const quoted = (text: string) => `"${escapeForShell(redactor.redact(text), redactor)}"`;
  const fields = headers
    .filter(([name, value]) => !isOwnHeader(name, value))
    .map(
      ([name, value]) =>
        `-H ${quoted(value === '' ? `${name};` : `${name}: ${redactor.redactHeader(name, value)}`)}`,
    );
  const data = body === undefined ? [] : [`--data-raw ${quoted(body)}`];
  return [beginCurl({ method, body }), ...fields, ...data, quoted(url)].join(' ');
}

/** Returns the beginning of a curl command. With `-X HEAD`, curl would wait for the body that the answer announces. */
export function beginCurl({ method, body }: { readonly method: string; readonly body?: unknown }): string {
  return `curl -i --path-as-is ${method === 'HEAD' && body === undefined ? '--head' : `-X ${method}`}`;
}

/** Escapes a text for double quotes of the shell; names of keys stay variables, and an altered key has to be set. */
function escapeForShell(text: string, redactor: Redactor): string {
  return text.replace(/\$PLUMBLINE_[A-Z_]+|\$[A-Za-z_]\w*|[\\"`$]/g, (found) => {
    if (found.endsWith('_ALTERED'))
      return `\${${found.slice(1)}:?is an altered key: run plumbline replay, which makes it}`;
    return found.startsWith('$PLUMBLINE_') || redactor.isName(found) ? found : `\\${found}`;
  });
}

/**
 * Redacts a report once more before it is written; a report with a secret says so in a note.
 * @param held files written before that contained secrets
 */
export function redactReport(report: Report, redactor: Redactor, held: readonly string[] = []): Report {
  const cleaned = redactor.redactTexts(report);
  // As it is written: a drawn case may have objects without a prototype.
  const isClean = JSON.stringify(cleaned) === JSON.stringify(report);
  const holding = isClean ? held : ['the report', ...held];
  if (holding.length === 0) return report;
  const note = `a secret was found in ${holding.join(', ')} and removed`;
  return { ...cleaned, run: { ...cleaned.run, notes: [...cleaned.run.notes, note] } };
}
