import { createHash } from 'node:crypto';
import type * as Sarif from 'sarif';
import { typedCommand } from '../spec/command-line.js';
import { exitCodes } from '../spec/exit-codes.js';
import { findQuotes, findRepair, formatSection } from '../spec/explanation.js';
import { areaOf, type Level, ledger, requirementLines } from '../spec/ledger.js';
import { groupBy } from '../spec/maps.js';
import {
  type Failure,
  isLeftOut,
  type Report,
  type ReportedExchange,
  type ReportedRequirement,
} from '../spec/report.js';
import { renderEvidence, renderReplayCommand } from './causes.js';
import { explainMissingEvidence, type FailedRequirement } from './failed-requirements.js';
import { prose } from './markdown-text.js';
import { describeReport, isMust, type RenderOptions, type ReportView } from './report-view.js';
import { findLine } from './result-location.js';
import { renderJson, safeLine, sanitizeLines, truncate } from './sanitize.js';
import { formatCount, statusWords } from './wording.js';

/** What relative addresses in the log are relative to: the folder of this package. */
const packageBase = 'PLUMBLINE';
const packagePage = 'https://www.npmjs.com/package/plumbline-conformance';
const ledgerFile = 'spec/requirements.yaml';
const repositoryBase = '%SRCROOT%';

/** Renders a SARIF 2.1.0 log. Rows without a result are notifications: GitHub makes alerts of all results. */
export function renderSarif(report: Report, options: RenderOptions = {}): string {
  const log: Sarif.Log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [buildRun(report, options)],
  };
  return `${renderJson(log)}\n`;
}

function buildRun(report: Report, options: RenderOptions): Sarif.Run {
  const { tool, document, run, requirements, totals, verdict, gate, target } = report;
  const { id, shard } = run;
  const view = describeReport(report, options.directory);
  // What comes before the last slash distinguishes kinds of runs: shards of one run must not replace one another.
  const kind = shard === '1/1' ? 'plumbline' : `plumbline/shard-${toProperty(shard).replace('/', '-of-')}`;
  return {
    tool: {
      driver: {
        name: 'plumbline',
        fullName: `${tool.name} ${toProperty(tool.version)}`,
        informationUri: packagePage,
        version: toProperty(tool.version),
        rules: requirements.map((row) => buildRule(row, tool.version)),
      },
    },
    automationDetails: { id: `${kind}/${toProperty(id)}`, ...(uuid.test(id) ? { guid: id } : {}) },
    invocations: [buildInvocation(view)],
    originalUriBaseIds: {
      [packageBase]: { description: toMessage('the folder of the package plumbline-conformance') },
      ...(options.location === undefined
        ? {}
        : { [repositoryBase]: { description: toMessage('the root of the repository') } }),
    },
    artifacts: [{ location: { uri: ledgerFile, uriBaseId: packageBase } }],
    results: view.failed.flatMap((failed) => buildResults(failed, report, options)),
    columnKind: 'utf16CodeUnits',
    properties: {
      verdict,
      reason: toProperty(view.explanation),
      totals,
      statuses: Object.fromEntries(requirements.map((row) => [row.id, row.status])),
      gate: { exit_code: gate.exit_code, waived: gate.waived, excused: gate.excused },
      target: target.base_url === null ? null : toProperty(target.base_url),
      causes: listCauses(view),
      document,
      depth: run.depth,
      seed: run.seed,
      shard,
      requests: run.requests,
      cases: run.cases,
      complete: run.complete,
    },
  };
}

function listCauses({ causes }: ReportView): readonly object[] {
  return causes.map((cause) => {
    const { fault, requirements, simplest } = cause;
    return {
      fault: toProperty(fault),
      requirements: requirements.map(({ id }) => id),
      simplest: simplest && toProperty(simplest.failure.message),
      ...(simplest && buildLastExchange(simplest.failure)),
      replay: toCommand(renderReplayCommand(cause)),
    };
  });
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

function buildInvocation({ report, waiverFaults: faults }: ReportView): Sarif.Invocation {
  const { run, gate, verdict, requirements } = report;
  const startMs = Date.parse(run.started_at);
  const endMs = startMs + run.duration_ms;
  const isSound = verdict !== 'unjudged' && gate.exit_code !== exitCodes.suiteFault && faults.length === 0;
  const isSuccessful = run.complete && isSound;
  const notify =
    (level: Sarif.Notification['level']) =>
    (text: string): Sarif.Notification => ({ level, message: toMessage(text) });
  return {
    executionSuccessful: isSuccessful,
    exitCode: gate.exit_code,
    exitCodeDescription: verdict,
    ...(Number.isNaN(endMs)
      ? {}
      : { startTimeUtc: new Date(startMs).toISOString(), endTimeUtc: new Date(endMs).toISOString() }),
    ...(faults.length === 0 ? {} : { toolConfigurationNotifications: faults.map(notify('error')) }),
    toolExecutionNotifications: [
      ...run.notes.map(notify(isSuccessful ? 'note' : 'error')),
      ...requirements.flatMap(notifyOfMissingResult),
    ],
  };
}

function notifyOfMissingResult(row: ReportedRequirement, index: number): readonly Sarif.Notification[] {
  const { id, status, reason } = row;
  if ((status !== 'inconclusive' && status !== 'not-exercised') || isLeftOut(row)) return [];
  return [
    {
      level: isMust(row) ? 'warning' : 'note',
      message: toMessage(`${id} ${statusWords[status]}: ${reason ?? 'no reason was given'}`),
      associatedRule: { id, index },
      properties: { status },
    },
  ];
}

const severities: Readonly<Record<Level, Sarif.ReportingConfiguration.level>> = {
  must: 'error',
  derived: 'error',
  advisory: 'warning',
  silent: 'none',
};

/** Builds the rule of a requirement; nothing in it depends on the results of the run. */
function buildRule(row: ReportedRequirement, version: string): Sarif.ReportingDescriptor {
  const { id, section, level, statement } = row;
  const area = areaOf(id);
  const text = toMessage(statement).text ?? '';
  const line = requirementLines().get(id);
  const place = line === undefined ? ledgerFile : `${ledgerFile}, line ${line}`;
  const severity = rateSecurity(row);
  return {
    id,
    // `vault-delete.404.other-intern` becomes `VaultDelete404OtherIntern`.
    name: id.replace(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9])/g, (_, first: string) => first.toUpperCase()),
    shortDescription: { text },
    fullDescription: { text },
    help: {
      text: `§${toProperty(section)} of the document (${level}); ${place}`,
      markdown: explainRule(row),
    },
    helpUri: `${packagePage}/v/${encodeURIComponent(version)}`,
    defaultConfiguration: { level: severities[level] },
    properties: {
      tags: [area, level, ...(severity === undefined ? [] : ['security'])],
      ...{ level, section: toProperty(section), area },
      ...(severity === undefined ? {} : { 'security-severity': severity }),
    },
  };
}

const tenantRow =
  /^(?:vault-delete|guardrail-read)\.\w+\.(?:(?:other|foreign)-\w+|workspace-secret|similar-intern|only-this-\w+|same-workspace|no-scope)$/;

/** Rates the security severity of a violation as GitHub reads it: 9 and above is critical. Undefined where there is none. */
function rateSecurity({ id, level }: ReportedRequirement): string | undefined {
  const area = areaOf(id);
  const isTenants = tenantRow.test(id);
  if (level === 'silent' || !(isTenants || area === 'auth' || area === 'secrecy')) return undefined;
  if (level === 'advisory') return '3.0';
  return isTenants ? '9.1' : '7.5';
}

/** Explains a rule in Markdown: the sentences of the document, how to fix a server, how to learn more. */
function explainRule({ id, section, level, statement }: ReportedRequirement): string {
  const row = ledger.find((known) => known.id === id);
  const repair = row && findRepair(row);
  const quotes = (row === undefined ? [] : findQuotes(row)).map(
    (quote) => `> ${prose(quote.text)} (${formatSection(quote.section)})`,
  );
  return [
    `**${prose(statement)}** (${level}, ${prose(formatSection(section))})`,
    ...(quotes.length === 0 ? ['The document does not say this literally.'] : quotes),
    ...(repair === undefined ? [] : [`**How to fix it:** ${prose(repair)}`]),
    `\`${typedCommand} explain ${id}\` says how it is checked and how servers fail it.`,
  ].join('\n\n');
}

/** Builds the results of a failed requirement: at least one, and one for each place where it failed. */
function buildResults(
  { requirement, failures }: FailedRequirement,
  report: Report,
  options: RenderOptions,
): readonly Sarif.Result[] {
  const { id, level } = requirement;
  const groups = groupBy(failures, ({ failure }) => placeOf(failure, report.target.base_url));
  const places = groups.size === 0 ? [['no evidence', []] as const] : [...groups];
  const waiver = { kind: 'external', status: 'accepted', justification: 'covered by a waiver' } as const;
  return places.map(([place, alike]) => ({
    ruleId: id,
    ruleIndex: report.requirements.indexOf(requirement),
    kind: 'fail',
    level: severities[level],
    ...locate(requirement, alike[0]?.failure, options),
    partialFingerprints: fingerprint(id, place),
    ...(report.gate.waived.includes(id) ? { suppressions: [waiver] } : {}),
    ...buildEvidence({ requirement, failures: alike }, place),
  }));
}

const knownRoutes = ['vault', 'guardrails', 'key', 'chat'] as const;

/** Returns where a violation showed, `vault 204`, whatever the seed and the method. */
function placeOf({ exchanges }: Failure, baseUrl: string | null): string {
  const last = exchanges.at(-1);
  if (last === undefined) return 'no exchange';
  const base = baseUrl === null ? '' : pathOf(baseUrl).replace(/\/+$/, '');
  const path = pathOf(last.request.url);
  const first = (path.startsWith(base) ? path.slice(base.length) : path).split(/[/?#]/)[1];
  const route = knownRoutes.find((known) => known === first) ?? 'elsewhere';
  return `${route} ${last.response?.status ?? 'no answer'}`;
}

// Taken apart as text: a URL parser would resolve the dot segments that some requests are about.
function pathOf(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
}

/** Without `primaryLocationLineHash`, GitHub would look for the ledger in the user's checkout to compute one. */
function fingerprint(id: string, place: string): Record<string, string> {
  const hash = createHash('sha256').update(`${id}\n${place}`).digest('hex').slice(0, 16);
  return { 'situation/v1': hash, primaryLocationLineHash: `${hash}:1` };
}

/** Locates a result in the file of the user where one is given, else at the line of the ledger. */
function locate(row: ReportedRequirement, failure: Failure | undefined, { location }: RenderOptions) {
  const ofLedger = locateRequirement(row);
  if (location === undefined) return { locations: [ofLedger] };
  const physicalLocation = {
    artifactLocation: {
      uri: location.path.split('/').map(encodeURIComponent).join('/'),
      uriBaseId: repositoryBase,
    },
    region: { startLine: findLine(location, row.id, failure) },
  };
  // GitHub and others take a related location for a link only if it has an id.
  return { locations: [{ ...ofLedger, physicalLocation }], relatedLocations: [{ ...ofLedger, id: 1 }] };
}

function locateRequirement({ id, statement }: ReportedRequirement): Sarif.Location {
  const line = requirementLines().get(id);
  return {
    physicalLocation: {
      artifactLocation: { uri: ledgerFile, uriBaseId: packageBase },
      ...(line === undefined ? {} : { region: { startLine: line } }),
    },
    message: toMessage(statement),
    logicalLocations: [{ fullyQualifiedName: id, kind: 'requirement' }],
  };
}

const furtherShown = 5;

function buildEvidence(
  { requirement, failures }: FailedRequirement,
  place: string,
): Pick<Sarif.Result, 'message' | 'occurrenceCount' | 'webRequest' | 'webResponse' | 'properties'> {
  const [first, ...further] = failures;
  if (first === undefined) return { message: toMessage(explainMissingEvidence(requirement)) };
  const { expected, actual, confirmed } = first.failure;
  return {
    message: toMessage(
      ...renderEvidence(first),
      ...(further.length > 0 ? [`Seen ${formatCount(further.length, 'more time')} in the same place.`] : []),
    ),
    occurrenceCount: failures.length,
    ...buildLastExchange(first.failure),
    properties: {
      level: requirement.level,
      section: toProperty(requirement.section),
      situation: toProperty(place),
      expected: toProperty(expected),
      actual: toProperty(actual),
      confirmed: toProperty(confirmed),
      reproduce: { ...buildReproduction(first.failure), replay: toCommand(first.replay) },
      further: further.slice(0, furtherShown).map(({ failure }) => buildReproduction(failure)),
    },
  };
}

function buildReproduction({ message, reproduce: { curl, command } }: Failure) {
  return {
    message: toProperty(message),
    curl: toCommand(curl),
    command: toCommand(command),
  };
}

const longestBody = 4_000;
const longestValue = 2_000;

function buildLastExchange({ exchanges }: Failure): Pick<Sarif.Result, 'webRequest' | 'webResponse'> {
  const last = exchanges.at(-1);
  return last === undefined ? {} : { webRequest: buildRequest(last), webResponse: buildResponse(last) };
}

function buildRequest({ request }: ReportedExchange): Sarif.WebRequest {
  return {
    protocol: 'http',
    method: safeLine(request.method, longestValue),
    target: safeLine(request.url, longestValue),
    headers: joinHeaders(request.headers),
    ...(request.body === null ? {} : { body: toContent(request.body) }),
  };
}

function buildResponse({ response, lost }: ReportedExchange): Sarif.WebResponse {
  if (response === null)
    return {
      noResponseReceived: true,
      ...(lost === null ? {} : { properties: { lost: safeLine(lost, longestValue) } }),
    };
  const { reason_phrase: phrase } = response;
  return {
    protocol: 'http',
    statusCode: response.status,
    ...(phrase === undefined ? {} : { reasonPhrase: safeLine(phrase, longestValue) }),
    headers: joinHeaders([...response.headers, ...(response.trailers ?? [])]),
    body: toContent(response.body),
    ...(response.truncated ? { properties: { truncated: true } } : {}),
  };
}

/** SARIF gives a header one value: those of a repeated header are joined as HTTP joins them. */
function joinHeaders(headers: readonly (readonly [string, string])[]): Record<string, string> {
  const byName = groupBy(headers, ([name]) => safeLine(name, longestValue));
  const joined = [...byName].map(([name, alike]) => {
    const values = alike.map(([, value]) => safeLine(value, longestValue));
    return [name, values.join(', ')] as const;
  });
  return Object.fromEntries(joined);
}

function toContent(body: string): Sarif.ArtifactContent {
  return { text: sanitizeLines(truncate(body, longestBody)) };
}

/** Renders lines as a message; what would be read as a link or a placeholder is escaped (SARIF 2.1.0 §3.11.5, §3.11.6). */
function toMessage(...lines: readonly string[]): Sarif.Message {
  const escapeText = (line: string) => line.replace(/[\\[\]]/g, '\\$&').replace(/[{}]/g, '$&$&');
  return { text: lines.map((line) => escapeText(toProperty(line))).join('\n') };
}

function toProperty(text: string): string {
  return safeLine(text, 600);
}

/** Cuts a line to copy only where no shell would accept it. */
function toCommand(line: string | undefined): string | undefined {
  return line && safeLine(line, 4_000);
}
