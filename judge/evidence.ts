import type { ReportedExchange } from '../spec/report.js';
import type { Exchange, RawHeaders, SentRequest } from '../targets/exchange.js';
import type { Redactor } from '../targets/redaction.js';
import type { Evidence, Finding } from './finding.js';
import { situationOf } from './situation.js';

/** The last exchanges before a finding are what a reader needs; a long check would bury them. */
export const exchangesKept = 6;
/** Characters of a body that are kept. */
export const bodyKept = 4_000;

/** What was seen of one attempt. */
interface Seen {
  readonly findings: readonly Finding[];
  readonly exchanges: readonly Exchange[];
}

/** The findings of an attempt as they may leave the process: exchanges kept, every secret replaced. */
export function evidenceOf({ findings, exchanges }: Seen, redactor: Redactor): readonly Evidence[] {
  return findings.map((finding) => {
    const at = exchanges.indexOf(finding.exchange);
    const around = exchanges.slice(Math.max(0, at - exchangesKept + 1), at + 1);
    return evidenceIn(finding, around, redactor);
  });
}

/** A finding as it may leave the process, with the exchanges that show it. */
export function evidenceIn(found: Finding, shownBy: readonly Exchange[], redactor: Redactor): Evidence {
  const { exchange, request: _request, aspect: _aspect, got, ...finding } = found;
  const value = got === undefined ? '' : `, got ${shortened(got)}`;
  return {
    ...finding,
    situation: situationOf(found, redactor),
    message: `${redactor.redactBeginning(finding.message, lineKept)}${value}`,
    actual: `${redactor.redactBeginning(finding.actual, lineKept)}${value}`,
    counterexample: redactor.redactTexts(finding.counterexample),
    exchanges: shownBy.map((one) => shown(one, redactor)),
    curl: curl(exchange.request, redactor),
  };
}

/** Characters of a line that tells what came: a server may put a megabyte into it. */
export const lineKept = 1_000;

// Enough of a value to see what is wrong with it.
const valueKept = 100;

/** A value that is shown beside a finding; its secrets are gone already. */
function shortened(value: string): string {
  const signs = [...value];
  return signs.length <= valueKept ? value : `${signs.slice(0, valueKept - 1).join('')}…`;
}

/** The last exchanges of an attempt that came to nothing, every secret replaced. */
export function lastExchanges(
  { exchanges }: Pick<Seen, 'exchanges'>,
  redactor: Redactor,
): readonly ReportedExchange[] {
  return exchanges.slice(-exchangesKept).map((one) => shown(one, redactor));
}

const shownBefore = new WeakMap<Exchange, ReportedExchange>();

/** One for all findings that an exchange stands beside: a body may break twenty rules at once. */
function shown(exchange: Exchange, redactor: Redactor): ReportedExchange {
  const known = shownBefore.get(exchange) ?? reportedExchange(exchange, redactor);
  shownBefore.set(exchange, known);
  return known;
}

/** An exchange as it may leave the process: every secret is replaced, then long bodies are cut. */
export function reportedExchange(
  { request, answer, lost, startedAt, durationMs }: Exchange,
  redactor: Redactor,
): ReportedExchange {
  const redact = (text: string) => redactor.redact(text);
  const headers = (raw: RawHeaders) =>
    firstOf(raw).map(([name, value]) => [redact(name), redact(value)] as const);
  const cut = (body: string) => redactor.redactBeginning(body, bodyKept);
  return {
    at: new Date(startedAt).toISOString(),
    duration_ms: Math.round(durationMs),
    request: {
      method: request.method,
      url: redact(request.url),
      headers: firstOf(request.headers).map(
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
              firstOf(answer.headers).length < answer.headers.length,
          },
    lost: lost ?? null,
  };
}

// Characters of header fields that are kept of a message: a head may be four times as long as what is kept of a body.
const headersKept = 3_000;

/** The first fields of a head, whole, as far as there is room. */
function firstOf(raw: RawHeaders): RawHeaders {
  let left = headersKept;
  return raw.filter(([name, value]) => {
    left -= name.length + value.length;
    return left > 0;
  });
}

/** A curl line that sends a request again; the keys in it are variables of the shell. */
function curl({ method, url, headers, body }: SentRequest, redactor: Redactor): string {
  const quoted = (text: string) => `"${escaped(redactor.redact(text))}"`;
  const fields = headers.map(
    ([name, value]) =>
      `-H ${quoted(value === '' ? `${name};` : `${name}: ${redactor.redactHeader(name, value)}`)}`,
  );
  const data = body === undefined ? [] : [`--data-raw ${quoted(body)}`];
  return ['curl -i --path-as-is', `-X ${method}`, ...fields, ...data, quoted(url)].join(' ');
}

/** What a double-quoted word of the shell may hold; the names that stand for keys stay variables. */
function escaped(text: string): string {
  return text.replace(/\$PLUMBLINE_[A-Z_]+|[\\"`$]/g, (found) => (found.length > 1 ? found : `\\${found}`));
}
