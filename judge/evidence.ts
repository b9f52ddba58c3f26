import { isDeepStrictEqual } from 'node:util';
import type { RequirementId } from '../spec/ledger.js';
import type { Report, ReportedExchange } from '../spec/report.js';
import { codeSituation, reduceToKind, renderSituation, type Situation } from '../spec/situation.js';
import type { Exchange, RawHeaders, SentRequest } from '../targets/exchange.js';
import type { Redactor } from '../targets/redaction.js';
import type { Evidence, Finding, FoundSituation, Violation } from './finding.js';

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
export function collectEvidence({ findings, exchanges }: Seen, redactor: Redactor): readonly Evidence[] {
  return findings.map((finding) => {
    const at = exchanges.indexOf(finding.exchange);
    const around = exchanges.slice(Math.max(0, at - exchangesKept + 1), at + 1);
    return makeEvidence(finding, around, redactor);
  });
}

/** A finding as it may leave the process, with the exchanges that show it. */
export function makeEvidence(found: Finding, shownBy: readonly Exchange[], redactor: Redactor): Evidence {
  const { exchange, request: _request, aspect: _aspect, got, ...finding } = found;
  const value = got === undefined ? '' : `, got ${shortenValue(got)}`;
  return {
    ...finding,
    situation: findSituation(found, redactor),
    message: `${redactor.redactBeginning(finding.message, lineKept)}${value}`,
    actual: `${redactor.redactBeginning(finding.actual, lineKept)}${value}`,
    counterexample: redactor.redactTexts(finding.counterexample),
    exchanges: shownBy.map((one) => reportOnce(one, redactor)),
    curl: renderCurl(exchange.request, redactor),
  };
}

/** Characters of a line that tells what came: a server may put a megabyte into it. */
export const lineKept = 1_000;

// Enough of a value to see what is wrong with it.
const valueKept = 100;

/** A value that is shown beside a finding; its secrets are gone already. */
function shortenValue(value: string): string {
  const signs = [...value];
  return signs.length <= valueKept ? value : `${signs.slice(0, valueKept - 1).join('')}…`;
}

/** The last exchanges of an attempt that came to nothing, every secret replaced. */
export function reportLastExchanges(
  { exchanges }: Pick<Seen, 'exchanges'>,
  redactor: Redactor,
): readonly ReportedExchange[] {
  return exchanges.slice(-exchangesKept).map((one) => reportOnce(one, redactor));
}

const reportedBefore = new WeakMap<Exchange, ReportedExchange>();

/** One for all findings that an exchange stands beside: a body may break twenty rules at once. */
function reportOnce(exchange: Exchange, redactor: Redactor): ReportedExchange {
  const known = reportedBefore.get(exchange) ?? reportExchange(exchange, redactor);
  reportedBefore.set(exchange, known);
  return known;
}

/** An exchange as it may leave the process: every secret is replaced, then long bodies are cut. */
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

// Characters of header fields that are kept of a message: a head may be four times as long as what is kept of a body.
const headersKept = 3_000;

/** The first fields of a head, whole, as far as there is room. */
function limitHeaders(raw: RawHeaders): RawHeaders {
  let left = headersKept;
  return raw.filter(([name, value]) => {
    left -= name.length + value.length;
    return left > 0;
  });
}

/** A curl line that sends a request again; the keys in it are variables of the shell. */
function renderCurl({ method, url, headers, body }: SentRequest, redactor: Redactor): string {
  const quoted = (text: string) => `"${escapeForShell(redactor.redact(text), redactor)}"`;
  const fields = headers.map(
    ([name, value]) =>
      `-H ${quoted(value === '' ? `${name};` : `${name}: ${redactor.redactHeader(name, value)}`)}`,
  );
  const data = body === undefined ? [] : [`--data-raw ${quoted(body)}`];
  return ['curl -i --path-as-is', `-X ${method}`, ...fields, ...data, quoted(url)].join(' ');
}

/** What a double-quoted word of the shell may hold; the names that stand for keys stay variables. */
function escapeForShell(text: string, redactor: Redactor): string {
  return text.replace(/\$PLUMBLINE_[A-Z_]+|\$[A-Za-z_]\w*|[\\"`$]/g, (found) =>
    found.startsWith('$PLUMBLINE_') || redactor.isName(found) ? found : `\\${found}`,
  );
}

/**
 * The last look at what is to be written: a report in which a secret stands is cleaned and says so. What the server is
 * judged by does not change with it.
 * @param held files written before in which secrets stood
 */
export function redactReport(report: Report, redactor: Redactor, held: readonly string[] = []): Report {
  const cleaned = redactor.redactTexts(report);
  const holding = isDeepStrictEqual(cleaned, report) ? held : ['the report', ...held];
  if (holding.length === 0) return report;
  const note = `a secret stood in ${holding.join(', ')} and was taken out`;
  return { ...cleaned, run: { ...cleaned.run, notes: [...cleaned.run.notes, note] } };
}

// Enough to tell two apart; what a server says can be a page.
const longestWords = 200;

/** The situation of a finding, without what differs from run to run and without secrets. */
export function findSituation(finding: Finding, redactor: Redactor): FoundSituation {
  const { exchange, request, aspect } = finding;
  const { operation, answer, lost = 'no answer', errorCode = 'no-answer' } = exchange;
  const seen = {
    operation,
    ...(answer === undefined ? { outcome: errorCode, lost: flattenText(lost) } : { outcome: answer.status }),
    // Redacted first: half of a secret would not be found.
    ...(aspect === undefined ? {} : { aspect: flattenText(removeValues(redactor.redact(aspect))) }),
  };
  // A rule for every response is broken alike whichever request shows it.
  if (request === undefined) return { exact: cutSituation(seen), bare: cutSituation(seen) };
  const to = (label: string): Situation =>
    cutSituation({ ...seen, request: flattenText(removeNames(redactor.redact(label))) });
  return { exact: to(request.plain), bare: to(request.bare) };
}

/** Gives the violations of a run their situations. */
export type SituationNamer = (violation: Violation) => Situation;

/**
 * Gives the violations of a run their situations. A drawn case differs from seed to seed. What it shows is the violation
 * that a case which every run sends shows too, of the same kind and requirement. Failing that, the same request with
 * the same answer may be laid to another requirement there, since a drawn case has more things wrong. Failing that
 * too, the kind alone is told.
 */
export function makeSituationNamer(all: readonly Violation[]): SituationNamer {
  const ofKind = new Map<string, Situation>();
  const elsewhere = new Map<string, RequirementId>();
  const ofRow = new Set<string>();
  for (const violation of all.filter((one) => !isDrawn(one))) {
    const { requirement, situation } = violation;
    const code = codeSituation(situation.exact);
    ofRow.add(`${requirement} ${code}`);
    if (!ofKind.has(kindKey(violation))) ofKind.set(kindKey(violation), situation.exact);
    if (!elsewhere.has(code)) elsewhere.set(code, requirement);
  }
  const shortest = (requirement: RequirementId, situation: Situation): Situation => {
    const shorter = shortenName(situation);
    return ofRow.has(`${requirement} ${codeSituation(shorter)}`) ? shorter : situation;
  };
  return (violation) => {
    const { exact, bare } = violation.situation;
    if (!isDrawn(violation)) return shortest(violation.requirement, exact);
    const known = ofKind.get(kindKey(violation));
    if (known !== undefined) return shortest(violation.requirement, known);
    for (const situation of [exact, bare]) {
      const other = elsewhere.get(codeSituation(situation));
      if (other !== undefined) return { ...situation, as_in: other };
    }
    return { ...reduceToKind(exact), drawn: true };
  };
}

/** The same situation with a shorter name: where that is violated too, the length has nothing to do with it. */
function shortenName({ request, ...situation }: Situation): Situation {
  return request === undefined
    ? situation
    : { ...situation, request: request.replace('a long name', 'a name') };
}

function isDrawn({ replay }: Violation): boolean {
  return replay?.isDrawn === true;
}

function kindKey({ requirement, situation }: Violation): string {
  return `${requirement} ${codeSituation(reduceToKind(situation.exact))}`;
}

/** A situation whose words are not too long: the part that the end falls into is cut. */
function cutSituation(situation: Situation): Situation {
  const signs = [...renderSituation(situation)];
  if (signs.length <= longestWords) return situation;
  const cut = `${signs.slice(0, longestWords - 1).join('')}…`;
  const { request, aspect, ...kind } = situation;
  const asked = { ...kind, ...(request === undefined ? {} : { request }) };
  const beforeAspect = renderSituation({ ...asked, aspect: '' });
  if (aspect !== undefined && cut.startsWith(beforeAspect))
    return { ...asked, aspect: cut.slice(beforeAspect.length) };
  return { ...kind, request: cut.slice(renderSituation({ ...kind, request: '' }).length) };
}

/** A text in one line, without signs that nobody sees. */
function flattenText(text: string): string {
  return text
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, '?')
    .replace(/\s+/g, ' ')
    .trim();
}

/** What was seen without its figures and quoted texts, statuses and codes aside; an index of a list is `[]`. */
function removeValues(text: string): string {
  return removeNames(text)
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/(?<=[a-z_\]])\.\d+(?=[. ]|$)/g, '.[]')
    .replace(/(?<![\w.-])(?<!^|code is |code |status is |status )-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?!\w)/g, 'n');
}

/** A text without the names and ids that are made up anew in every run. */
function removeNames(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, 'an id')
    .replace(/p?lumb[aeio]{6,}/g, '(fresh)');
}
