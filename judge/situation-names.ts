import type { RequirementId } from '../spec/ledger.js';
import { codeSituation, reduceToKind, renderSituation, type ViolationIdentity } from '../spec/situation.js';
import type { Redactor } from '../targets/redaction.js';
import type { Finding, FoundSituation, Violation } from './finding.js';

// Enough to tell two apart.
const longestWords = 200;

/** Finds the situation of a finding, without secrets and without what differs from run to run. */
export function findSituation(finding: Finding, redactor: Redactor): FoundSituation {
  const { exchange, request, aspect } = finding;
  const { operation, answer, lost = 'no answer', errorCode = 'no-answer' } = exchange;
  const seen = {
    operation,
    ...(answer === undefined ? { outcome: errorCode, lost: flattenText(lost) } : { outcome: answer.status }),
    // Redacted first: half of a secret would not be found.
    ...(aspect === undefined ? {} : { aspect: flattenText(removeValues(redactor.redact(aspect))) }),
  };
  // A passive rule is broken alike whichever request shows it.
  if (request === undefined) return { exact: cutSituation(seen), bare: cutSituation(seen) };
  const to = (label: string): ViolationIdentity =>
    cutSituation({ ...seen, request: flattenText(removeNames(redactor.redact(label))) });
  return { exact: to(request.plain), bare: to(request.bare) };
}

/**
 * Makes the function that gives the violations of a run their situations. A drawn case differs from seed to seed, so its
 * violation takes the situation of one of the same kind and requirement that every run shows. Failing that, the same
 * request with the same answer may be a violation of another requirement there, since a drawn case has more things wrong.
 * Failing that too, only the kind is named.
 */
export function makeSituationNamer(all: readonly Violation[]): (violation: Violation) => ViolationIdentity {
  const ofKind = new Map<string, ViolationIdentity>();
  const elsewhere = new Map<string, RequirementId>();
  const ofRow = new Set<string>();
  for (const violation of all.filter((one) => !isDrawn(one))) {
    const { requirement, situation } = violation;
    const code = codeSituation(situation.exact);
    ofRow.add(`${requirement} ${code}`);
    if (!ofKind.has(kindKey(violation))) ofKind.set(kindKey(violation), situation.exact);
    if (!elsewhere.has(code)) elsewhere.set(code, requirement);
  }
  const shortest = (requirement: RequirementId, situation: ViolationIdentity): ViolationIdentity => {
    const { request } = situation;
    // Where a short name fails too, the length does not matter.
    const shorter = { ...situation, ...(request && { request: request.replace('a long name', 'a name') }) };
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

function isDrawn({ replay }: Violation): boolean {
  return replay?.isDrawn === true;
}

function kindKey({ requirement, situation }: Violation): string {
  return `${requirement} ${codeSituation(reduceToKind(situation.exact))}`;
}

/** Shortens a situation: cuts the part in which the limit falls. */
function cutSituation(situation: ViolationIdentity): ViolationIdentity {
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

/** Puts a text into one line without invisible characters. */
function flattenText(text: string): string {
  return text
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, '?')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Replaces figures and quoted texts, but not statuses and codes; an index of a list becomes `[]`. */
function removeValues(text: string): string {
  return removeNames(text)
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/(?<=[a-z_\]])\.\d+(?=[. ]|$)/g, '.[]')
    .replace(/(?<![\w.-])(?<!^|code is |code |status is |status )-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?!\w)/g, 'n');
}

/** Replaces the names and ids that each run makes up. */
function removeNames(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, 'an id')
    .replace(/p?lumb[aeio]{6,}/g, '(fresh)');
}
