import { createHash } from 'node:crypto';
import type { Failure, ViolationIdentity } from './generated/report.js';

/**
 * What distinguishes one violation of a requirement from another, without secrets and what differs between runs.
 * A violation of a rule for every response has no request: it is the same whichever request shows it.
 */
export type { ViolationIdentity } from './generated/report.js';

/** The situation of a violation: in words, which a waiver of version 0.1 names, as the code that waivers name, and as data. */
export type ReportedSituation = Pick<Failure, 'situation' | 'case' | 'situation_parts'>;

/** A violation as a waiver names it: by its case, or, where it has none, by the words for its situation. */
export interface NamedViolation {
  readonly requirement: string;
  readonly situation?: string | undefined;
  readonly case?: string | undefined;
}

const toRequest = ' to ';
const inADrawnCase = ' in a drawn case';
const asIn = ', as in ';

/** Puts the situation of a violation into words. */
export function renderSituation(identity: ViolationIdentity): string {
  const { operation, outcome, lost, request, aspect, drawn, as_in } = identity;
  return [
    `${operation} ${typeof outcome === 'number' ? `answered ${outcome}` : `not answered: ${lost ?? outcome}`}`,
    request === undefined ? '' : `${toRequest}${request}`,
    aspect === undefined ? '' : `: ${aspect}`,
    drawn === true ? inADrawnCase : '',
    as_in === undefined ? '' : `${asIn}${as_in}`,
  ].join('');
}

/**
 * Makes the code of a situation, the same in every run.
 * @example codeSituation({ operation: 'key-info', outcome: 500, drawn: true }) // 'key-info-500-drawn'
 */
export function codeSituation(identity: ViolationIdentity): string {
  const { operation, outcome, request, aspect, drawn, as_in } = identity;
  const isOfRule = request === undefined && aspect !== undefined;
  return [
    operation,
    outcome,
    ...(isOfRule ? ['rule', hash([aspect])] : []),
    ...(request === undefined ? [] : [hash([request, aspect ?? null])]),
    ...(drawn === true ? ['drawn'] : []),
    ...(as_in === undefined ? [] : ['as-in', as_in]),
  ].join('-');
}

/** Returns a situation as a report holds it. */
export function reportSituation(identity: ViolationIdentity): Required<ReportedSituation> {
  return {
    situation: renderSituation(identity),
    case: codeSituation(identity),
    situation_parts: identity,
  };
}

/** Reduces a situation to what it shares with those of other requests: operation, outcome, and the rule, if any. */
export function reduceToKind(identity: ViolationIdentity): ViolationIdentity {
  const { operation, outcome, lost, request, aspect } = identity;
  return {
    ...{ operation, outcome },
    ...(lost === undefined ? {} : { lost }),
    ...(request !== undefined || aspect === undefined ? {} : { aspect }),
  };
}

/** Whether a situation is one that only drawn cases showed, so that a run with another seed may not meet it. */
export function isOfDrawnCases({ case: code, situation = '' }: Partial<ReportedSituation>): boolean {
  return code === undefined
    ? situation.endsWith(inADrawnCase) || situation.includes(asIn)
    : /-drawn$|-as-in-/.test(code);
}

/**
 * Whether a named violation is the one that was seen: exactly; or, where only a drawn case showed it, one of the same
 * kind, since a run that sends less may draw what another always sends; or the one that it repeats.
 */
export function isSameViolation(
  named: NamedViolation,
  seen: ReportedSituation & { readonly requirement: string },
): boolean {
  const { situation_parts: parts } = seen;
  if (parts === undefined)
    return named.requirement === seen.requirement && named.situation === seen.situation;
  const { as_in, ...shown } = parts;
  if (named.requirement === as_in) return isNamed(named, shown);
  if (named.requirement !== seen.requirement) return false;
  if (isNamed(named, parts) || isNamedByRequest(named, parts)) return true;
  return parts.drawn === true && isOfKind(named, reduceToKind(parts));
}

/** Whether the words of version 0.1 name the violation of a rule with a request: checks asked for some rules of today. */
function isNamedByRequest(
  { case: code, situation = '' }: NamedViolation,
  { request, aspect, ...kind }: ViolationIdentity,
): boolean {
  if (code !== undefined || request !== undefined || aspect === undefined) return false;
  return situation.startsWith(`${renderSituation(kind)}${toRequest}`) && situation.endsWith(`: ${aspect}`);
}

function isNamed(named: NamedViolation, identity: ViolationIdentity): boolean {
  return named.case === undefined
    ? named.situation === renderSituation(identity)
    : named.case === codeSituation(identity);
}

/** Whether a named violation is one that some request of a kind showed. */
function isOfKind(named: NamedViolation, kind: ViolationIdentity): boolean {
  const [text = '', start] =
    named.case === undefined
      ? [named.situation, `${renderSituation(kind)}${toRequest}`]
      : [named.case, `${codeSituation(kind)}-`];
  if (!text.startsWith(start)) return false;
  return named.case === undefined || /^[0-9a-f]{8}$/.test(text.slice(start.length));
}

function hash(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 8);
}
