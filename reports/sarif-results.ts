import { createHash } from 'node:crypto';
import type { Location, Result } from 'sarif';
import { requirementLines } from '../spec/ledger.js';
import type { Failure, Report, ReportedRequirement } from '../spec/report.js';
import { counted } from './amount-text.js';
import { webRequest, webResponse } from './sarif-exchange.js';
import { ledgerFile, severityOf } from './sarif-rules.js';
import { copiedLine, messageOf, plainLine } from './sarif-text.js';
import { situationOf } from './situation.js';
import type { Violation } from './violations.js';

/** What relative addresses in the log are relative to: the folder of this package. */
export const packageBase = 'PLUMBLINE';

/** What the results of one requirement are made from. */
export interface ResultFrame {
  readonly report: Report;
  /** Where the rule of the requirement stands among the rules. */
  readonly ruleIndex: number;
}

/** The results of a violated requirement: one for each situation in which it was seen, and at least one. */
export function resultsOf(
  { requirement, failures }: Violation,
  { report, ruleIndex }: ResultFrame,
): readonly Result[] {
  return bySituation(failures, report.target.base_url).map(([situation, alike]) => ({
    ruleId: requirement.id,
    ruleIndex,
    kind: 'fail',
    level: severityOf(requirement),
    locations: [locationOf(requirement)],
    partialFingerprints: fingerprints(requirement, situation),
    ...suppressed(requirement, report),
    ...evidence(requirement, situation, alike),
  }));
}

function bySituation(
  failures: readonly Failure[],
  baseUrl: string | null,
): readonly (readonly [situation: string, failures: readonly Failure[]])[] {
  if (failures.length === 0) return [['no evidence', []]];
  const groups = new Map<string, Failure[]>();
  for (const failure of failures) {
    const situation = situationOf(failure, baseUrl);
    const group = groups.get(situation);
    if (group === undefined) groups.set(situation, [failure]);
    else group.push(failure);
  }
  return [...groups];
}

/** The line of the ledger that states a requirement. */
function locationOf({ id, statement }: ReportedRequirement): Location {
  const line = requirementLines().get(id);
  return {
    physicalLocation: {
      artifactLocation: { uri: ledgerFile, uriBaseId: packageBase },
      ...(line === undefined ? {} : { region: { startLine: line } }),
    },
    message: messageOf(statement),
    logicalLocations: [{ fullyQualifiedName: id, kind: 'requirement' }],
  };
}

/**
 * `primaryLocationLineHash` is what GitHub tells alerts of one line apart by; left out, it would look for the ledger in
 * the user's checkout to compute one.
 */
function fingerprints({ id }: ReportedRequirement, situation: string): Record<string, string> {
  const hash = createHash('sha256').update(`${id}\n${situation}`).digest('hex').slice(0, 16);
  return { 'situation/v1': hash, primaryLocationLineHash: `${hash}:1` };
}

function suppressed({ id }: ReportedRequirement, { gate }: Report): Pick<Result, 'suppressions'> {
  if (!gate.waived.includes(id)) return {};
  return { suppressions: [{ kind: 'external', status: 'accepted', justification: 'covered by a waiver' }] };
}

function evidence(
  { section, level, reason }: ReportedRequirement,
  situation: string,
  failures: readonly Failure[],
): Pick<Result, 'message' | 'occurrenceCount' | 'webRequest' | 'webResponse' | 'properties'> {
  const [first, ...further] = failures;
  if (first === undefined)
    return { message: messageOf(reason ?? 'Violated; no evidence of it is in the report.') };
  const { message, expected, actual, confirmed, exchanges, reproduce } = first;
  const shown = exchanges.at(-1);
  return {
    message: messageOf(
      message,
      `Expected: ${expected}`,
      `Came: ${actual}`,
      `Again: ${reproduce.command}`,
      ...(further.length > 0 ? [`Seen in the same way ${counted(further.length, 'more time')}.`] : []),
    ),
    occurrenceCount: failures.length,
    ...(shown === undefined ? {} : { webRequest: webRequest(shown), webResponse: webResponse(shown) }),
    properties: {
      level,
      section: plainLine(section),
      situation: plainLine(situation),
      expected: plainLine(expected),
      actual: plainLine(actual),
      confirmed: plainLine(confirmed),
      reproduce: reproduced(first),
      further: further.slice(0, furtherTold).map(reproduced),
    },
  };
}

const furtherTold = 5;

function reproduced({ message, reproduce: { curl, command } }: Failure): Record<string, string> {
  return { message: plainLine(message), curl: copiedLine(curl), command: copiedLine(command) };
}
